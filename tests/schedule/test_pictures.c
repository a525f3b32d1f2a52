/* SPDX-License-Identifier: MIT */
/* The *.expect files: a plan on one line, then each rank's order as a picture.
 *
 *     1f1b p=3 m=4 F=1 B=2
 *     rank 0   F0:0-1 F1:1-2 ...        the clock only where the plan has times
 *
 * Letters: p ranks, m microbatches, v chunks, N group, K slices, F and B times; I and W, B's
 * halves, where it is split. With chunks or two directions an op begins with its stage; a + joins a
 * fused pair. A replay that cannot go on ends with a line of each rank's head.
 *
 * Drawn by hand, but for zb-*, interleaved-zb, v-*, chimera, hanayo and seq1f1b: those were
 * computed from the published rule by scripts that share nothing with the generators. dualpipe-v is
 * PyTorch's own order for four ranks.
 */
#include "replay.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const PsimScheduleType *type;
    PsimShape shape;
    PsimStageTimes times; /* zeros: none */
} Picture;

static void
read_word(Picture *picture, const char *word)
{
    const uint32_t value = (uint32_t)strtoul(word + 2, NULL, 10);

    ck_assert_msg(strlen(word) >= 3 && word[1] == '=', "odd word '%s'", word);
    switch (word[0]) {
    case 'p':
        picture->shape.n_ranks = value;
        break;
    case 'm':
        picture->shape.n_microbatches = value;
        break;
    case 'v':
        picture->shape.n_chunks = value;
        break;
    case 'N':
        picture->shape.group = value;
        break;
    case 'K':
        picture->shape.n_slices = value;
        break;
    case 'F':
        picture->times.forward = value;
        break;
    case 'B':
    case 'I':
        picture->times.backward_input = value;
        break;
    case 'W':
        picture->times.backward_weight = value;
        break;
    default:
        ck_abort_msg("odd word '%s'", word);
    }
}

static Picture
read_plan(const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", /* max_tokens= */ -1);
    Picture picture = {.type = psim_schedule_find(words[0])};

    ck_assert_msg(picture.type != NULL, "no schedule '%s'", words[0]);
    picture.shape.n_chunks = picture.type->default_chunks;
    for (size_t i = 1; words[i] != NULL; i++)
        read_word(&picture, words[i]);
    if (picture.shape.group == 0)
        picture.shape.group = picture.shape.n_ranks;
    return picture;
}

static void
append_op(GString *text, const Picture *picture, PsimOp op)
{
    if (picture->shape.n_chunks > 1 || picture->type->n_chains == 2)
        g_string_append_printf(text, "%u", op.stage);
    g_string_append_printf(text, "%c%u", psim_op_letter((PsimOpKind)op.kind), op.microbatch);
}

static void
append_clock(GString *text, const Picture *picture, PsimOp op, int64_t end)
{
    const PsimStageTimes *times = &picture->times;
    int64_t duration = times->backward_input;

    if (op.kind == PSIM_OP_FORWARD)
        duration = times->forward;
    else if (op.kind == PSIM_OP_BACKWARD_WEIGHT)
        duration = times->backward_weight;
    g_string_append_printf(text, ":%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, end - duration, end);
}

static void
append_rank(GString *text,
            const Picture *picture,
            const PsimOrder *order,
            uint32_t rank,
            const PsimReplayed *replayed)
{
    g_string_append_printf(text, "rank %u  ", rank);
    for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
        const bool ends_pair = i > 0 && (order->ops[rank][i - 1].flags & PSIM_OP_WITH_NEXT) != 0;

        g_string_append_c(text, ends_pair ? '+' : ' ');
        append_op(text, picture, order->ops[rank][i]);
        if (replayed != NULL && i < replayed->n_done[rank])
            append_clock(text, picture, order->ops[rank][i], replayed->end[rank][i]);
    }
    g_string_append_c(text, '\n');
}

static void
append_heads(GString *text,
             const Picture *picture,
             const PsimOrder *order,
             const PsimReplayed *replayed)
{
    g_string_append(text, "deadlock");
    for (uint32_t rank = 0; rank < order->n_ranks; rank++) {
        g_string_append_c(text, ' ');
        append_op(text, picture, order->ops[rank][replayed->n_done[rank]]);
    }
    g_string_append_c(text, '\n');
}

static GString *
draw_picture(const char *plan_line, PsimArena *arena)
{
    GString *text = g_string_new(plan_line);
    const Picture picture = read_plan(plan_line);
    const PsimOrder *order = psim_schedule_emit(picture.type, &picture.shape, arena);
    const PsimReplayed *replayed =
        picture.times.forward > 0 ? psim_replay_equal(order, picture.times, /* latency= */ 0, arena)
                                  : NULL;

    g_string_append_c(text, '\n');
    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        append_rank(text, &picture, order, rank, replayed);
    if (replayed != NULL && replayed->deadlock)
        append_heads(text, &picture, order, replayed);
    return text;
}

static void
check_picture(const char *path)
{
    g_autofree char *expected = NULL;

    ck_assert_msg(g_file_get_contents(path, &expected, NULL, NULL), "cannot read %s", path);

    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autofree char *plan_line = g_strndup(expected, strcspn(expected, "\n"));
    g_autoptr(GString) drawn = draw_picture(plan_line, arena);

    ck_assert_msg(strcmp(drawn->str, expected) == 0, "%s: expected\n%s\nbut drew\n%s", path,
                  expected, drawn->str);
}

START_TEST(pictures_come_out_as_drawn)
{
    const char *folder = g_getenv("PSIM_PICTURES");

    ck_assert_msg(folder != NULL, "PSIM_PICTURES does not say where the pictures are");

    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    unsigned n_pictures = 0;

    ck_assert_msg(dir != NULL, "cannot open %s", folder);
    for (const char *name = g_dir_read_name(dir); name != NULL; name = g_dir_read_name(dir)) {
        if (!g_str_has_suffix(name, ".expect"))
            continue;

        g_autofree char *path = g_build_filename(folder, name, NULL);

        check_picture(path);
        n_pictures++;
    }
    ck_assert_uint_ge(n_pictures, 16);
}
END_TEST

Suite *
pictures_suite(void)
{
    Suite *suite = suite_create("pictures");
    TCase *tcase = tcase_create("pictures");

    tcase_add_test(tcase, pictures_come_out_as_drawn);
    suite_add_tcase(suite, tcase);
    return suite;
}
