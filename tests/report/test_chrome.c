/* SPDX-License-Identifier: MIT */
/* Reads traces back and holds them against the rules of their readers. */
#include "../timeline/hand.h"
#include "engine/sweep.h"
#include "fixture.h"
#include "timeline/summary.h"

#include <cJSON.h>
#include <check.h>
#include <math.h>
#include <string.h>

Suite *chrome_suite(void);

typedef struct {
    cJSON *root;
    const cJSON *events;
} Trace;

static Trace
read_trace(const PsimResult *result)
{
    g_autofree char *text = fixture_tell(result, "chrome");
    cJSON *root = cJSON_Parse(text);

    ck_assert_msg(root != NULL, "not JSON");
    return (Trace){.root = root, .events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents")};
}

static bool
has_phase(const cJSON *event, const char *phase)
{
    return strcmp(cJSON_GetObjectItemCaseSensitive(event, "ph")->valuestring, phase) == 0;
}

static const char *
get_text(const cJSON *event, const char *key)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(event, key);

    ck_assert(cJSON_IsString(member));
    return member->valuestring;
}

/* Whole picoseconds, or whole numbers. */
static int64_t
get_scaled(const cJSON *event, const char *key, double scale)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(event, key);

    ck_assert_msg(cJSON_IsNumber(member), "%s", key);
    return llround(member->valuedouble * scale);
}

static int64_t
get_ps(const cJSON *event, const char *key)
{
    return get_scaled(event, key, 1e6);
}

static bool
is_same_thread(const cJSON *a, const cJSON *b)
{
    return get_scaled(a, "pid", 1) == get_scaled(b, "pid", 1) &&
           get_scaled(a, "tid", 1) == get_scaled(b, "tid", 1);
}

static const struct {
    bool run;
    PsimTime latency;
    uint32_t n_ranks, n_slices, n_arrows;
} traces[] = {
    {false, 0, 3, 24, 16},
    {false, 1, 3, 24 + 16, 16},
    {false, 3, 3, 24 + 16, 16},
    {true, 100, 2, 8 + 4, 4},
};

static PsimResult *
make_result(int i)
{
    return traces[i].run ? fixture_run(/* fits= */ true) : fixture_schedule(traces[i].latency);
}

START_TEST(every_event_has_its_members_and_numbers_begin_at_one)
{
    g_autoptr(PsimResult) result = make_result(_i);
    const Trace trace = read_trace(result);
    const cJSON *event = NULL;
    uint32_t n_slices = 0;

    cJSON_ArrayForEach(event, trace.events)
    {
        ck_assert_int_ge(get_scaled(event, "pid", 1), 1);
        ck_assert_int_ge(get_scaled(event, "tid", 1), 1);
        ck_assert_int_ge(get_ps(event, "ts"), 0);
        ck_assert_ptr_nonnull(get_text(event, "name"));
        ck_assert_ptr_nonnull(get_text(event, "cat"));
        ck_assert(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(event, "args")));
        if (has_phase(event, "X")) {
            n_slices++;
            ck_assert_int_gt(get_ps(event, "dur"), 0);
        }
    }
    ck_assert_uint_eq(n_slices, traces[_i].n_slices);
    cJSON_Delete(trace.root);
}
END_TEST

START_TEST(slices_of_a_thread_come_in_order_and_do_not_overlap)
{
    g_autoptr(PsimResult) result = make_result(_i);
    const Trace trace = read_trace(result);
    const cJSON *event = NULL;

    cJSON_ArrayForEach(event, trace.events)
    {
        if (!has_phase(event, "X"))
            continue;
        for (const cJSON *later = event->next; later != NULL; later = later->next) {
            if (has_phase(later, "X") && is_same_thread(event, later))
                ck_assert_int_le(get_ps(event, "ts") + get_ps(event, "dur"), get_ps(later, "ts"));
        }
    }
    cJSON_Delete(trace.root);
}
END_TEST

