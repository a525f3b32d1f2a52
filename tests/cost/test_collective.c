/* SPDX-License-Identifier: MIT */
#include "cost/collective.h"

#include <check.h>

#include "fixture.h"

static PsimGroup
make_inside(uint32_t n_ranks)
{
    return (PsimGroup){.n_ranks = n_ranks, .n_per_node = n_ranks, .n_groups_per_node = 1};
}

/* -- How groups lie ---------------------------------------------------------------------------- */

static const struct {
    uint32_t n_ranks, stride, n_gpus;
    PsimGroup group;
} group_cases[] = {
    {8, 1, 2240, {8, 8, 1}},                          /* TP of a node */
    {4, 1, 64, {4, 4, 2}},   {16, 1, 64, {16, 8, 1}}, /* TP over two nodes */
    {6, 1, 48, {6, 2, 4}},   /* some straddle a boundary, two ranks here, four there */
    {3, 1, 6, {3, 3, 1}},    /* all on one node */
    {8, 8, 2240, {8, 1, 8}}, /* DP of one rank a node, eight at once */
    {8, 4, 64, {8, 2, 4}},   {4, 2, 64, {4, 4, 2}},   {16, 64, 1024, {16, 1, 8}},
    {1, 8, 64, {1, 1, 8}},   {8, 1, 8, {8, 8, 1}},
};

START_TEST(group_lies_as_its_stride_says)
{
    const PsimHardware hardware = fixture_dgx_a100();
    const PsimGroup group = psim_collective_group(&hardware, group_cases[_i].n_ranks,
                                                  group_cases[_i].stride, group_cases[_i].n_gpus);

    ck_assert_uint_eq(group.n_ranks, group_cases[_i].group.n_ranks);
    ck_assert_uint_eq(group.n_per_node, group_cases[_i].group.n_per_node);
    ck_assert_uint_eq(group.n_groups_per_node, group_cases[_i].group.n_groups_per_node);
}
END_TEST

START_TEST(group_of_a_rack_of_72_leaves_it_later)
{
    PsimHardware hardware = fixture_dgx_a100();
    hardware.gpus_per_node = 4;
    hardware.scale_up_size = 72;

    const PsimGroup inside = psim_collective_group(&hardware, 9, 8, 144);
    ck_assert(!psim_collective_is_across(inside));
    const PsimGroup across = psim_collective_group(&hardware, 18, 8, 144);
    ck_assert(psim_collective_is_across(across));
    ck_assert_uint_eq(across.n_per_node, 9);
    ck_assert_uint_eq(across.n_groups_per_node, 8);
}
END_TEST

/* -- Inside a domain --------------------------------------------------------------------------- */

START_TEST(ring_all_reduce_takes_2_n_minus_1_steps)
{
    const PsimHardware hardware = fixture_ideal();
    const uint32_t n = (uint32_t)_i;
    const double part = 1e6; /* 1 ms over a link of 1 GB/s */
    const double payload = part * n;

    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(n), payload),
        2.0 * (n - 1) * part / 1e9);
    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_GATHER, make_inside(n), payload),
        (n - 1) * part / 1e9);
    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_REDUCE_SCATTER, make_inside(n), payload),
        (n - 1) * part / 1e9);
}
END_TEST

START_TEST(ring_pays_a_latency_a_step)
{
    PsimHardware hardware = fixture_ideal();
    hardware.scale_up_latency_s = 0.5;
    hardware.scale_up_bytes_per_s = HUGE_VAL;
    hardware.pair_bytes_per_s = HUGE_VAL;

    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(8), 8.0), 7.0);
    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_GATHER, make_inside(8), 8.0), 3.5);
}
END_TEST

static const struct {
    PsimCollective what;
    double payload_bytes;
    double time_us;
} a100_cases[] = {
    /* a + f S/low: 20 + 1.75 x 1e6 / 42e3 */
    {PSIM_COLLECTIVE_ALL_REDUCE, 1e6, 61.666666666666664},
    /* a + step + f S/high: 69 + 1.75 x 64e6 / 228e3 */
    {PSIM_COLLECTIVE_ALL_REDUCE, 64e6, 560.2280701754386},
    {PSIM_COLLECTIVE_ALL_GATHER, 1e6, 57.772727272727273},
    {PSIM_COLLECTIVE_ALL_GATHER, 64e6, 334.4028436018957},
    {PSIM_COLLECTIVE_REDUCE_SCATTER, 64e6, 321.6960352422908},
    {PSIM_COLLECTIVE_ALL_TO_ALL, 64e6, 305.8620689655172},
};

