/* SPDX-License-Identifier: MIT */
/* The PyTorch schedule file: what is taken, what is refused and in which words. */
#include "csv_text.h"
#include "suites.h"

#include <string.h>

/* -- Reading ----------------------------------------------------------------------------------- */

/* 1F1B of two ranks and two microbatches. */
#define PLAIN "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"

static const struct {
    const char *text;
    const char *canonical;
} accepted[] = {
    {PLAIN, PLAIN},
    {"0F0,0F1,0B0,0B1\r\n1F0,1B0,1F1,1B1\r\n", PLAIN},
    {"0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1", PLAIN},
    {" 0F0 ,\t0F1, 0B0,0B1 \n1F0,1B0,1F1,1B1\n", PLAIN},
    {"0F0,0F1,,,0B0,,0B1\n,1F0,1B0, ,1F1,1B1,\n", PLAIN},
    {"00F00,0F1,0B0,0B01\n1F0,1B0,1F1,1B1\n", PLAIN},
    {"0F0,0I0,0W0\n", "0F0,0I0,0W0\n"},
    /* whole and split backwards may stand side by side */
    {"0F0,0F1,0B0,0I1,0W1\n", "0F0,0F1,0B0,0I1,0W1\n"},
    {"0F0,(0F1;0B0)OVERLAP_F_B,0B1\n", "0F0,(0F1;0B0)OVERLAP_F_B,0B1\n"},
    /* blocks of stages on a rank */
    {"0F0,1F0,1B0,0B0\n2F0,3F0,3B0,2B0\n", "0F0,1F0,1B0,0B0\n2F0,3F0,3B0,2B0\n"},
    /* a deadlock is for the replay to find */
    {"0F0,0B0,0F1,0B1\n1F1,1F0,1B1,1B0\n", "0F0,0B0,0F1,0B1\n1F1,1F0,1B1,1B0\n"},
    /* communication is checked and dropped */
    {"0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
     "1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n",
     PLAIN},
    {"0UNSHARD,0F0,0F1,0B0,0B1,0REDUCE_GRAD,0RESHARD\n1UNSHARD,1F0,1B0,1F1,1B1,1RESHARD\n", PLAIN},
};

START_TEST(what_the_format_allows_is_taken)
{
    g_autoptr(PsimCsvFile) file = csv_accept(accepted[_i].text);
    g_autofree char *text = csv_write(file->order);

    ck_assert_str_eq(text, accepted[_i].canonical);
    ck_assert_str_eq(file->text, accepted[_i].canonical);
    ck_assert_str_eq(file->name, "x.csv");
}
END_TEST

START_TEST(the_order_has_the_numbers_of_the_file)
{
    g_autoptr(PsimCsvFile) file = csv_accept("0F0,3F0,(0F1;3B0)OVERLAP_F_B,3F1,3I1,3W1,0B0,0B1\n"
                                             "1F0,2F0,1F1,2F1,2B0,1B0,2B1,1B1\n");
    const PsimOrder *order = file->order;

    ck_assert_uint_eq(order->n_ranks, 2);
    ck_assert_uint_eq(order->n_stages, 4);
    ck_assert_uint_eq(order->n_microbatches, 2);
    ck_assert_uint_eq(order->n_chains, 1);
    ck_assert_uint_eq(order->n_slices, 1);
    ck_assert(!order->serial);
    ck_assert_uint_eq(psim_csv_n_chunks(order), 2);
    ck_assert_uint_eq(order->rank_of_stage[3], 0);
    ck_assert_uint_eq(order->n_ops[0], 9);
    ck_assert_uint_eq(order->ops[0][2].flags, PSIM_OP_WITH_NEXT);
    ck_assert_uint_eq(order->ops[0][3].flags, 0);
    ck_assert_uint_eq(order->ops[0][3].kind, PSIM_OP_BACKWARD);
}
END_TEST

#define KINDS "F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, UNSHARD, RESHARD, REDUCE_GRAD"

