/* SPDX-License-Identifier: MIT */
/* Each promise is broken once, on a copy of a good graph, and told in words. */
#include "graph/verify.h"
#include "sample.h"
#include "suites.h"

#include <string.h>

/* The sample with arrays that may be written. */
typedef struct {
    PsimGraph graph;
    PsimStream streams[3];
    PsimTaskClass classes[6];
    uint32_t stream[6], class[6], first[7], before[4];
    PsimTime duration[6];
} Copy;

static void
copy_sample(Copy *copy, PsimArena *arena)
{
    const PsimGraph *sample = psim_sample_build(arena);

    ck_assert_uint_eq(sample->n_tasks, 6);
    ck_assert_uint_eq(sample->n_edges, 4);
    copy->graph = *sample;
    memcpy(copy->streams, sample->streams, sizeof copy->streams);
    memcpy(copy->classes, sample->classes, sizeof copy->classes);
    memcpy(copy->stream, sample->stream, sizeof copy->stream);
    memcpy(copy->class, sample->class, sizeof copy->class);
    memcpy(copy->first, sample->first, sizeof copy->first);
    memcpy(copy->before, sample->before, sizeof copy->before);
    memcpy(copy->duration, sample->duration, sizeof copy->duration);
    copy->graph.streams = copy->streams;
    copy->graph.classes = copy->classes;
    copy->graph.stream = copy->stream;
    copy->graph.class = copy->class;
    copy->graph.first = copy->first;
    copy->graph.before = copy->before;
    copy->graph.duration = copy->duration;
}

static void
spoil_stream_rank(Copy *copy)
{
    copy->streams[2].rank = 2;
}

static void
spoil_stream_kind(Copy *copy)
{
    copy->streams[1].kind = PSIM_N_STREAM_KINDS;
}

static void
spoil_class_name(Copy *copy)
{
    copy->classes[1].op = NULL;
}

static void
spoil_class_kind(Copy *copy)
{
    copy->classes[0].kind = 9;
}

static void
spoil_class_rank(Copy *copy)
{
    copy->classes[3].rank = 4;
}

static void
spoil_class_peer(Copy *copy)
{
    copy->classes[4].peer = 7;
}

static void
spoil_stream(Copy *copy)
{
    copy->stream[5] = 3;
}

static void
spoil_class(Copy *copy)
{
    copy->class[2] = 6;
}

static void
spoil_duration(Copy *copy)
{
    copy->duration[1] = -3;
}

static void
spoil_place(Copy *copy)
{
    copy->class[2] = 0;
}

static void
spoil_edge(Copy *copy)
{
    copy->before[0] = 1;
}

static void
spoil_first(Copy *copy)
{
    copy->first[3] = 9;
}

static void
spoil_memory(Copy *copy)
{
    copy->classes[1].end_bytes = 60;
}

static const struct {
    void (*spoil)(Copy *copy);
    const char *words;
} cases[] = {
    {spoil_stream_rank, "stream 2 is on rank 2 of 2"},
    {spoil_stream_kind, "stream 1 is of kind 5 of 5"},
    {spoil_class_name, "class 1 has no name"},
    {spoil_class_kind, "class 0 (F) is of kind 9 of 7"},
    {spoil_class_rank, "class 3 (B) is on rank 4 of 2"},
    {spoil_class_peer, "class 4 (send-F) goes to rank 7 of 2"},
    {spoil_stream, "task 5 is on stream 3 of 3"},
    {spoil_class, "task 2 is of class 6 of 6"},
    {spoil_duration, "task 1 takes -3 ps"},
    {spoil_place, "task 2 (F) of rank 0 is on a stream of rank 1"},
    {spoil_edge, "task 1 waits for task 1, which is not older"},
    {spoil_first, "the edges of task 2 run from 1 to 9 of 4"},
    {spoil_memory, "rank 0 ends with 40 bytes more than it began with"},
};

START_TEST(a_broken_promise_is_told_in_words)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *expected = g_strdup_printf(
        "task graph: %s; a fault of plansim, worth a report with the plan", cases[_i].words);
    Copy copy;

    copy_sample(&copy, arena);
    ck_assert(psim_verify_graph(&copy.graph, /* balanced= */ true, NULL));
    cases[_i].spoil(&copy);
    ck_assert(!psim_verify_graph(&copy.graph, /* balanced= */ true, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_INTERNAL));
    ck_assert_str_eq(error->message, expected);
}
END_TEST

START_TEST(memory_counts_only_where_asked)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    Copy copy;

    copy_sample(&copy, arena);
    spoil_memory(&copy);
    ck_assert(psim_verify_graph(&copy.graph, /* balanced= */ false, NULL));
}
END_TEST

Suite *
verify_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *tcase = tcase_create("verify");

    tcase_add_loop_test(tcase, a_broken_promise_is_told_in_words, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tcase, memory_counts_only_where_asked);
    suite_add_tcase(suite, tcase);
    return suite;
}