START_TEST(collective_inside_an_a100_node_has_two_lines)
{
    const PsimHardware hardware = fixture_dgx_a100();

    /* A unit in the last place. */
    ck_assert_double_eq_tol(psim_collective_s(&hardware, a100_cases[_i].what, make_inside(8),
                                              a100_cases[_i].payload_bytes) *
                                1e6,
                            a100_cases[_i].time_us, 1e-12);
}
END_TEST

/* nccl-tests, 8 A100 on NVSwitch; the floor differs by 15 us with one process for all devices. */
static const struct {
    double payload_bytes;
    double measured_us;
} a100_measured[] = {
    {8388608, 162.0},
    {67108864, 584.5},
    {1073741824, 8159.5},
    {8589934592, 63896.0},
};

START_TEST(all_reduce_inside_an_a100_node_is_within_a_fifth_of_the_log)
{
    const PsimHardware hardware = fixture_dgx_a100();
    const double time_s = psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(8),
                                            a100_measured[_i].payload_bytes);

    /* The fit's own error, and the floor. */
    ck_assert_double_eq_tol(time_s * 1e6 / a100_measured[_i].measured_us, 1.0, 0.2);
}
END_TEST

START_TEST(half_of_a_floor_grows_with_the_steps)
{
    const PsimHardware hardware = fixture_dgx_a100();
    const double tiny = 1e-6;

    /* 20 us with 14 steps: 10 + 10 x 6/14 with 4 ranks */
    ck_assert_double_eq_tol(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(4), tiny) * 1e6,
        10.0 + 60.0 / 14.0, 1e-9);
}
END_TEST

START_TEST(nearest_measured_rank_count_wins)
{
    PsimHardware hardware = fixture_dgx_a100();
    PsimCollectiveConstants rows[] = {
        {.what = PSIM_COLLECTIVE_ALL_REDUCE,
         .n_ranks = 2,
         .low_bytes_per_s = 1e9,
         .high_bytes_per_s = 1e9},
        {.what = PSIM_COLLECTIVE_ALL_REDUCE,
         .n_ranks = 8,
         .low_bytes_per_s = 2e9,
         .high_bytes_per_s = 2e9},
    };
    hardware.collectives = rows;
    hardware.n_collectives = 2;
    const double payload = 24e6;

    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(3), payload),
        2.0 * 2.0 * 8e6 / 1e9);
    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(6), payload),
        2.0 * 5.0 * 4e6 / 2e9);
}
END_TEST

START_TEST(pair_on_a_mesh_has_one_link)
{
    PsimHardware hardware = fixture_dgx_a100();
    hardware.pair_bytes_per_s = 50e9;
    hardware.scale_up_bytes_per_s = 350e9;
    hardware.scale_up_fraction = 0.8;
    const double payload = 1e10;
    const double time_s =
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(2), payload);

    /* 40 GB/s and a floor that vanishes */
    ck_assert_double_eq_tol(
        psim_collective_busbw(PSIM_COLLECTIVE_ALL_REDUCE, 2, payload, time_s) / 40e9, 1.0, 1e-3);
    const double whole_s =
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(8), payload);
    ck_assert_double_eq_tol(
        psim_collective_busbw(PSIM_COLLECTIVE_ALL_REDUCE, 8, payload, whole_s) / 228e9, 1.0, 1e-3);
}
END_TEST

START_TEST(one_rank_or_no_bytes_take_no_time)
{
    const PsimHardware hardware = fixture_dgx_a100();

    for (int what = 0; what < PSIM_N_COLLECTIVES; what++) {
        ck_assert_double_eq(psim_collective_s(&hardware, (PsimCollective)what, make_inside(1), 1e9),
                            0.0);
        ck_assert_double_eq(psim_collective_s(&hardware, (PsimCollective)what, make_inside(8), 0.0),
                            0.0);
    }
    ck_assert_double_eq(psim_collective_send_s(&hardware, true, 1, 0.0), 0.0);
}
END_TEST