static const struct {
    const char *text;
    PsimError code;
    const char *message;
} refused[] = {
    /* the file */
    {"", PSIM_ERROR_SYNTAX, "x.csv:1:1: empty; expected a line of cells for each rank"},
    {"\xef\xbb\xbf" PLAIN, PSIM_ERROR_SYNTAX, "x.csv:1:1: byte order mark; remove it"},
    {PLAIN "\n", PSIM_ERROR_SYNTAX,
     "x.csv:3:1: blank line; PyTorch counts it as a rank: remove it"},
    {"0F0,0B0\r\n\r\n", PSIM_ERROR_SYNTAX,
     "x.csv:2:1: blank line; PyTorch counts it as a rank: remove it"},
    /* cells */
    {"0F0,2F0x,0B0\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:5: \"2F0x\" has \"x\" behind \"2F0\"; nothing may follow"},
    {"0F0, 0B0 1\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:6: \"0B0 1\" has \" 1\" behind \"0B0\"; nothing may follow"},
    {"F0\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"F0\" has no stage; expected stage, kind and microbatch, such as 2F0"},
    {"\"0F0\"\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"\\\"0F0\\\"\" has no stage; expected stage, kind and microbatch, such as 2F0"},
    {"0F\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"0F\" has no microbatch; expected stage, kind and microbatch, such as 2F0"},
    {"0f0\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"0f0\" has no kind, but \"f\"; must be one of " KINDS},
    {"0SEND0\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"0SEND0\" has no kind, but \"SEND\"; must be one of " KINDS},
    {"00\n", PSIM_ERROR_SYNTAX, "x.csv:1:1: \"00\" has no kind, but \"\"; must be one of " KINDS},
    {"0UNSHARD1\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"0UNSHARD1\" has a microbatch; UNSHARD takes none"},
    {"65535F0\n", PSIM_ERROR_LIMIT,
     "x.csv:1:1: \"65535F0\" has too high a stage; at most 65534 (PSIM_LIMIT_STAGES)"},
    {"0F99999999999999999999\n", PSIM_ERROR_LIMIT,
     "x.csv:1:1: \"0F99999999999999999999\" has too high a microbatch; at most 16777215 "
     "(PSIM_LIMIT_MICROBATCHES)"},
    {"(0F1;0B0)\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"(0F1;0B0)\" is no pair; expected such as (0F7;7B3)OVERLAP_F_B"},
    {"(0F1)OVERLAP_F_B\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"(0F1)OVERLAP_F_B\" must hold two operations, such as (0F7;7B3)OVERLAP_F_B"},
    {"(0F1;0B0;0B1)OVERLAP_F_B\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"(0F1;0B0;0B1)OVERLAP_F_B\" must hold two operations, such as "
     "(0F7;7B3)OVERLAP_F_B"},
    {"(0F1;0I0)OVERLAP_F_B\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"(0F1;0I0)OVERLAP_F_B\" pairs F with I; must be F with B, in this order"},
    {"(0B1;0F0)OVERLAP_F_B\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"(0B1;0F0)OVERLAP_F_B\" pairs B with F; must be F with B, in this order"},
    {"(0F1;0B1)OVERLAP_F_B\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"(0F1;0B1)OVERLAP_F_B\" pairs F with the B that waits for it; must be another "
     "microbatch"},
    {"(0F1;0B)OVERLAP_F_B\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"(0F1;0B)OVERLAP_F_B\" has no microbatch; expected stage, kind and microbatch, "
     "such as 2F0"},
    {"\x01\xff\x80zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"\\001\\377\\200zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\"... has no stage; "
     "expected stage, kind and microbatch, such as 2F0"},
    {"x,0F0\n0F0,y\n", PSIM_ERROR_SYNTAX,
     "x.csv:1:1: \"x\" has no stage; expected stage, kind and microbatch, such as 2F0\n"
     "x.csv:2:5: \"y\" has no stage; expected stage, kind and microbatch, such as 2F0"},
    /* old notation */
    {"0F0,0F1,0B0,0BW1\n", PSIM_ERROR_UNSUPPORTED,
     "x.csv:1:13: \"0BW1\" is the notation of PyTorch before late 2024, in which B meant I and BW "
     "meant B; write I for B, then B for BW"},
    {"0F0,0B0,x\n0F1,12BW3\n", PSIM_ERROR_UNSUPPORTED,
     "x.csv:2:5: \"12BW3\" is the notation of PyTorch before late 2024, in which B meant I and BW "
     "meant B; write I for B, then B for BW"},
    {"0F0,0F1,0B0,0W0,0B1,0W1\n", PSIM_ERROR_UNSUPPORTED,
     "x.csv:1:13: 0W0, and no I in all of the file, is the notation of PyTorch before late 2024, "
     "in which B meant I; write I for B"},
    /* stages and ranks */
    {"0F0,1F1,1B1,0B0\n1F0,0F1,0B1,1B0\n", PSIM_ERROR_UNSUPPORTED,
     "x.csv:2:1: stage 1 is on rank 0 already; a stage has one rank, so a bidirectional schedule, "
     "whose replicas share stages, has no place in this format\n"
     "x.csv:2:5: stage 0 is on rank 0 already; a stage has one rank, so a bidirectional schedule, "
     "whose replicas share stages, has no place in this format"},
    {"0F0,0B0\n2F0,2B0\n", PSIM_ERROR_MISMATCH,
     "x.csv:2:1: stage 2 is here, but stage 1 is nowhere; stages count from 0 without a gap"},
    {"2F0,2B0\n5F0,5B0\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:1: stage 2 is here, but stages 0 to 1 are nowhere; stages count from 0 without a "
     "gap\n"
     "x.csv:2:1: stage 5 is here, but stages 3 to 4 are nowhere; stages count from 0 without a "
     "gap"},
    {"0F0,0B0\n1F0,2F0,2B0,1B0\n", PSIM_ERROR_MISMATCH,
     "x.csv:2:1: rank 1 has 2 of the stages, rank 0 has 1; each rank must have as many"},
    {"0F0,0B0\n,\n", PSIM_ERROR_MISMATCH,
     "x.csv:2:1: rank 1 has no operation; each rank needs a stage"},
    {",\n", PSIM_ERROR_MISMATCH, "x.csv:1:1: rank 0 has no operation; each rank needs a stage"},
    {"0UNSHARD\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:1: rank 0 has no operation; each rank needs a stage"},
    {"0F16777215,0B16777215\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:1: 1 stages and 16777216 microbatches, by the highest numbers, make 16777216 "
     "forwards; the file has 2 operations in all"},
    /* operations of a microbatch */
    {"0F0,0B0,0F0\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:9: 0F0 is at column 1 already; must be there once"},
    {"0F0,0F2,0B0,0B2\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:1: stage 0 has 2 of 3 forwards; 0F1 is missing"},
    {"0F0,0F1,0B0,0B1\n1F0,1B0\n", PSIM_ERROR_MISMATCH,
     "x.csv:2:1: stage 1 has 1 of 2 forwards; 1F1 is missing"},
    {"0F0\n", PSIM_ERROR_MISMATCH, "x.csv:1:1: 0F0 has no backward; needs 0B0, or 0I0 and 0W0"},
    {"0F0,0I0\n", PSIM_ERROR_MISMATCH, "x.csv:1:5: 0I0 has no 0W0; I and W go together"},
    {"0F0,0F1,0W0,0I1,0W1\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:9: 0W0 has no 0I0; I and W go together"},
    {"0F0,0B0,0I0,0W0\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:9: 0I0 is part of 0B0, which is there, too; must be B, or I and W"},
    {"0F0,0F1,0B0,0W0,0I1,0W1\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:13: 0W0 is part of 0B0, which is there, too; must be B, or I and W"},
    {"0B0,0F0\n", PSIM_ERROR_MISMATCH, "x.csv:1:1: 0B0 stands before 0F0; must come after it"},
    {"0I0,0F0,0W0\n", PSIM_ERROR_MISMATCH, "x.csv:1:1: 0I0 stands before 0F0; must come after it"},
    {"0F0,0W0,0I0\n", PSIM_ERROR_MISMATCH, "x.csv:1:5: 0W0 stands before 0I0; must come after it"},
    {"0F0,0B0,0F1\n1F0,1F1,1B0,1B1,1B1\n", PSIM_ERROR_MISMATCH,
     "x.csv:1:9: 0F1 has no backward; needs 0B1, or 0I1 and 0W1\n"
     "x.csv:2:17: 1B1 is at column 13 already; must be there once"},
};

