/* SPDX-License-Identifier: MIT */
/* GOptionContext takes the words apart; every option goes through one callback, which looks it up
 * in the table again and keeps the order, since later settings replace earlier ones. All values are
 * taken as file names, that is as bytes, so that no locale is asked.
 */
#include "cli/arguments.h"

#include <string.h>

G_DEFINE_QUARK(psim_usage_error, psim_usage_error)

/* @typed  "--name" or "-l", as GOptionContext reports it */
static const PsimCommandOption *
find_option(const PsimCommand *command, const char *typed)
{
    const bool is_letter = typed[1] != '-';

    for (const PsimCommandTopic *topic = command->topics; topic->title != NULL; topic++) {
        for (const PsimCommandOption *option = topic->options; option->name != NULL; option++) {
            if (is_letter ? option->letter == typed[1] : strcmp(option->name, typed + 2) == 0)
                return option;
        }
    }
    return NULL;
}

static bool
is_whole(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static bool
is_number(const char *text)
{
    char *end = NULL;

    /* strtod() would also take hexadecimal, infinity and leading space. */
    if (text[0] == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    (void)g_ascii_strtod(text, &end);
    return end != text && *end == '\0';
}

static bool
check_value(const PsimCommandOption *option, const char *value, GError **error)
{
    const char *expected = NULL;

    switch (option->type) {
    case PSIM_VALUE_NONE:
    case PSIM_VALUE_TEXT:
    case PSIM_VALUE_SCHEDULE:
        break;
    case PSIM_VALUE_COUNT:
        expected = is_whole(value) ? NULL : "a whole number";
        break;
    case PSIM_VALUE_NUMBER:
        expected = is_number(value) ? NULL : "a number such as 300e9";
        break;
    case PSIM_VALUE_MEMBER:
        expected = value[0] == '/' && strchr(value, '=') != NULL
                       ? NULL
                       : "/POINTER=VALUE, such as /parallel/tensor=8";
        break;
    }
    if (value != NULL && !g_utf8_validate(value, -1, NULL))
        expected = "UTF-8 text";
    if (expected != NULL)
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--%s is \"%s\"; must be %s",
                    option->name, value, expected);
    return expected == NULL;
}

static gboolean
keep_option(const gchar *typed, const gchar *value, gpointer user, GError **error)
{
    PsimArguments *self = user;
    const PsimCommandOption *option = find_option(self->command, typed);

    g_assert(option != NULL);
    if (!check_value(option, value, error))
        return FALSE;
    const PsimArgument argument = {.option = option, .value = g_strdup(value)};

    g_array_append_val(self->given, argument);
    return TRUE;
}

static void
append_entry(GArray *entries, const PsimCommandOption *option)
{
    const GOptionArgFunc callback = keep_option;
    GOptionEntry entry = {
        .long_name = option->name,
        .short_name = option->letter,
        .flags = G_OPTION_FLAG_FILENAME |
                 (option->type == PSIM_VALUE_NONE ? G_OPTION_FLAG_NO_ARG : G_OPTION_FLAG_NONE),
        .arg = G_OPTION_ARG_CALLBACK,
    };

    /* The field is a data pointer; ISO C has no conversion, POSIX has the same size. */
    memcpy(&entry.arg_data, &callback, sizeof entry.arg_data);
    g_array_append_val(entries, entry);
}

static GOptionContext *
make_context(PsimArguments *self)
{
    GOptionContext *context = g_option_context_new(NULL);
    GOptionGroup *group = g_option_group_new("main", "", "", self, NULL);
    g_autoptr(GArray) entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));

    for (const PsimCommandTopic *topic = self->command->topics; topic->title != NULL; topic++) {
        for (const PsimCommandOption *option = topic->options; option->name != NULL; option++)
            append_entry(entries, option);
    }
    g_option_group_add_entries(group, (const GOptionEntry *)(const void *)entries->data);
    g_option_context_set_main_group(context, group);
    g_option_context_set_help_enabled(context, FALSE);
    /* They are left among the operands, where we find them and hint at the right word. */
    g_option_context_set_ignore_unknown_options(context, TRUE);
    return context;
}

#define MAX_WORD 40

/* Costs of turning the first i letters of one word into the first j of another. */
typedef size_t Costs[MAX_WORD + 1][MAX_WORD + 1];

/* A swap of neighbours is one edit. The library has its own distance, but hides it. */
static void
fill_cost(Costs cost, const char *a, size_t i, const char *b, size_t j)
{
    const size_t changed = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
    const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];

    cost[i][j] = MIN(changed, MIN(cost[i - 1][j], cost[i][j - 1]) + 1);
    if (swapped)
        cost[i][j] = MIN(cost[i][j], cost[i - 2][j - 2] + 1);
}

static size_t
measure_distance(const char *a, const char *b)
{
    Costs cost;
    const size_t n_a = strlen(a);
    const size_t n_b = strlen(b);

    for (size_t j = 0; j <= n_b; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        cost[i][0] = i;
        for (size_t j = 1; j <= n_b; j++)
            fill_cost(cost, a, i, b, j);
    }
    return cost[n_a][n_b];
}

const char *
psim_arguments_nearest(const char *word, const char *const *words)
{
    const size_t length = strlen(word);
    const char *nearest = NULL;
    /* One edit in three letters, and never a wholly different word. */
    size_t best = (length + 2) / 3 + 1;

    if (length > MAX_WORD)
        return NULL;
    for (; *words != NULL; words++) {
        const size_t n = strlen(*words);
        const size_t distance = n > MAX_WORD ? best : measure_distance(word, *words);

        if (distance < best && distance < MIN(length, n)) {
            best = distance;
            nearest = *words;
        }
    }
    return nearest;
}