/* -- Across domains ---------------------------------------------------------------------------- */

START_TEST(ring_across_nodes_with_one_rank_each_shares_the_nics)
{
    /* Four nodes, eight such groups at once, each with one NIC of 0.5 GB/s. */
    const PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 4, .n_per_node = 1, .n_groups_per_node = 8};

    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, 4e6),
                        6.0 * 1e6 / 0.5e9);
    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_GATHER, group, 4e6),
                        3.0 * 1e6 / 0.5e9);
}
END_TEST

START_TEST(ring_across_nodes_pays_a_step_a_node)
{
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 4, .n_per_node = 1, .n_groups_per_node = 8};
    hardware.ring_step_s = 1.0;
    hardware.nic_bytes_per_s = HUGE_VAL;

    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_GATHER, group, 4.0), 3.0);
    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_REDUCE_SCATTER, group, 4.0),
                        3.0);
}
END_TEST

START_TEST(ring_across_nodes_pays_a_step_a_device)
{
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 32, .n_per_node = 8, .n_groups_per_node = 1};
    hardware.scale_up_step_s = 1.0;
    hardware.nic_bytes_per_s = HUGE_VAL;
    hardware.scale_up_bytes_per_s = HUGE_VAL;
    hardware.pair_bytes_per_s = HUGE_VAL;

    /* 31 steps: 3 over the fabric, and those of the first node are in the floor. */
    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_GATHER, group, 32.0),
                        31.0 - 3.0 - 7.0);
}
END_TEST

/* Up and down a binary tree where steps cost, round a ring where bytes do. */
START_TEST(all_reduce_takes_the_tree_for_few_bytes_and_the_ring_for_many)
{
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 1024, .n_per_node = 1, .n_groups_per_node = 8};
    hardware.ring_step_s = 1.0;
    ck_assert_double_eq_tol(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, 4.0),
                            20.0, 1e-6);

    hardware.ring_step_s = 1e-9;
    ck_assert_double_eq_tol(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, 1024e6),
                            2.0 * 1023.0 * (1e-9 + 1e6 / 0.5e9), 1e-9);
}
END_TEST

/* A ring carries 2 (n - 1) / n of the bytes over the NICs, a tree of two nodes all of them once. */
START_TEST(two_nodes_take_the_tree)
{
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 16, .n_per_node = 8, .n_groups_per_node = 1};
    hardware.scale_up_bytes_per_s = HUGE_VAL;
    hardware.pair_bytes_per_s = HUGE_VAL;

    ck_assert_double_eq_tol(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, 16e9),
                            16e9 / (8.0 * 0.5e9), 1e-3);
}
END_TEST

START_TEST(fewer_nics_than_devices_are_shared)
{
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 4, .n_per_node = 1, .n_groups_per_node = 8};
    hardware.nics_per_node = 4;

    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, 4e6),
                        6.0 * 1e6 / 0.25e9);
}
END_TEST

START_TEST(a_lonely_group_cannot_use_the_nics_of_others)
{
    const PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 4, .n_per_node = 1, .n_groups_per_node = 1};

    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, 4e6),
                        6.0 * 1e6 / 0.5e9);
}
END_TEST

START_TEST(oversubscription_divides_the_fabric)
{
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 4, .n_per_node = 1, .n_groups_per_node = 8};
    hardware.oversubscription = 2.0;

    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, 4e6),
                        6.0 * 1e6 / 0.25e9);
    ck_assert_double_eq(
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, make_inside(4), 4e6),
        6.0 * 1e6 / 1e9);
}
END_TEST

START_TEST(all_gather_across_nodes_runs_at_the_slower_tier)
{
    /* Eight NICs of 0.5 GB/s carry 4 GB/s, a link 1 GB/s. */
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 16, .n_per_node = 8, .n_groups_per_node = 1};

    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_GATHER, group, 16e6),
                        15.0 * 1e6 / 1e9);
    hardware.nic_bytes_per_s = 0.0625e9;
    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_GATHER, group, 16e6),
                        15.0 * 1e6 / 0.5e9);
}
END_TEST