START_TEST(what_the_format_forbids_is_refused_in_words)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *message = csv_refuse(refused[_i].text, &code);

    ck_assert_str_eq(message, refused[_i].message);
    ck_assert_int_eq((int)code, (int)refused[_i].code);
}
END_TEST

/* Two ranks, one microbatch each way. */
#define RANK_0 "0F0,0SEND_F0,0RECV_B0,0B0\n"
#define RANK_1 "1RECV_F0,1F0,1B0,1SEND_B0\n"

static const struct {
    const char *text;
    const char *message;
} comms_refused[] = {
    {"0F0,0SEND_F0,,0RECV_B0,0B0\n" RANK_1,
     "x.csv:1:14: empty cell; a file with communication has none"},
    {RANK_0 "1F0,1B0,1SEND_B0\n",
     "x.csv:2:1: 1F0 has no 1RECV_F0; a file with communication has all of it"},
    {"0F0,0RECV_B0,0B0\n" RANK_1,
     "x.csv:1:1: 0F0 has no 0SEND_F0; a file with communication has all of it"},
    {"0F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0\n",
     "x.csv:1:14: 0B0 has no 0RECV_B0; a file with communication has all of it\n"
     "x.csv:2:14: 1B0 has no 1SEND_B0; a file with communication has all of it"},
    {"0SEND_F0,0F0,0RECV_B0,0B0\n" RANK_1,
     "x.csv:1:1: 0SEND_F0 stands before 0F0; must come after it"},
    {RANK_0 "1F0,1RECV_F0,1B0,1SEND_B0\n",
     "x.csv:2:5: 1RECV_F0 stands behind 1F0; must come before it"},
    {RANK_0 "1RECV_F0,1F0,1SEND_B0,1B0\n",
     "x.csv:2:14: 1SEND_B0 stands before 1B0; must come after it"},
    {"0F0,0SEND_F0,0B0,0RECV_B0\n" RANK_1,
     "x.csv:1:18: 0RECV_B0 stands behind 0B0; must come before it"},
    {"0F0,0SEND_F0,0SEND_F0,0RECV_B0,0B0\n" RANK_1,
     "x.csv:1:14: 0SEND_F0 is at column 5 already; must be there once"},
    {"0F0,0SEND_F0,0RECV_B0,0B0,0SEND_B0\n" RANK_1,
     "x.csv:1:27: 0SEND_B0: stage 0 is the first and sends nothing there"},
    {RANK_0 "1RECV_F0,1F0,1SEND_F0,1B0,1SEND_B0\n",
     "x.csv:2:14: 1SEND_F0: stage 1 is the last and sends nothing there"},
    {RANK_0 "1RECV_F0,1F0,1RECV_B0,1B0,1SEND_B0\n",
     "x.csv:2:14: 1RECV_B0: stage 1 is the last and receives nothing there"},
    {"0RECV_F0," RANK_0 RANK_1,
     "x.csv:1:1: 0RECV_F0: stage 0 is the first and receives nothing there"},
    {RANK_0 "0SEND_F0,1RECV_F0,1F0,1B0,1SEND_B0\n",
     "x.csv:2:1: 0SEND_F0: stage 0 is on rank 0, not on rank 1"},
    {"7SEND_F0," RANK_0 RANK_1, "x.csv:1:1: 7SEND_F0: stage 7 has no operation; stages are 0 to 1"},
    {"0SEND_F4," RANK_0 RANK_1,
     "x.csv:1:1: 0SEND_F4: microbatch 4 has no operation; microbatches are 0 to 0"},
    {"0F0,0SEND_F0,1F0,1B0,0B0\n", "x.csv:1:5: 0SEND_F0: stages 0 and 1 are both on rank 0; "
                                   "nothing is sent"},
    {"0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
     "1RECV_F1,1RECV_F0,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n",
     "x.csv:2:10: 1RECV_F0 stands behind 1RECV_F1, but rank 0 sends it first; must be received in "
     "the order of sending"},
    {"0F0,0UNSHARD,0B0,0RESHARD\n",
     "x.csv:1:1: 0F0 runs while the weights of its stage are sharded; needs 0UNSHARD before\n"
     "x.csv:1:5: 0UNSHARD: the weights of stage 0 are gathered already"},
    {"0UNSHARD,0UNSHARD,0F0,0B0\n",
     "x.csv:1:10: 0UNSHARD: the weights of stage 0 are gathered already"},
    {"0RESHARD,0UNSHARD,0F0,0B0\n",
     "x.csv:1:1: 0RESHARD: the weights of stage 0 are sharded already"},
    {"0UNSHARD,0F0,0RESHARD,0B0\n",
     "x.csv:1:23: 0B0 runs while the weights of its stage are sharded; needs 0UNSHARD before"},
    {"0F0,0F1,0B0,0REDUCE_GRAD,0B1\n",
     "x.csv:1:13: 0REDUCE_GRAD stands before the last backward of stage 0; must come after it"},
    {"0F0,0B0,0REDUCE_GRAD,0REDUCE_GRAD\n",
     "x.csv:1:22: 0REDUCE_GRAD stands there twice; must be there once"},
    {"0F0,0B0,1REDUCE_GRAD\n",
     "x.csv:1:9: 1REDUCE_GRAD: stage 1 has no operation; stages are 0 to 0"},
};

