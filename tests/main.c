/* SPDX-License-Identifier: MIT */
/* The one main of all unit tests: runs the program's suites, TAP to standard output. */
#include "main.h"

#include <stdlib.h>

int
main(void)
{
    SRunner *runner = srunner_create(NULL);

    for (size_t i = 0; i < psim_n_test_suites; i++)
        srunner_add_suite(runner, psim_test_suites[i]());
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);

    const int n_failed = srunner_ntests_failed(runner);

    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
