/* SPDX-License-Identifier: MIT */
/* A schedule by itself, on the user's integer times: one tick is one picosecond. */
#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "engine/sweep.h"
#include "lower/lower.h"
#include "schedule/csv_file.h"
#include "timeline/summary.h"

#include <math.h>
#include <string.h>

typedef struct {
    const PsimScheduleType *type;
    PsimShape shape;
    const PsimScheduleOptions *options;
    PsimArena *arena;
    PsimCsvFile *file; /* NULL: a schedule of the registry */
} Alone;

static void
clear_alone(Alone *alone)
{
    psim_csv_free(alone->file);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Alone, clear_alone)

static bool refuse(GError **error, PsimError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool
refuse(GError **error, PsimError code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, PSIM_ERROR, (gint)code, text);
    return false;
}

/* @colon: the ":2" of "interleaved:2", or NULL. */
static bool
read_chunks(Alone *alone, const char *colon, GError **error)
{
    const uint32_t given = alone->options->n_chunks;
    guint64 chunks = given;

    if (colon != NULL &&
        !g_ascii_string_to_unsigned(colon + 1, 10, 1, PSIM_LIMIT_STAGES, &chunks, NULL))
        return refuse(error, PSIM_ERROR_VALUE,
                      "\"%s\": after the colon stands the number of chunks, 1 to %u",
                      alone->options->name, PSIM_LIMIT_STAGES);
    if (given > 0 && given != chunks)
        return refuse(error, PSIM_ERROR_MISMATCH, "\"%s\" contradicts %u chunks",
                      alone->options->name, given);
    alone->shape.n_chunks = chunks > 0 ? (uint32_t)chunks : alone->type->default_chunks;
    return true;
}

/* "interleaved:2" -> type and chunks. */
static bool
read_name(Alone *alone, GError **error)
{
    const char *name = alone->options->name;
    const char *colon = strchr(name, ':');
    g_autofree char *stem = colon ? g_strndup(name, (gsize)(colon - name)) : g_strdup(name);

    alone->type = psim_schedule_find(stem);
    if (alone->type == NULL) {
        const char *nearest = psim_text_nearest(stem, psim_schedule_words());

        return refuse(error, PSIM_ERROR_VALUE, "no schedule \"%s\"%s%s%s", stem,
                      nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                      nearest ? "\"?" : "");
    }
    if (!read_chunks(alone, colon, error))
        return false;
    alone->shape.n_slices = alone->options->n_slices > 0 ? alone->options->n_slices
                                                         : MAX(alone->type->default_slices, 1);
    if (alone->shape.n_slices > 1 && alone->type->default_slices < 2)
        return refuse(error, PSIM_ERROR_MISMATCH, "%s does not slice microbatches",
                      alone->type->name);
    return true;
}

