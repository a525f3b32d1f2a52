/* SPDX-License-Identifier: MIT */
/* Communication as PyTorch's lowering places it. */
#include "csv_text.h"
#include "suites.h"

#include <string.h>

static const PsimCsvLowering transfers = {0};
static const PsimCsvLowering complete = PSIM_CSV_LOWERING_INIT;

/* One rank, no transfers: stages as written, so that weights and gradients are seen alone. */
static const struct {
    PsimCsvLowering options;
    const char *text;
    const char *lowered;
} alone[] = {
    {{0}, "0F0,0I0,0W0\n", "0F0,0I0,0W0\n"},
    /* I and W side by side; those that are not stay */
    {{.merge_backward = true}, "0F0,0I0,0W0\n", "0F0,0B0\n"},
    {{.merge_backward = true}, "0F0,0F1,0I0,0I1,0W0,0W1\n", "0F0,0F1,0I0,0I1,0W0,0W1\n"},
    {{.merge_backward = true}, "0F0,0F1,0I0,0I1,0W1,0W0\n", "0F0,0F1,0I0,0B1,0W0\n"},
    {{.reduce_grad = true}, "0F0,0F1,0B0,0B1\n", "0F0,0F1,0B0,0B1,0REDUCE_GRAD\n"},
    {{.reduce_grad = true}, "0F0,0F1,0I0,0B1,0W0\n", "0F0,0F1,0I0,0B1,0W0,0REDUCE_GRAD\n"},
    {{.reduce_grad = true},
     "0F0,1F0,(0F1;1B0)OVERLAP_F_B,1F1,1B1,0B0,0B1\n",
     "0F0,1F0,(0F1;1B0)OVERLAP_F_B,1F1,1B1,1REDUCE_GRAD,0B0,0B1,0REDUCE_GRAD\n"},
    /* all stages fit */
    {{.max_active_stages = 3},
     "0F0,1F0,1B0,0B0\n",
     "0UNSHARD,1UNSHARD,0F0,1F0,1B0,1RESHARD,0B0,0RESHARD\n"},
    /* one at a time */
    {{.max_active_stages = 1},
     "0F0,1F0,1B0,0B0\n",
     "0UNSHARD,0F0,0RESHARD,1UNSHARD,1F0,1B0,1RESHARD,0UNSHARD,0B0,0RESHARD\n"},
    /* the next two distinct ones */
    {{.max_active_stages = 2},
     "0F0,0F1,1F0,1F1,2F0,2F1,2B0,2B1,1B0,1B1,0B0,0B1\n",
     "0UNSHARD,1UNSHARD,0F0,0F1,0RESHARD,2UNSHARD,1F0,1F1,2F0,2F1,2B0,2B1,2RESHARD,0UNSHARD,1B0,"
     "1B1,1RESHARD,0B0,0B1,0RESHARD\n"},
    /* a pair needs both, whatever the limit */
    {{.max_active_stages = 1},
     "0F0,1F0,(0F1;1B0)OVERLAP_F_B,1F1,1B1,0B0,0B1\n",
     "0UNSHARD,0F0,0RESHARD,1UNSHARD,1F0,0UNSHARD,(0F1;1B0)OVERLAP_F_B,0RESHARD,1F1,1B1,1RESHARD,"
     "0UNSHARD,0B0,0B1,0RESHARD\n"},
};

START_TEST(weights_and_gradients_stand_where_pytorch_puts_them)
{
    g_autoptr(PsimCsvFile) file = csv_accept(alone[_i].text);
    g_autofree char *lowered = csv_lower(file->order, alone[_i].options);

    ck_assert_str_eq(lowered, alone[_i].lowered);
}
END_TEST

START_TEST(one_f_one_b_sends_and_receives_as_in_pytorch)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autofree char *text = csv_lower(csv_order("1f1b", 2, 2, 1, arena), transfers);

    ck_assert_str_eq(text, "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                           "1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n");
}
END_TEST