START_TEST(communication_that_contradicts_the_operations_is_refused)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *message = csv_refuse(comms_refused[_i].text, &code);

    ck_assert_str_eq(message, comms_refused[_i].message);
    ck_assert_int_eq((int)code, PSIM_ERROR_MISMATCH);
}
END_TEST

START_TEST(a_file_of_something_else_is_told_briefly)
{
    g_autoptr(GString) text = g_string_new(NULL);
    PsimError code = PSIM_ERROR_INTERNAL;

    for (unsigned i = 0; i < 100000; i++)
        g_string_append(text, "x,");
    g_autofree char *message = csv_refuse(text->str, &code);

    ck_assert_ptr_nonnull(strstr(message, "\nand 980 more"));
}
END_TEST

START_TEST(a_file_beyond_the_limit_is_refused)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_csv_load("/dev/zero", "/dev/zero", complaints));
    ck_assert(!psim_complaints_finish(complaints, &error));
    ck_assert_int_eq(error->code, PSIM_ERROR_LIMIT);
    ck_assert_str_eq(error->message,
                     "/dev/zero:1:1: more than 67108864 bytes (PSIM_LIMIT_SCHEDULE_BYTES)");
}
END_TEST

START_TEST(a_file_that_is_not_there_is_named)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_csv_load("/nowhere/x.csv", "x.csv", complaints));
    ck_assert(!psim_complaints_finish(complaints, &error));
    ck_assert_int_eq(error->code, PSIM_ERROR_IO);
    ck_assert_str_eq(error->message, "x.csv: No such file or directory");
}
END_TEST

