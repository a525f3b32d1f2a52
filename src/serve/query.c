/* SPDX-License-Identifier: MIT */
#include "serve/query.h"

#include "plansim.h"

#include <string.h>

#define MAX_PARAMETERS  64u
#define MAX_VALUE_BYTES 256u

typedef enum {
    VALUE,   /* "--tp=8" */
    FLAG,    /* "--balance", if the value is not "false" */
    OPERAND, /* the plan, the schedule */
    MEMBER,  /* "--set=/POINTER=VALUE" */
} Kind;

typedef struct {
    const char *name;
    Kind kind;
} Parameter;

static const Parameter run_parameters[] = {
    {"plan", OPERAND},
    {"model", VALUE},
    {"hardware", VALUE},
    {"runtime", VALUE},
    {"gpus", VALUE},
    {"tp", VALUE},
    {"cp", VALUE},
    {"pp", VALUE},
    {"dp", VALUE},
    {"micro-batch", VALUE},
    {"global-batch", VALUE},
    {"recompute", VALUE},
    {"zero", VALUE},
    {"precision", VALUE},
    {"tokens", VALUE},
    {"usd-per-gpu-hour", VALUE},
    {"schedule", VALUE},
    {"balance", FLAG},
    {"sequence-parallel", FLAG},
    {"set", MEMBER},
    {0},
};

static const Parameter schedule_parameters[] = {
    {"schedule", OPERAND}, {"pp", VALUE},      {"microbatches", VALUE},
    {"chunks", VALUE},     {"group", VALUE},   {"times", VALUE},
    {"latency", VALUE},    {"channels", FLAG}, {0},
};

static const Parameter *
find_parameter(const char *command, const char *name)
{
    const Parameter *parameter =
        strcmp(command, "schedule") == 0 ? schedule_parameters : run_parameters;

    for (; parameter->name != NULL; parameter++) {
        if (strcmp(parameter->name, name) == 0)
            return parameter;
    }
    return NULL;
}

static bool
fail(GError **error, const char *name, const char *value, const char *expected)
{
    g_autofree char *shown = g_utf8_make_valid(value, (gssize)MIN(strlen(value), MAX_VALUE_BYTES));

    g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE, "%s is \"%s\"; must be %s", name, shown,
                expected);
    return false;
}

/* Names, numbers, lists of numbers: nothing that leads to a file. */
static bool
is_plain(const char *value)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._,:+-";

    return value[0] != '\0' && value[strspn(value, allowed)] == '\0' &&
           !g_str_has_suffix(value, ".json") && !g_str_has_suffix(value, ".csv");
}

/* "12.5 GB/s": a number, perhaps a space, and a unit a second. */
static bool
is_rate(const char *value)
{
    const size_t n_digits = strspn(value, "0123456789.");
    const char *unit = value + n_digits + (value[n_digits] == ' ' ? 1 : 0);
    const size_t n_unit = strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    return n_digits > 0 && n_unit > 0 && strcmp(unit + n_unit, "/s") == 0;
}

/* "80 GiB": the same without "/s". */
static bool
is_quantity(const char *value)
{
    const size_t n_digits = strspn(value, "0123456789.");

    return n_digits > 0 && value[n_digits] == ' ' && is_plain(value + n_digits + 1);
}

static bool
is_member_value(const char *value)
{
    return is_plain(value) || is_rate(value) || is_quantity(value) || strcmp(value, "[]") == 0;
}

static bool
take_member(GPtrArray *words, const char *value, GError **error)
{
    const char *equals = strchr(value, '=');

    if (value[0] != '/' || equals == NULL)
        return fail(error, "set", value, "/POINTER=VALUE, such as /parallel/tensor=8");
    if (!is_member_value(equals + 1))
        return fail(error, "set", value,
                    "/POINTER=VALUE with a number, a quantity or a name as its value");
    g_ptr_array_add(words, g_strconcat("--set=", value, NULL));
    return true;
}

static bool
take_parameter(GPtrArray *words, const Parameter *parameter, const char *value, GError **error)
{
    if (parameter->kind == MEMBER)
        return take_member(words, value, error);
    if (!is_plain(value))
        return fail(error, parameter->name, value,
                    "a number, or the name of something that is built in");
    if (parameter->kind == OPERAND && value[0] == '-')
        return fail(error, parameter->name, value, "the name of something that is built in");
    if (parameter->kind == OPERAND)
        g_ptr_array_add(words, g_strdup(value));
    else if (parameter->kind == VALUE)
        g_ptr_array_add(words, g_strconcat("--", parameter->name, "=", value, NULL));
    else if (strcmp(value, "false") != 0)
        g_ptr_array_add(words, g_strconcat("--", parameter->name, NULL));
    return true;
}

static bool
take_pair(
    const char *command, GPtrArray *words, const char *name, const char *value, GError **error)
{
    const Parameter *parameter = find_parameter(command, name);

    if (parameter == NULL) {
        g_autofree char *shown = g_utf8_make_valid(name, (gssize)MIN(strlen(name), 64));

        g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE, "unknown parameter \"%s\"", shown);
        return false;
    }
    if (words->len >= MAX_PARAMETERS || strlen(value) > MAX_VALUE_BYTES) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                    "%s: at most %u parameters of %u bytes each are taken", name, MAX_PARAMETERS,
                    MAX_VALUE_BYTES);
        return false;
    }
    return take_parameter(words, parameter, value, error);
}

char **
psim_query_words(const char *command, const char *query, GError **error)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) reason = NULL;
    GUriParamsIter iterator;
    char *name = NULL;
    char *value = NULL;

    g_uri_params_iter_init(&iterator, query == NULL ? "" : query, -1, "&", G_URI_PARAMS_WWW_FORM);
    while (g_uri_params_iter_next(&iterator, &name, &value, &reason)) {
        g_autofree char *own_name = g_steal_pointer(&name);
        g_autofree char *own_value = g_steal_pointer(&value);

        if (!take_pair(command, words, own_name, own_value, error))
            return NULL;
    }
    if (reason != NULL) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_SYNTAX,
                    "the query must be NAME=VALUE&NAME=VALUE..., percent-encoded UTF-8");
        return NULL;
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&words), /* free_seg= */ FALSE);
}