/* What the caller gives besides the file must be what the file has. */
static bool
check_counts(const Alone *alone, GError **error)
{
    const PsimScheduleOptions *options = alone->options;
    const PsimShape *shape = &alone->shape;
    const struct {
        uint32_t given, of_file;
        const char *one, *many;
    } counts[] = {
        {options->n_ranks, shape->n_ranks, "rank", "ranks"},
        {options->n_microbatches, shape->n_microbatches, "microbatch", "microbatches"},
        {options->n_chunks, shape->n_chunks, "chunk a rank", "chunks a rank"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        if (counts[i].given != 0 && counts[i].given != counts[i].of_file)
            return refuse(error, PSIM_ERROR_MISMATCH, "%s has %u %s, not %u", alone->file->name,
                          counts[i].of_file,
                          counts[i].of_file == 1 ? counts[i].one : counts[i].many, counts[i].given);
    }
    return true;
}

static bool
read_file(Alone *alone, GError **error)
{
    const PsimScheduleOptions *options = alone->options;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    alone->file = options->csv != NULL ? psim_csv_parse(options->csv, strlen(options->csv),
                                                        options->name, complaints)
                                       : psim_csv_load(options->name, options->name, complaints);
    if (!psim_complaints_finish(complaints, error))
        return false;

    const PsimOrder *order = alone->file->order;

    alone->type = &psim_csv_type;
    alone->shape = (PsimShape){
        .n_ranks = order->n_ranks,
        .n_microbatches = order->n_microbatches,
        .n_chunks = psim_csv_n_chunks(order),
        .group = order->n_ranks,
        .n_slices = 1,
        .given = order,
    };
    return check_counts(alone, error);
}

static bool
check_shape(Alone *alone, GError **error)
{
    const PsimScheduleType *type = alone->type;
    const PsimShape *shape = &alone->shape;
    const uint64_t n_stages = (uint64_t)shape->n_ranks * shape->n_chunks;

    if (shape->n_ranks == 0)
        return refuse(error, PSIM_ERROR_VALUE, "0 ranks; expected at least 1");
    if (shape->n_microbatches == 0)
        return refuse(error, PSIM_ERROR_VALUE, "0 microbatches; expected at least 1");
    if (n_stages > PSIM_LIMIT_STAGES)
        return refuse(error, PSIM_ERROR_LIMIT,
                      "%" G_GUINT64_FORMAT " stages, more than PSIM_LIMIT_STAGES (%u)", n_stages,
                      PSIM_LIMIT_STAGES);
    if ((uint64_t)shape->n_microbatches * shape->n_slices > PSIM_LIMIT_MICROBATCHES)
        return refuse(error, PSIM_ERROR_LIMIT,
                      "%u microbatches, more than PSIM_LIMIT_MICROBATCHES (%u)",
                      shape->n_microbatches, PSIM_LIMIT_MICROBATCHES);
    if (shape->n_chunks < type->min_chunks || shape->n_chunks > type->max_chunks) {
        g_autofree char *range = psim_schedule_chunks(type);

        return refuse(error, PSIM_ERROR_MISMATCH, "%u chunks; schedule \"%s\" has %s a rank",
                      shape->n_chunks, type->name, range);
    }
    return true;
}

static bool
check_times(const Alone *alone, GError **error)
{
    const PsimScheduleOptions *options = alone->options;
    const size_t n_chains = MAX(alone->type->n_chains, 1);
    const size_t n_stages = alone->shape.n_ranks * n_chains * alone->shape.n_chunks;

    if (options->forward < 0 || options->backward_input < 0 || options->backward_weight < 0 ||
        options->latency < 0 || options->pair < 0)
        return refuse(error, PSIM_ERROR_VALUE, "times must not be negative");
    if (options->stage_times == NULL)
        return true;
    if (options->n_stage_times != n_stages)
        return refuse(error, PSIM_ERROR_MISMATCH, "times of %zu stages; the schedule has %zu",
                      options->n_stage_times, n_stages);
    for (size_t i = 0; i < n_stages * 3; i++) {
        if (options->stage_times[i] < 0)
            return refuse(error, PSIM_ERROR_VALUE, "times must not be negative");
    }
    return true;
}

/* One chunk is one byte, so that the ledger counts chunks in flight. */
static PsimStageWork
stage_work(const Alone *alone, uint32_t stage)
{
    const PsimScheduleOptions *options = alone->options;
    const int64_t *own = options->stage_times ? options->stage_times + (size_t)stage * 3 : NULL;
    const int64_t forward = own ? own[0] : options->forward;
    const int64_t input = own ? own[1] : options->backward_input;
    const int64_t weight = own ? own[2] : options->backward_weight;

    return (PsimStageWork){
        .op = {[PSIM_OP_FORWARD] = {.compute_ps = forward, .start_bytes = 1},
               [PSIM_OP_BACKWARD] = {.compute_ps = psim_time_add(input, weight), .end_bytes = 1},
               [PSIM_OP_BACKWARD_INPUT] = {.compute_ps = input},
               [PSIM_OP_BACKWARD_WEIGHT] = {.compute_ps = weight, .end_bytes = 1}},
        .send_forward_ps = options->latency,
        .send_backward_ps = options->latency,
        .n_segments = 1,
    };
}

/* The same for a schedule that is made to measure, wherever it places the stages. */
static PsimShapeTimes
shape_times(const Alone *alone)
{
    const uint32_t n_ranks = alone->shape.n_ranks;
    const size_t n_stages = (size_t)n_ranks * alone->shape.n_chunks;
    PsimTime(*stage)[3] = psim_arena_alloc(alone->arena, n_stages, sizeof *stage);
    PsimTime(*transfer)[2] = psim_arena_alloc(alone->arena, n_stages, sizeof *transfer);
    int64_t *stored_bytes = psim_arena_array(alone->arena, int64_t, n_stages);
    int64_t *cap_bytes = psim_arena_array(alone->arena, int64_t, n_ranks);

    for (uint32_t s = 0; s < n_stages; s++) {
        const PsimStageWork work = stage_work(alone, s);

        stage[s][0] = work.op[PSIM_OP_FORWARD].compute_ps;
        stage[s][1] = work.op[PSIM_OP_BACKWARD_INPUT].compute_ps;
        stage[s][2] = work.op[PSIM_OP_BACKWARD_WEIGHT].compute_ps;
        transfer[s][0] = work.send_forward_ps;
        transfer[s][1] = work.send_backward_ps;
        stored_bytes[s] = work.op[PSIM_OP_FORWARD].start_bytes;
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        cap_bytes[rank] = INT64_MAX;
    return (PsimShapeTimes){
        .stage = (const PsimTime(*)[3])stage,
        .transfer = (const PsimTime(*)[2])transfer,
        .stored_bytes = stored_bytes,
        .input_bytes = psim_arena_array(alone->arena, int64_t, n_stages),
        .cap_bytes = cap_bytes,
        .channels = alone->options->channels,
    };
}

static const PsimOrder *
emit_order(const Alone *alone)
{
    PsimShape shape = alone->shape;
    PsimShapeTimes times;

    if (alone->type->is_made_to_measure) {
        times = shape_times(alone);
        shape.times = &times;
    }
    return psim_schedule_emit(alone->type, &shape, alone->arena);
}

static PsimWorkload
make_workload(const Alone *alone)
{
    const PsimOrder *order = emit_order(alone);
    PsimStageWork *stages = psim_arena_array(alone->arena, PsimStageWork, order->n_stages);

    for (uint32_t s = 0; s < order->n_stages; s++)
        stages[s] = stage_work(alone, s);
    return (PsimWorkload){
        .order = order,
        .stages = stages,
        .tp = 1,
        .cp = 1,
        .dp = 1,
        .channels = alone->options->channels,
        .pair_ps = alone->options->pair,
    };
}

/* -- The result -- */

static void
write_cell(const PsimOrder *order, const PsimOp *op, GString *out)
{
    const uint32_t k = order->n_slices;

    if (order->n_stages > order->n_ranks)
        g_string_append_printf(out, "%u", op->stage);
    g_string_append_printf(out, "%c%u", psim_op_letter((PsimOpKind)op->kind), op->microbatch / k);
    if (k > 1)
        g_string_append_printf(out, ".%u", op->microbatch % k);
}

static void
write_order(const void *data, uint32_t rank, GString *out)
{
    const PsimOrder *order = data;

    for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
        if (i > 0)
            g_string_append_c(out, ' ');
        write_cell(order, &order->ops[rank][i], out);
    }
}

static void
fill_stuck(PsimResult *result, const PsimOrder *order, const PsimLowered *lowered)
{
    PsimStuck *stuck = psim_arena_array(result->arena, PsimStuck, order->n_ranks);

    if (!lowered->deadlock)
        return;
    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        stuck[rank] = (PsimStuck){
            .rank = rank,
            .head = psim_lower_head(order, lowered, rank, result->arena),
            .missing = psim_lower_missing(order, lowered, rank, result->arena),
        };
    result->stuck = stuck;
    result->n_stuck = order->n_ranks;
}

static void
fill_shape(PsimResult *result, const Alone *alone)
{
    result->schedule = alone->type->name;
    result->schedule_title = alone->type->title;
    if (alone->file != NULL)
        result->schedule = psim_arena_strdup(alone->arena, alone->file->name);
    result->pp = alone->shape.n_ranks;
    result->tp = result->cp = result->dp = 1;
    result->n_gpus = alone->shape.n_ranks;
    result->n_chunks = alone->shape.n_chunks;
    result->n_microbatches = alone->shape.n_microbatches;
}

/* Bubble as schedules.md counts it: beyond the work of the busiest rank. */
static void
fill_bubble(PsimResult *result, const Alone *alone)
{
    uint64_t numerator = 0;
    uint64_t denominator = 1;
    PsimTime ideal = 0;

    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        ideal = MAX(ideal, result->ranks[rank].busy_ps);
    result->bubble_ps = result->step_ps - ideal;
    result->bubble_fraction =
        result->step_ps > 0 ? (double)result->bubble_ps / (double)result->step_ps : 0.0;
    result->bubble_ratio_to_ideal = ideal > 0 ? (double)result->bubble_ps / (double)ideal : 0.0;
    result->ideal_bubble_fraction = (double)NAN;
    if (alone->type->ideal_bubble != NULL &&
        alone->type->ideal_bubble(&alone->shape, &numerator, &denominator)) {
        const double bubble = (double)numerator / (double)denominator;

        result->ideal_bubble_fraction = bubble / (alone->shape.n_microbatches + bubble);
        result->ideal_text = alone->type->ideal_text;
    }
}

/* Where ranks hold activations for one another, what counts is what each keeps after the transfers.
 */
static const PsimRankFigures *
rank_figures(const PsimResult *result, const Alone *alone)
{
    PsimRankFigures *ranks = psim_summary_ranks(result->graph, result->replay, result->arena);

    for (uint32_t r = 0; r < result->n_ranks && alone->type->balanced_peak != NULL; r++)
        ranks[r].peak.in_flight_max = alone->type->balanced_peak(&alone->shape, r);
    return ranks;
}

/* What published statements about the schedule get wrong. */
static void
fill_note(PsimResult *result, const Alone *alone)
{
    PsimRemark *remark = psim_arena_array(result->arena, PsimRemark, 1);

    if (alone->type->note == NULL)
        return;
    *remark =
        (PsimRemark){.code = "schedule-note", .severity = "note", .message = alone->type->note};
    result->warnings = remark;
    result->n_warnings = 1;
}

static bool
replay(PsimResult *result, const Alone *alone, GError **error)
{
    const PsimWorkload workload = make_workload(alone);
    const PsimLowered *lowered = psim_lower(&workload, result->arena, error);

    if (lowered == NULL)
        return false;
    result->graph = lowered->graph;
    result->replay = psim_sweep_run(lowered->graph, result->arena, error);
    if (result->replay == NULL)
        return false;
    result->step_ps = result->replay->makespan;
    result->n_ranks = workload.order->n_ranks;
    result->ranks = rank_figures(result, alone);
    result->breakdown = psim_summary_mean(result->ranks, result->n_ranks, result->step_ps);
    result->fits = !lowered->deadlock;
    fill_shape(result, alone);
    result->order = workload.order;
    result->write_order = write_order;
    fill_stuck(result, workload.order, lowered);
    fill_bubble(result, alone);
    fill_note(result, alone);
    return true;
}

/* -- The two questions -- */

static bool
read_question(Alone *alone, const PsimScheduleOptions *options, PsimArena *arena, GError **error)
{
    *alone = (Alone){
        .options = options,
        .arena = arena,
        .shape = {.n_ranks = options->n_ranks,
                  .n_microbatches = options->n_microbatches,
                  .group = options->group > 0 ? options->group : options->n_ranks},
    };
    return (options->csv != NULL || psim_csv_is_file(options->name) ? read_file(alone, error)
                                                                    : read_name(alone, error)) &&
           check_shape(alone, error) && check_times(alone, error);
}

PsimResult *
psim_schedule_simulate(const PsimScheduleOptions *options, GError **error)
{
    g_return_val_if_fail(options != NULL && options->name != NULL, NULL);

    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_SCHEDULE);
    g_auto(Alone) alone = {0};

    if (!read_question(&alone, options, result->arena, error) || !replay(result, &alone, error))
        return NULL;
    return g_steal_pointer(&result);
}

bool
psim_schedule_write_csv(const PsimScheduleOptions *options,
                        bool with_communication,
                        PsimWrite write,
                        void *user,
                        GError **error)
{
    g_return_val_if_fail(options != NULL && options->name != NULL && write != NULL, false);

    static const PsimCsvLowering lowering = PSIM_CSV_LOWERING_INIT;
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(Alone) alone = {0};

    if (!read_question(&alone, options, arena, error))
        return false;

    const PsimOrder *order = make_workload(&alone).order;

    if (!(with_communication ? psim_csv_append_lowered(order, &lowering, text, error)
                             : psim_csv_append(order, text, error)))
        return false;
    return write(text->str, text->len, user) ||
           refuse(error, PSIM_ERROR_IO, "the schedule file could not be written");
}