START_TEST(stages_of_one_rank_hand_over_without_transfer)
{
    g_autoptr(PsimCsvFile) file = csv_accept("0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n");
    g_autofree char *text = csv_lower(file->order, transfers);

    ck_assert_str_eq(text, "0F0,0SEND_F0,3RECV_F0,3F0,3B0,3SEND_B0,0RECV_B0,0B0\n"
                           "1RECV_F0,1F0,2F0,2SEND_F0,2RECV_B0,2B0,1B0,1SEND_B0\n");
}
END_TEST

START_TEST(both_results_of_a_pair_leave_behind_it)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autofree char *text = csv_lower(csv_order("dualpipe-v", 2, 4, 2, arena), transfers);

    ck_assert_ptr_nonnull(strstr(text, "OVERLAP_F_B,"));
    g_autoptr(PsimCsvFile) file = csv_accept(text);

    ck_assert(csv_are_equal(file->order, csv_order("dualpipe-v", 2, 4, 2, arena)));
}
END_TEST

START_TEST(interleaved_zero_bubble_lowers_to_pytorchs_artifact)
{
    const PsimCsvLowering merged = {.merge_backward = true};
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autofree char *text = csv_lower(csv_order("interleaved-zb", 2, 8, 2, arena), merged);
    g_autofree char *digest = csv_digest(text);

    /* zb1p_2rank_2stagep_comms.csv */
    ck_assert_str_eq(digest, "99b371864a190caafd98bd49e0cd01d0c192e38a253e708041242ed221873d1e");
}
END_TEST

START_TEST(what_is_lowered_is_consistent_and_the_same_order)
{
    const PsimScheduleType *type = psim_schedule_find(psim_schedule_names()[_i]);
    static const uint32_t shapes[][2] = {{2, 4}, {4, 8}, {4, 16}, {6, 12}};

    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        PsimOrder *order = csv_order(type->name, shapes[i][0], shapes[i][1], 0, arena);

        if (order->n_chains > 1 || order->n_slices > 1)
            continue;
        g_autofree char *text = csv_lower(order, complete);
        g_autoptr(PsimCsvFile) file = csv_accept(text);

        ck_assert_ptr_nonnull(strstr(text, "REDUCE_GRAD"));
        ck_assert(csv_are_equal(file->order, order));
    }
}
END_TEST

START_TEST(a_deadlock_has_no_transfers)
{
    g_autoptr(PsimCsvFile) file = csv_accept("0F0,0B0,0F1,0B1\n1F1,1F0,1B1,1B0\n");
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    ck_assert(!psim_csv_append_lowered(file->order, &complete, text, &error));
    ck_assert_int_eq(error->code, PSIM_ERROR_INFEASIBLE);
    ck_assert_str_eq(error->message, "the order deadlocks, so it has no transfers: rank 0 waits "
                                     "with 0B0, rank 1 waits with 1F1");
    ck_assert_str_eq(text->str, "");
}
END_TEST

START_TEST(bidirectional_orders_have_no_transfers)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimOrder *order = csv_order("1f1b", 2, 2, 1, arena);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    order->n_chains = 2;
    ck_assert(!psim_csv_append_lowered(order, &complete, text, &error));
    ck_assert_int_eq(error->code, PSIM_ERROR_UNSUPPORTED);
}
END_TEST

Suite *
csv_lower_suite(void)
{
    Suite *suite = suite_create("csv_lower");
    TCase *tcase = tcase_create("csv_lower");
    const int n_schedules = (int)g_strv_length((char **)(uintptr_t)psim_schedule_names());

    tcase_add_loop_test(tcase, weights_and_gradients_stand_where_pytorch_puts_them, 0,
                        G_N_ELEMENTS(alone));
    tcase_add_test(tcase, one_f_one_b_sends_and_receives_as_in_pytorch);
    tcase_add_test(tcase, stages_of_one_rank_hand_over_without_transfer);
    tcase_add_test(tcase, both_results_of_a_pair_leave_behind_it);
    tcase_add_test(tcase, interleaved_zero_bubble_lowers_to_pytorchs_artifact);
    tcase_add_loop_test(tcase, what_is_lowered_is_consistent_and_the_same_order, 0, n_schedules);
    tcase_add_test(tcase, a_deadlock_has_no_transfers);
    tcase_add_test(tcase, bidirectional_orders_have_no_transfers);
    suite_add_tcase(suite, tcase);
    return suite;
}
