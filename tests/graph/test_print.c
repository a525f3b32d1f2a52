/* SPDX-License-Identifier: MIT */
#include "graph/print.h"
#include "sample.h"
#include "suites.h"

START_TEST(text_has_a_line_a_task)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) out = g_string_new(NULL);

    psim_print_text(psim_sample_build(arena), out);
    ck_assert_str_eq(out->str, "0  F s0 m0  rank 0 compute  10 ps\n"
                               "1  send-F s0 m0  rank 0 send-next  1 ps  after 0\n"
                               "2  F s1 m0  rank 1 compute  10 ps  after 1\n"
                               "3  B s1 m0  rank 1 compute  20 ps\n"
                               "4  B s0 m0  rank 0 compute  20 ps  after 2 3\n"
                               "5  optimizer s0  rank 0 compute  5 ps\n");
}
END_TEST

START_TEST(dot_has_a_cluster_a_rank_and_dotted_streams)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) out = g_string_new(NULL);

    psim_print_dot(psim_sample_build(arena), out);
    ck_assert_str_eq(out->str, "digraph plansim {\n"
                               "  rankdir=LR;\n"
                               "  node [shape=box];\n"
                               "  subgraph cluster_0 {\n"
                               "    label=\"rank 0\";\n"
                               "    t0 [label=\"F s0 m0\\n10 ps\"];\n"
                               "    t1 [label=\"send-F s0 m0\\n1 ps\"];\n"
                               "    t4 [label=\"B s0 m0\\n20 ps\"];\n"
                               "    t5 [label=\"optimizer s0\\n5 ps\"];\n"
                               "  }\n"
                               "  subgraph cluster_1 {\n"
                               "    label=\"rank 1\";\n"
                               "    t2 [label=\"F s1 m0\\n10 ps\"];\n"
                               "    t3 [label=\"B s1 m0\\n20 ps\"];\n"
                               "  }\n"
                               "  t0 -> t1;\n"
                               "  t1 -> t2;\n"
                               "  t2 -> t3 [style=dotted];\n"
                               "  t2 -> t4;\n"
                               "  t3 -> t4;\n"
                               "  t0 -> t4 [style=dotted];\n"
                               "  t4 -> t5 [style=dotted];\n"
                               "}\n");
}
END_TEST

Suite *
print_suite(void)
{
    Suite *suite = suite_create("print");
    TCase *tcase = tcase_create("print");

    tcase_add_test(tcase, text_has_a_line_a_task);
    tcase_add_test(tcase, dot_has_a_cluster_a_rank_and_dotted_streams);
    suite_add_tcase(suite, tcase);
    return suite;
}
