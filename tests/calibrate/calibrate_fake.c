/* SPDX-License-Identifier: MIT */
/* calibrate-fake FILE [--resume]: calibrates the invented core, to be killed by test_resume.c */
#include "calibrate/calibrate.h"
#include "fake.h"

#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc < 2)
        return 2;
    PsimCalibrateOptions options = {
        .budget_s = 600,
        .path = argv[1],
        .resume = argc > 2 && strcmp(argv[2], "--resume") == 0,
    };

    memset(options.suites, true, sizeof options.suites);
    g_autoptr(PsimRecord) record = psim_calibrate_run(fake_core(), &options, &error);

    if (record == NULL)
        fprintf(stderr, "%s\n", error->message);
    return record != NULL && record->complete ? 0 : 1;
}