/* The slice of a thread that is open at a time, searched among the events before @until. */
static const cJSON *
find_slice(const Trace *trace, const cJSON *end, const cJSON *until)
{
    const int64_t ts = get_ps(end, "ts");
    const cJSON *event = NULL;

    cJSON_ArrayForEach(event, trace->events)
    {
        if (event == until)
            return NULL;
        if (has_phase(event, "X") && is_same_thread(event, end) && get_ps(event, "ts") <= ts &&
            ts < get_ps(event, "ts") + get_ps(event, "dur"))
            return event;
    }
    return NULL;
}

static void
check_arrow(const Trace *trace, const cJSON *from, const cJSON *to)
{
    const cJSON *sender = find_slice(trace, from, /* until= */ NULL);
    const cJSON *receiver = find_slice(trace, to, /* until= */ to);

    ck_assert(has_phase(to, "f"));
    ck_assert_int_eq(get_scaled(from, "id", 1), get_scaled(to, "id", 1));
    ck_assert_str_eq(get_text(from, "cat"), get_text(to, "cat"));
    ck_assert_str_eq(get_text(from, "name"), get_text(to, "name"));
    ck_assert_str_eq(get_text(to, "bp"), "e");
    ck_assert_ptr_nonnull(sender);
    ck_assert_int_gt(get_ps(from, "ts"), get_ps(sender, "ts"));
    ck_assert_int_lt(get_ps(from, "ts"), get_ps(sender, "ts") + get_ps(sender, "dur"));
    /* The receiver's slice stands before the arrow's end and starts there. */
    ck_assert_ptr_nonnull(receiver);
    ck_assert_int_eq(get_ps(to, "ts"), get_ps(receiver, "ts"));
    ck_assert_int_ge(get_ps(to, "ts"), get_ps(sender, "ts") + get_ps(sender, "dur"));
    ck_assert_int_ne(get_scaled(from, "pid", 1), get_scaled(to, "pid", 1));
}

START_TEST(arrows_lead_from_inside_a_transfer_to_the_start_of_its_use)
{
    g_autoptr(PsimResult) result = make_result(_i);
    const Trace trace = read_trace(result);
    g_autoptr(GHashTable) ids = g_hash_table_new(g_direct_hash, g_direct_equal);
    const cJSON *event = NULL;
    uint32_t n_arrows = 0;

    cJSON_ArrayForEach(event, trace.events)
    {
        if (!has_phase(event, "s"))
            continue;
        n_arrows++;
        ck_assert(g_hash_table_add(ids, GINT_TO_POINTER((gint)get_scaled(event, "id", 1))));
        check_arrow(&trace, event, event->next);
    }
    ck_assert_uint_eq(n_arrows, traces[_i].n_arrows);
    cJSON_Delete(trace.root);
}
END_TEST

START_TEST(threads_and_processes_are_named_once_and_before_their_slices)
{
    g_autoptr(PsimResult) result = make_result(_i);
    const Trace trace = read_trace(result);
    const cJSON *event = NULL;
    uint32_t n_processes = 0;

    cJSON_ArrayForEach(event, trace.events)
    {
        uint32_t n_names = 0;
        const cJSON *name = NULL;

        n_processes += strcmp(get_text(event, "name"), "process_name") == 0;
        if (!has_phase(event, "X"))
            continue;
        cJSON_ArrayForEach(name, trace.events)
        {
            if (name == event)
                break;
            n_names +=
                is_same_thread(name, event) && strcmp(get_text(name, "name"), "thread_name") == 0;
        }
        ck_assert_uint_eq(n_names, 1);
    }
    ck_assert_uint_eq(n_processes, traces[_i].n_ranks);
    cJSON_Delete(trace.root);
}
END_TEST

/* The last sample of a rank's counter, after checking that time goes on; @ret_most the highest. */
static int64_t
follow_counter(const Trace *trace, int64_t pid, const char *series, int64_t *ret_most)
{
    const cJSON *event = NULL;
    int64_t last = -1;
    int64_t until = 0;

    *ret_most = 0;
    cJSON_ArrayForEach(event, trace->events)
    {
        if (!has_phase(event, "C") || get_scaled(event, "pid", 1) != pid)
            continue;
        ck_assert_int_ge(get_ps(event, "ts"), until);
        until = get_ps(event, "ts");
        last = get_scaled(cJSON_GetObjectItemCaseSensitive(event, "args"), series, 1);
        *ret_most = MAX(*ret_most, last);
    }
    return last;
}

