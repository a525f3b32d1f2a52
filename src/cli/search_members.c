/* SPDX-License-Identifier: MIT */
#include "cli/search_members.h"

#include <string.h>

/* What the search decides, the inner ones first, and the options for it. */
static const struct {
    const char *pointer, *option;
} decided[] = {
    {"/gpus", "--gpus"},
    {"/parallel/tensor", "--keep tp=N"},
    {"/parallel/pipeline", "--keep pp=N"},
    {"/parallel/data", "--gpus, --keep tp=N and --keep pp=N"},
    {"/parallel/sequence_parallel", "--keep sequence-parallel=yes"},
    {"/batch/micro", "--keep micro-batch=N"},
    {"/batch/global", "--global-batch"},
    {"/batch", "--global-batch and --keep micro-batch=N"},
    {"/schedule", "--schedule"},
    {"/recompute", "--keep recompute=WHAT"},
    {"/zero_stage", "--keep zero=STAGE"},
    {"/layers_per_stage", "\"even\" or \"balanced\" there"},
};

/* Named by an option, whose word commands that are printed must repeat. */
static const struct {
    const char *pointer, *option;
} named[] = {{"/hardware", "--hardware"}, {"/runtime", "--runtime"}};

/* The rest of /parallel is the user's: how far a sequence is split, and how its parts meet. */
static bool
is_whole(const char *member, const char *pointer)
{
    const size_t length = strlen(pointer);

    return strncmp(member, pointer, length) == 0 && member[length] == '=';
}

/* Whether "/a/b=1" sets /a/b or what is below it. */
static bool
reaches(const char *member, const char *pointer)
{
    const size_t length = strlen(pointer);

    return strncmp(member, pointer, length) == 0 &&
           (member[length] == '=' || member[length] == '/');
}

/* "/layers_per_stage=balanced", quoted as JSON or not. */
static bool
take_split(const char *member, PsimSpace *space)
{
    static const char *const words[] = {"=even", "=\"even\"", "=balanced", "=\"balanced\""};
    static const char pointer[] = "/layers_per_stage";

    for (uint32_t i = 0; g_str_has_prefix(member, pointer) && i < G_N_ELEMENTS(words); i++) {
        const uint32_t split = i / 2;

        if (strcmp(member + strlen(pointer), words[i]) != 0)
            continue;
        g_array_set_size(space->split, 0);
        g_array_append_val(space->split, split);
        return true;
    }
    return false;
}

static bool
refuse(const char *member, const char *what, const char *option, GError **error)
{
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--set %.*s: %s; use %s",
                (int)strcspn(member, "="), member, what, option);
    return false;
}

static bool
check_member(const char *member, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(decided); i++) {
        if (reaches(member, decided[i].pointer))
            return refuse(member, "the search decides it", decided[i].option, error);
    }
    if (is_whole(member, "/parallel"))
        return refuse(member, "the search decides it", "--gpus and --keep", error);
    for (size_t i = 0; i < G_N_ELEMENTS(named); i++) {
        if (is_whole(member, named[i].pointer))
            return refuse(member, "has an option", named[i].option, error);
    }
    return true;
}

bool
psim_search_members_read(const PsimArguments *arguments, PsimSpace *space, GError **error)
{
    for (guint i = 0; i < arguments->given->len; i++) {
        const PsimArgument *argument = &g_array_index(arguments->given, PsimArgument, i);

        if (strcmp(argument->option->name, "set") == 0 && !take_split(argument->value, space) &&
            !check_member(argument->value, error))
            return false;
    }
    return true;
}

bool
psim_search_members_sets_runtime(const PsimArguments *arguments)
{
    for (guint i = 0; i < arguments->given->len; i++) {
        const PsimArgument *argument = &g_array_index(arguments->given, PsimArgument, i);

        if (strcmp(argument->option->name, "set") == 0 && reaches(argument->value, "/runtime"))
            return true;
    }
    return false;
}