START_TEST(hierarchical_all_reduce_reaches_nic_times_n_minus_1_over_nodes_minus_1)
{
    PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 32, .n_per_node = 8, .n_groups_per_node = 1};
    hardware.scale_up_bytes_per_s = HUGE_VAL;
    hardware.pair_bytes_per_s = HUGE_VAL;
    hardware.in_switch_reduction = true;
    const double payload = 32e9;
    const double time_s = psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, payload);

    ck_assert_double_eq(psim_collective_busbw(PSIM_COLLECTIVE_ALL_REDUCE, 32, payload, time_s),
                        0.5e9 * 31.0 / 3.0);

    /* Without a switch that sums there is the ring, eight NICs of whose node carry it. */
    hardware.in_switch_reduction = false;
    const double ring_s = psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, payload);

    ck_assert_double_eq(psim_collective_busbw(PSIM_COLLECTIVE_ALL_REDUCE, 32, payload, ring_s),
                        8.0 * 0.5e9);
}
END_TEST

START_TEST(two_nodes_of_p5_beat_their_flat_ring)
{
    PsimHardware hardware = fixture_dgx_a100();
    PsimCollectiveConstants nvls = {.what = PSIM_COLLECTIVE_ALL_REDUCE,
                                    .n_ranks = 8,
                                    .a_s = 18e-6,
                                    .step_s = 40e-6,
                                    .low_bytes_per_s = 252e9,
                                    .high_bytes_per_s = 472e9};
    hardware.collectives = &nvls;
    hardware.n_collectives = 1;
    hardware.scale_up_bytes_per_s = 450e9;
    hardware.pair_bytes_per_s = 450e9;
    hardware.in_switch_reduction = true;
    hardware.nics_per_node = 32;
    hardware.nic_bytes_per_s = 12.5e9;
    hardware.nic_fraction = 0.93;
    hardware.ring_step_s = 22e-6;
    const PsimGroup group = psim_collective_group(&hardware, 16, 1, 16);
    const double payload = 17179869184.0;
    const double busbw = psim_collective_busbw(
        PSIM_COLLECTIVE_ALL_REDUCE, 16, payload,
        psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_REDUCE, group, payload));

    /* A flat ring would end at 400 GB/s of NICs; measured 487. */
    ck_assert_double_gt(busbw, 400e9);
    ck_assert_double_eq_tol(busbw / 487e9, 1.0, 0.05);
}
END_TEST

START_TEST(all_to_all_uses_links_and_nics_at_once)
{
    const PsimHardware hardware = fixture_ideal();
    const PsimGroup group = {.n_ranks = 16, .n_per_node = 8, .n_groups_per_node = 1};

    /* 7 of 16 parts over a link of 1 GB/s, 8 of 16 over a NIC of 0.5 GB/s */
    ck_assert_double_eq(psim_collective_s(&hardware, PSIM_COLLECTIVE_ALL_TO_ALL, group, 16e6),
                        8e6 / 0.5e9);
}
END_TEST

START_TEST(doubling_every_rate_halves_the_time)
{
    const PsimHardware slow = fixture_ideal();
    PsimHardware fast = fixture_ideal();
    fast.scale_up_bytes_per_s *= 2.0;
    fast.pair_bytes_per_s *= 2.0;
    fast.nic_bytes_per_s *= 2.0;
    const PsimGroup group = {.n_ranks = 24, .n_per_node = 8, .n_groups_per_node = 1};

    for (int what = 0; what < PSIM_N_COLLECTIVES; what++) {
        ck_assert_double_eq(psim_collective_s(&slow, (PsimCollective)what, group, 123456789.0),
                            2.0 *
                                psim_collective_s(&fast, (PsimCollective)what, group, 123456789.0));
    }
}
END_TEST

/* -- Sends ------------------------------------------------------------------------------------- */

START_TEST(send_inside_takes_latency_and_a_link)
{
    const PsimHardware hardware = fixture_dgx_a100();

    ck_assert_double_eq(psim_collective_send_s(&hardware, /* crosses_node= */ false, 1, 234e6),
                        7e-6 + 234e6 / (300e9 * 0.78));
}
END_TEST