START_TEST(memory_counters_rise_to_the_peak_and_return)
{
    g_autoptr(PsimResult) alone = fixture_schedule(/* latency= */ 0);
    g_autoptr(PsimResult) run = fixture_run(/* fits= */ true);
    const Trace alone_trace = read_trace(alone);
    const Trace run_trace = read_trace(run);
    int64_t most = 0;

    for (int64_t rank = 0; rank < 3; rank++) {
        ck_assert_int_eq(follow_counter(&alone_trace, rank + 1, "chunks", &most), 0);
        ck_assert_int_eq(most, 3 - rank);
    }
    /* States, buffers and overhead of the stage lie below the two microbatches of a byte. */
    ck_assert_int_eq(follow_counter(&run_trace, 1, "bytes", &most), INT64_C(20000000000));
    ck_assert_int_eq(most, INT64_C(20000000002));
    cJSON_Delete(alone_trace.root);
    cJSON_Delete(run_trace.root);
}
END_TEST

START_TEST(starts_are_exact_and_fractions_end_a_picosecond_early)
{
    g_autoptr(PsimResult) run = fixture_run(/* fits= */ true);
    g_autofree char *text = fixture_tell(run, "chrome");

    ck_assert_ptr_nonnull(strstr(text, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":4000000.0002,"
                                       "\"dur\":1999999.999999,\"name\":\"B0\",\"cat\":\"compute\","
                                       "\"args\":{\"microbatch\":0,\"stage\":0,\"flop\":0}}"));
    ck_assert_ptr_nonnull(strstr(text, "{\"ph\":\"X\",\"pid\":2,\"tid\":3,\"ts\":4000000.0001,"
                                       "\"dur\":0.000099,\"name\":\"send-B0\",\"cat\":\"send\","
                                       "\"args\":{\"microbatch\":0,\"stage\":1,\"bytes\":0}}"));
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"rank 1: layers 2-4\""));
}
END_TEST

static double
get_number(const cJSON *event, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(event, key)->valuedouble;
}

/* As binary fractions, 820.096754 and 67.760437 add up to more than 887.857191. */
START_TEST(slices_do_not_overlap_in_the_arithmetic_of_a_reader)
{
    static const PsimTime durations[] = {820096754, 67760437, 1, 1000000};
    static const PsimTaskClass class = {.op = "F", .kind = PSIM_TASK_COMPUTE};
    PsimResult *result = psim_result_new(PSIM_RESULT_RUN);
    PsimGraphBuilder builder;
    const cJSON *event = NULL;
    double end = 0.0;

    psim_graph_builder_init(&builder, result->arena, G_N_ELEMENTS(durations), 0);
    psim_graph_add_stream(&builder, /* rank= */ 0, PSIM_STREAM_COMPUTE);
    psim_graph_add_class(&builder, &class);
    for (uint32_t i = 0; i < G_N_ELEMENTS(durations); i++)
        psim_graph_add_task(&builder, 0, 0, durations[i], i);
    result->graph = psim_graph_freeze(&builder);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    const Trace trace = read_trace(result);

    ck_assert(820.096754 + 67.760437 > 887.857191);
    cJSON_ArrayForEach(event, trace.events)
    {
        if (!has_phase(event, "X"))
            continue;
        ck_assert_double_le(end, get_number(event, "ts"));
        ck_assert_double_gt(get_number(event, "dur"), 0.0);
        end = get_number(event, "ts") + get_number(event, "dur");
    }
    ck_assert_double_gt(end, 888.0);
    cJSON_Delete(trace.root);
    psim_result_unref(result);
}
END_TEST

