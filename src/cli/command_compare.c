/* SPDX-License-Identifier: MIT */
/* Several plans, or one plan under several schedules, side by side. */
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/question.h"

#include <string.h>

/* What a comparison holds while it is being made. */
typedef struct {
    GArray *candidates; /* PsimCandidate */
    GPtrArray *results; /* PsimResult */
    GPtrArray *strings;
} Comparison;

static void
begin(Comparison *self)
{
    self->candidates = g_array_new(FALSE, FALSE, sizeof(PsimCandidate));
    self->results = g_ptr_array_new_with_free_func((GDestroyNotify)psim_result_unref);
    self->strings = g_ptr_array_new_with_free_func(g_free);
}

static void
end(Comparison *self)
{
    g_array_unref(self->candidates);
    g_ptr_array_unref(self->results);
    g_ptr_array_unref(self->strings);
}

static const char *
keep_text(Comparison *self, const char *text)
{
    char *copy = g_strdup(text);

    g_ptr_array_add(self->strings, copy);
    return copy;
}

static const PsimResult *
keep_result(Comparison *self, PsimResult *result)
{
    if (result != NULL)
        g_ptr_array_add(self->results, result);
    return result;
}

/* Adds what came of a plan. Returns: false where @error is more than a refusal. */
static bool
add(Comparison *self, const char *label, PsimPlan *plan, GError *refusal, GError **error)
{
    PsimOptions options = PSIM_OPTIONS_INIT;
    PsimCandidate candidate = {.size = sizeof candidate, .label = keep_text(self, label)};
    g_autoptr(GError) problem = refusal;

    options.cancelled = psim_interrupt_is_pending;
    options.brief = true;
    if (plan != NULL)
        candidate.result = keep_result(self, psim_simulate(plan, &options, &problem));
    if (g_error_matches(problem, PSIM_ERROR, PSIM_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return false;
    }
    if (problem != NULL)
        candidate.refused = keep_text(self, problem->message);
    g_array_append_val(self->candidates, candidate);
    return true;
}

/* The schedule of the newest candidate by itself, on unit times. */
static void
add_alone(Comparison *self, const PsimPlan *plan)
{
    PsimCandidate *candidate =
        &g_array_index(self->candidates, PsimCandidate, self->candidates->len - 1);
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;

    if (candidate->result == NULL)
        return;
    psim_plan_schedule_options(plan, &options);
    candidate->alone = keep_result(self, psim_schedule_simulate(&options, /* error= */ NULL));
}

/* A complaint without its place: the plan's file is not what is wrong with a schedule. */
static void
drop_places(GError *error)
{
    g_autoptr(GRegex) place =
        g_regex_new("^[^\n]*?: /[^:\n]*: ", G_REGEX_MULTILINE, 0, /* error= */ NULL);
    char *text = g_regex_replace_literal(place, error->message, -1, 0, "", 0, /* error= */ NULL);

    g_free(error->message);
    g_auto(GStrv) lines = g_strsplit(text, "\n", /* max_tokens= */ -1);

    g_free(text);
    error->message = g_strjoinv("; ", lines);
}

static bool
add_schedule(Comparison *self, const PsimArguments *arguments, const char *schedule, GError **error)
{
    g_autoptr(GError) refusal = NULL;
    g_autoptr(PsimPlan) plan =
        psim_question_load_with(arguments, arguments->operands[0], schedule, &refusal);

    if (refusal != NULL && !g_error_matches(refusal, PSIM_ERROR, PSIM_ERROR_MISMATCH)) {
        g_propagate_error(error, g_steal_pointer(&refusal));
        return false;
    }
    if (refusal != NULL)
        drop_places(refusal);
    if (!add(self, schedule, plan, g_steal_pointer(&refusal), error))
        return false;
    if (plan != NULL)
        add_alone(self, plan);
    return true;
}

static char **
list_schedules(void)
{
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();

    for (const char *const *name = psim_schedule_names(); *name != NULL; name++)
        g_strv_builder_add(words, *name);
    return g_strv_builder_end(words);
}

/* The schedules asked for, or all. Returns: NULL and an error where a name is empty. */
static char **
split_schedules(const PsimArguments *arguments, GError **error)
{
    const char *list = psim_arguments_text(arguments, "schedule");
    g_auto(GStrv) words =
        list == NULL ? list_schedules() : g_strsplit(list, ",", /* max_tokens= */ -1);

    for (char **word = words; *word != NULL; word++) {
        if (*g_strstrip(*word) == '\0') {
            g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                        "--schedule \"%s\" has an empty name", list);
            return NULL;
        }
    }
    if (words[0] == NULL)
        g_set_error_literal(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--schedule names nothing");
    return words[0] != NULL ? g_steal_pointer(&words) : NULL;
}

static bool
add_schedules(Comparison *self, const PsimArguments *arguments, GError **error)
{
    g_auto(GStrv) names = split_schedules(arguments, error);

    for (char **name = names; name != NULL && *name != NULL; name++) {
        if (!add_schedule(self, arguments, *name, error))
            return false;
    }
    return names != NULL;
}

/* Several plans, each with the options given; one schedule may replace theirs. */
static bool
add_plans(Comparison *self, const PsimArguments *arguments, GError **error)
{
    const char *schedule = psim_arguments_text(arguments, "schedule");

    if (schedule != NULL && strchr(schedule, ',') != NULL) {
        g_set_error_literal(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                            "several plans take one --schedule; several schedules take one plan");
        return false;
    }
    for (int i = 0; arguments->operands[i] != NULL; i++) {
        const char *name = arguments->operands[i];
        g_autoptr(PsimPlan) plan = psim_question_load_with(arguments, name, schedule, error);

        if (plan == NULL || !add(self, name, plan, /* refusal= */ NULL, error))
            return false;
    }
    return true;
}

static bool
fits_one(const Comparison *self)
{
    for (guint i = 0; i < self->candidates->len; i++) {
        const PsimCandidate *candidate = &g_array_index(self->candidates, PsimCandidate, i);

        if (candidate->result != NULL && psim_result_fits(candidate->result))
            return true;
    }
    return false;
}

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

static int
answer(const Comparison *self, const PsimArguments *arguments, GError **error)
{
    const char *path = psim_arguments_text(arguments, "output");
    g_autoptr(GString) text = g_string_new(NULL);

    if (!psim_compare_write((const PsimCandidate *)(const void *)self->candidates->data,
                            self->candidates->len, psim_output_choose(arguments), append, text,
                            error))
        return PSIM_EXIT_USAGE;
    if ((path != NULL || !psim_arguments_flag(arguments, "quiet")) &&
        !psim_output_write_bytes(text->str, text->len, path, error))
        return PSIM_EXIT_IO;
    return fits_one(self) ? PSIM_EXIT_DONE : PSIM_EXIT_NO;
}

int
psim_command_compare(const PsimArguments *arguments, GError **error)
{
    Comparison comparison;
    const bool many = arguments->operands[0] != NULL && arguments->operands[1] != NULL;
    int code = PSIM_EXIT_FAULT;

    begin(&comparison);
    if (many ? add_plans(&comparison, arguments, error)
             : add_schedules(&comparison, arguments, error))
        code = answer(&comparison, arguments, error);
    end(&comparison);
    return code;
}