void
psim_arguments_complain(GError **error,
                        const char *what,
                        const char *word,
                        const char *const *words,
                        const char *list_kind)
{
    const char *nearest = psim_arguments_nearest(word, words);
    g_autoptr(GString) advice = g_string_new(NULL);

    if (nearest != NULL) {
        g_string_printf(advice, "did you mean \"%s\"?", nearest);
    } else if (list_kind != NULL) {
        g_string_printf(advice, "\"plansim list %s\" lists them", list_kind);
    } else {
        g_string_append_printf(advice, "must be one of %s", *words);
        while (*++words != NULL)
            g_string_append_printf(advice, ", %s", *words);
    }
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "%s \"%s\"; %s", what, word, advice->str);
}

static void
complain_of_option(const PsimCommand *command, const char *typed, GError **error)
{
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    g_autofree char *word = g_strndup(typed, strcspn(typed, "="));

    for (const PsimCommandTopic *topic = command->topics; topic->title != NULL; topic++) {
        for (const PsimCommandOption *option = topic->options; option->name != NULL; option++)
            g_strv_builder_add(builder, option->name);
    }
    g_auto(GStrv) words = g_strv_builder_end(builder);
    const char *nearest =
        word[1] == '-' ? psim_arguments_nearest(word + 2, (const char *const *)words) : NULL;

    if (nearest != NULL)
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "unknown option \"%s\"; did you mean \"--%s\"?", word, nearest);
    else
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "unknown option \"%s\"; \"plansim %s --help\" lists them", word, command->name);
}

static bool
check_operands(const PsimArguments *self, GError **error)
{
    const PsimCommand *command = self->command;
    const int n_operands = (int)g_strv_length(self->operands);

    if (psim_arguments_flag(self, "help"))
        return true;
    if (n_operands < command->n_operands_min) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "%s is missing", command->operands);
        return false;
    }
    if (n_operands > command->n_operands_max) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "\"%s\" is one word too many; expected %s", self->operands[n_operands - 1],
                    command->operands);
        return false;
    }
    return true;
}

/* What GOptionContext left: operands, and options that it did not know. */
static bool
take_operands(PsimArguments *self, char **left, GError **error)
{
    g_autoptr(GStrvBuilder) operands = g_strv_builder_new();
    bool only_operands = false;

    for (; *left != NULL; left++) {
        if (!only_operands && strcmp(*left, "--") == 0) {
            only_operands = true;
            continue;
        }
        if (!only_operands && (*left)[0] == '-' && (*left)[1] != '\0') {
            complain_of_option(self->command, *left, error);
            return false;
        }
        if (!g_utf8_validate(*left, -1, NULL)) {
            g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "an operand is not UTF-8");
            return false;
        }
        g_strv_builder_add(operands, *left);
    }
    self->operands = g_strv_builder_end(operands);
    return check_operands(self, error);
}

static void
clear_argument(void *data)
{
    g_free(((PsimArgument *)data)->value);
}

PsimArguments *
psim_arguments_parse(const PsimCommand *command, char **arguments, GError **error)
{
    g_autoptr(PsimArguments) self = g_new0(PsimArguments, 1);
    g_autoptr(GError) reason = NULL;
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();

    self->command = command;
    self->given = g_array_new(FALSE, FALSE, sizeof(PsimArgument));
    g_array_set_clear_func(self->given, clear_argument);

    g_autoptr(GOptionContext) context = make_context(self);

    /* The first word is the program's name for GOptionContext. */
    g_strv_builder_add(words, command->name);
    g_strv_builder_addv(words, (const char **)(gpointer)arguments);

    g_auto(GStrv) left = g_strv_builder_end(words);

    if (!g_option_context_parse_strv(context, &left, &reason)) {
        g_set_error_literal(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, reason->message);
        return NULL;
    }
    if (!take_operands(self, left[0] == NULL ? left : left + 1, error))
        return NULL;
    return g_steal_pointer(&self);
}

void
psim_arguments_free(PsimArguments *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->given);
    g_strfreev(self->operands);
    g_free(self);
}

static const PsimArgument *
find_last(const PsimArguments *self, const char *name)
{
    for (guint i = self->given->len; i > 0; i--) {
        const PsimArgument *argument = &g_array_index(self->given, PsimArgument, i - 1);

        if (strcmp(argument->option->name, name) == 0)
            return argument;
    }
    return NULL;
}

const char *
psim_arguments_text(const PsimArguments *self, const char *name)
{
    const PsimArgument *argument = find_last(self, name);

    return argument == NULL ? NULL : argument->value;
}

bool
psim_arguments_flag(const PsimArguments *self, const char *name)
{
    return find_last(self, name) != NULL;
}

bool
psim_arguments_count(const PsimArguments *self,
                     const char *name,
                     guint64 fallback,
                     guint64 max,
                     guint64 *ret_count,
                     GError **error)
{
    const char *text = psim_arguments_text(self, name);

    *ret_count = fallback;
    if (text == NULL || g_ascii_string_to_unsigned(text, 10, 0, max, ret_count, NULL))
        return true;
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                "--%s is %s; must be at most %" G_GUINT64_FORMAT, name, text, max);
    return false;
}

bool
psim_arguments_positive(const PsimArguments *self,
                        const char *name,
                        guint64 fallback,
                        guint64 max,
                        guint64 *ret_count,
                        GError **error)
{
    const char *text = psim_arguments_text(self, name);

    *ret_count = fallback;
    if (text == NULL || g_ascii_string_to_unsigned(text, 10, 1, max, ret_count, NULL))
        return true;
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                "--%s is %s; must be from 1 to %" G_GUINT64_FORMAT, name, text, max);
    return false;
}