/* Transfers that overlap, each on a stream of its own, get lanes. */
START_TEST(transfers_at_the_same_time_get_threads_of_their_own)
{
    PsimResult *result = psim_result_new(PSIM_RESULT_SCHEDULE);
    PsimGraphBuilder builder;
    const PsimTaskClass class = {.op = "send-F", .kind = PSIM_TASK_SEND, .peer = 1};

    psim_graph_builder_init(&builder, result->arena, 4, 4);
    psim_graph_add_class(&builder, &class);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t stream = psim_graph_add_stream(&builder, 0, PSIM_STREAM_SEND_NEXT);
        const uint32_t task = psim_graph_add_task(&builder, 0, stream, 10, i);

        /* The third one starts when the first one ends. */
        if (i == 2)
            psim_graph_add_edge(&builder, task - 2);
    }
    result->graph = psim_graph_freeze(&builder);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->n_ranks = 1;
    g_autofree char *text = fixture_tell(result, "chrome");

    ck_assert_ptr_nonnull(strstr(text, "\"tid\":2,\"ts\":0,\"dur\":10,\"name\":\"send-F0\""));
    ck_assert_ptr_nonnull(strstr(text, "\"tid\":7,\"ts\":0,\"dur\":10,\"name\":\"send-F1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"tid\":2,\"ts\":10,\"dur\":10,\"name\":\"send-F2\""));
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"send next 2\""));
    psim_result_unref(result);
}
END_TEST

typedef struct {
    size_t n_blocks, largest_bytes;
} Blocks;

static bool
note_block(const char *bytes, size_t n_bytes, void *user)
{
    Blocks *blocks = user;

    (void)bytes;
    blocks->n_blocks++;
    blocks->largest_bytes = MAX(blocks->largest_bytes, n_bytes);
    return true;
}

START_TEST(a_long_trace_is_handed_on_in_blocks)
{
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_SCHEDULE);
    g_autoptr(GString) order = g_string_new(NULL);
    Blocks blocks = {0};

    for (uint32_t i = 0; i < 60; i++)
        g_string_append_printf(order, "%sF%u B%u", i > 0 ? " " : "", i, i);
    const char *const orders[] = {order->str, order->str, order->str, order->str,
                                  order->str, order->str, order->str, order->str};
    const Hand hand = {.orders = orders,
                       .n_ranks = 8,
                       .forward = 1,
                       .backward = 2,
                       .latency = 1,
                       .by_bytes = true};

    result->graph = hand_graph(&hand, result->arena);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->n_ranks = 8;
    ck_assert(psim_result_write(result, "chrome", note_block, &blocks, NULL));
    ck_assert_uint_gt(blocks.n_blocks, 4);
    ck_assert_uint_lt(blocks.largest_bytes, (size_t)66 * 1024);
}
END_TEST

Suite *
chrome_suite(void)
{
    Suite *suite = suite_create("chrome");
    TCase *rules = tcase_create("rules");
    TCase *content = tcase_create("content");
    const int n_traces = (int)G_N_ELEMENTS(traces);

    tcase_add_loop_test(rules, every_event_has_its_members_and_numbers_begin_at_one, 0, n_traces);
    tcase_add_loop_test(rules, slices_of_a_thread_come_in_order_and_do_not_overlap, 0, n_traces);
    tcase_add_loop_test(rules, arrows_lead_from_inside_a_transfer_to_the_start_of_its_use, 0,
                        n_traces);
    tcase_add_loop_test(rules, threads_and_processes_are_named_once_and_before_their_slices, 0,
                        n_traces);
    suite_add_tcase(suite, rules);
    tcase_add_test(content, memory_counters_rise_to_the_peak_and_return);
    tcase_add_test(content, starts_are_exact_and_fractions_end_a_picosecond_early);
    tcase_add_test(content, slices_do_not_overlap_in_the_arithmetic_of_a_reader);
    tcase_add_test(content, transfers_at_the_same_time_get_threads_of_their_own);
    tcase_add_test(content, a_long_trace_is_handed_on_in_blocks);
    suite_add_tcase(suite, content);
    return suite;
}