START_TEST(a_file_is_a_name_with_a_slash_or_the_ending)
{
    ck_assert(psim_csv_is_file("zb.csv"));
    ck_assert(psim_csv_is_file("./zb"));
    ck_assert(!psim_csv_is_file("zb-v"));
    ck_assert(!psim_csv_is_file("csv"));
}
END_TEST

/* -- As a schedule ----------------------------------------------------------------------------- */

START_TEST(the_type_hands_out_a_copy_of_the_file)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(PsimCsvFile) file = csv_accept(PLAIN);
    const PsimShape shape = {
        .n_ranks = 2, .n_microbatches = 2, .n_chunks = 1, .group = 2, .given = file->order};
    const PsimOrder *order = psim_schedule_emit(&psim_csv_type, &shape, arena);

    ck_assert(order->ops[0] != file->order->ops[0]);
    ck_assert(csv_are_equal(order, file->order));
    ck_assert_ptr_null(psim_schedule_find("csv"));
}
END_TEST

START_TEST(the_type_allows_the_shape_of_the_file_alone)
{
    g_autoptr(PsimCsvFile) file = csv_accept(PLAIN);
    PsimShape shape = {
        .n_ranks = 2, .n_microbatches = 2, .n_chunks = 1, .group = 2, .given = file->order};
    g_autoptr(GString) complaints = g_string_new(NULL);

    psim_csv_type.check(&shape, /* pytorch_rule= */ false, complaints);
    ck_assert_str_eq(complaints->str, "");
    shape.n_ranks = 4;
    psim_csv_type.check(&shape, /* pytorch_rule= */ false, complaints);
    ck_assert_str_eq(complaints->str, "the schedule file has p = 2, m = 2, v = 1 and no other");
}
END_TEST

Suite *
csv_suite(void)
{
    Suite *suite = suite_create("csv");
    TCase *tcase = tcase_create("csv");

    tcase_add_loop_test(tcase, what_the_format_allows_is_taken, 0, G_N_ELEMENTS(accepted));
    tcase_add_test(tcase, the_order_has_the_numbers_of_the_file);
    tcase_add_loop_test(tcase, what_the_format_forbids_is_refused_in_words, 0,
                        G_N_ELEMENTS(refused));
    tcase_add_loop_test(tcase, communication_that_contradicts_the_operations_is_refused, 0,
                        G_N_ELEMENTS(comms_refused));
    tcase_add_test(tcase, a_file_of_something_else_is_told_briefly);
    tcase_add_test(tcase, a_file_beyond_the_limit_is_refused);
    tcase_add_test(tcase, a_file_that_is_not_there_is_named);
    tcase_add_test(tcase, a_file_is_a_name_with_a_slash_or_the_ending);
    tcase_add_test(tcase, the_type_hands_out_a_copy_of_the_file);
    tcase_add_test(tcase, the_type_allows_the_shape_of_the_file_alone);
    suite_add_tcase(suite, tcase);
    return suite;
}
