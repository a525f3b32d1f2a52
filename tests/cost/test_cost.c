/* SPDX-License-Identifier: MIT */
#include "main.h"

Suite *block_suite(void);
Suite *context_suite(void);
Suite *dispatch_suite(void);
Suite *facts_suite(void);
Suite *gemm_table_suite(void);
Suite *kernel_suite(void);
Suite *collective_suite(void);
Suite *layer_suite(void);
Suite *memory_suite(void);
Suite *stage_suite(void);

PSIM_TEST_SUITES(gemm_table_suite,
                 kernel_suite,
                 collective_suite,
                 layer_suite,
                 dispatch_suite,
                 block_suite,
                 context_suite,
                 memory_suite,
                 stage_suite,
                 facts_suite);
