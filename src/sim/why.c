/* SPDX-License-Identifier: MIT */
/* psim_explain(): finds who explains a member. The themes are the other files why_*.c. */
#include "sim/why.h"

#include "base/text.h"

#include <string.h>

static const PsimWhyMember *const themes[] = {
    psim_why_step_members,
    psim_why_comm_members,
    psim_why_memory_members,
    psim_why_rate_members,
};

#define MAX_MEMBERS 64u

static void
append_names(const PsimWhyMember *theme, const char **names, size_t *n_names)
{
    for (; theme->member != NULL && *n_names < MAX_MEMBERS; theme++)
        names[(*n_names)++] = theme->member;
}

static void *
collect_names(void *unused)
{
    static const char *names[MAX_MEMBERS + 1];
    size_t n_names = 0;

    (void)unused;
    for (size_t i = 0; i < G_N_ELEMENTS(themes); i++)
        append_names(themes[i], names, &n_names);
    return names;
}

const char *const *
psim_explain_members(void)
{
    static GOnce once = G_ONCE_INIT;

    return g_once(&once, collect_names, NULL);
}

static const PsimWhyMember *
find_member(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(themes); i++) {
        for (const PsimWhyMember *entry = themes[i]; entry->member != NULL; entry++) {
            if (strcmp(entry->member, name) == 0)
                return entry;
        }
    }
    return NULL;
}

/* -- Names -- */

#define NO_STAGE UINT64_MAX

/* "stages[3].peak_bytes", "stages.3.peak_bytes", "/stages/3/peak_bytes" -> "stages.peak_bytes". */
static char *
split_member(const char *member, uint64_t *ret_stage)
{
    g_autofree char *dotted = g_strdelimit(g_strdup(member), "/[]", '.');
    g_auto(GStrv) parts = g_strsplit(dotted, ".", -1);
    g_autoptr(GString) name = g_string_new(NULL);

    *ret_stage = NO_STAGE;
    for (char **part = parts; *part != NULL; part++) {
        if (**part == '\0')
            continue;
        if (g_ascii_string_to_unsigned(*part, 10, 0, UINT32_MAX, ret_stage, NULL))
            continue;
        g_string_append_printf(name, "%s%s", name->len > 0 ? "." : "", *part);
    }
    return g_string_free(g_steal_pointer(&name), /* free_segment= */ FALSE);
}

/* Picoseconds are the seconds, exactly. */
static char *
normalise(const char *member, uint64_t *ret_stage)
{
    g_autofree char *name = split_member(member, ret_stage);

    if (strcmp(name, "step.time_ps") == 0)
        return g_strdup("step.time_s");
    if (g_str_has_prefix(name, "step.breakdown_ps."))
        return g_strconcat("step.breakdown_s.", name + strlen("step.breakdown_ps."), NULL);
    return g_steal_pointer(&name);
}

static void
refuse(const char *member, const char *name, GError **error)
{
    const char *const *words = psim_explain_members();
    const char *nearest = psim_text_nearest(name, words);

    if (nearest != NULL) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE,
                    "no derivation of \"%s\"; did you mean \"%s\"?", member, nearest);
        return;
    }
    g_autoptr(GString) list = g_string_new(words[0]);

    for (size_t i = 1; words[i] != NULL; i++)
        g_string_append_printf(list, ", %s", words[i]);
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE,
                "no derivation of \"%s\"; known members are %s", member, list->str);
}

/* -- The explanation -- */

static bool
choose_stage(PsimWhy *why, uint64_t stage, GError **error)
{
    const PsimResult *result = why->run->result;

    why->stage = stage == NO_STAGE ? result->worst_stage : (uint32_t)stage;
    if (why->stage < result->n_stages)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE,
                "\"%s\" is beyond the last stage; must be from 0 to %u", why->member,
                result->n_stages - 1);
    return false;
}

bool
psim_explain(PsimPlan *plan, const char *member, PsimWrite write, void *user, GError **error)
{
    g_return_val_if_fail(plan != NULL && member != NULL && write != NULL, false);

    uint64_t stage = NO_STAGE;
    g_autofree char *name = normalise(member, &stage);
    const PsimWhyMember *entry = find_member(name);

    if (entry == NULL) {
        refuse(member, name, error);
        return false;
    }
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_RUN);
    g_autoptr(GString) out = g_string_new(NULL);
    PsimOptions options = PSIM_OPTIONS_INIT;
    PsimRun run = {.plan = plan, .options = &options, .result = result};
    PsimWhy why = {.run = &run, .member = member, .out = out};

    options.brief = true;
    if (!psim_run_all(&run, error) || !choose_stage(&why, stage, error))
        return false;
    entry->explain(&why);
    if (write(out->str, out->len, user))
        return true;
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_IO, "the explanation cannot be written");
    return false;
}