START_TEST(send_across_takes_latency_and_a_share_of_the_nics)
{
    const PsimHardware hardware = fixture_dgx_a100();

    ck_assert_double_eq(psim_collective_send_s(&hardware, /* crosses_node= */ true, 8, 225e6),
                        17e-6 + 225e6 / (25e9 * 0.9));
    /* Sixteen transfers, in both directions say, have half a NIC each ... */
    ck_assert_double_eq(psim_collective_send_s(&hardware, /* crosses_node= */ true, 16, 225e6),
                        17e-6 + 225e6 / (12.5e9 * 0.9));
    /* ... and one alone has no more than its own. */
    ck_assert_double_eq(psim_collective_send_s(&hardware, /* crosses_node= */ true, 1, 225e6),
                        17e-6 + 225e6 / (25e9 * 0.9));
}
END_TEST

START_TEST(send_across_drives_two_nics_at_most)
{
    PsimHardware hardware = fixture_ideal();
    hardware.nics_per_node = 32;

    ck_assert_double_eq(psim_collective_send_s(&hardware, /* crosses_node= */ true, 8, 1e9), 1.0);
}
END_TEST

Suite *collective_suite(void);

Suite *
collective_suite(void)
{
    Suite *suite = suite_create("collective");

    TCase *group = tcase_create("group");
    tcase_add_loop_test(group, group_lies_as_its_stride_says, 0, G_N_ELEMENTS(group_cases));
    tcase_add_test(group, group_of_a_rack_of_72_leaves_it_later);
    suite_add_tcase(suite, group);

    TCase *inside = tcase_create("inside");
    tcase_add_loop_test(inside, ring_all_reduce_takes_2_n_minus_1_steps, 2, 9);
    tcase_add_test(inside, ring_pays_a_latency_a_step);
    tcase_add_loop_test(inside, collective_inside_an_a100_node_has_two_lines, 0,
                        G_N_ELEMENTS(a100_cases));
    tcase_add_loop_test(inside, all_reduce_inside_an_a100_node_is_within_a_fifth_of_the_log, 0,
                        G_N_ELEMENTS(a100_measured));
    tcase_add_test(inside, half_of_a_floor_grows_with_the_steps);
    tcase_add_test(inside, nearest_measured_rank_count_wins);
    tcase_add_test(inside, pair_on_a_mesh_has_one_link);
    tcase_add_test(inside, one_rank_or_no_bytes_take_no_time);
    suite_add_tcase(suite, inside);

    TCase *across = tcase_create("across");
    tcase_add_test(across, ring_across_nodes_with_one_rank_each_shares_the_nics);
    tcase_add_test(across, ring_across_nodes_pays_a_step_a_node);
    tcase_add_test(across, ring_across_nodes_pays_a_step_a_device);
    tcase_add_test(across, all_reduce_takes_the_tree_for_few_bytes_and_the_ring_for_many);
    tcase_add_test(across, two_nodes_take_the_tree);
    tcase_add_test(across, fewer_nics_than_devices_are_shared);
    tcase_add_test(across, a_lonely_group_cannot_use_the_nics_of_others);
    tcase_add_test(across, oversubscription_divides_the_fabric);
    tcase_add_test(across, all_gather_across_nodes_runs_at_the_slower_tier);
    tcase_add_test(across, hierarchical_all_reduce_reaches_nic_times_n_minus_1_over_nodes_minus_1);
    tcase_add_test(across, two_nodes_of_p5_beat_their_flat_ring);
    tcase_add_test(across, all_to_all_uses_links_and_nics_at_once);
    tcase_add_test(across, doubling_every_rate_halves_the_time);
    suite_add_tcase(suite, across);

    TCase *send = tcase_create("send");
    tcase_add_test(send, send_inside_takes_latency_and_a_link);
    tcase_add_test(send, send_across_takes_latency_and_a_share_of_the_nics);
    tcase_add_test(send, send_across_drives_two_nics_at_most);
    suite_add_tcase(suite, send);
    return suite;
}
