/* SPDX-License-Identifier: MIT */
/* tiny-pipeline [--stages P] [--microbatches M] [--schedule gpipe|1f1b] [--steps N] ...: trains and
 * prints what was measured as JSON; the options are those of config.c. */
#include "tell.h"

#include <stdlib.h>

int
main(int argc, char **argv)
{
    TinyConfig config;
    TinyReport report;

    if (!tiny_config_parse(&config, argc, argv))
        return 2;
    if (!tiny_report_init(&report, &config))
        return EXIT_FAILURE;
    const bool is_trained = tiny_train(&config, &report);
    if (is_trained)
        tiny_tell(&config, &report);
    tiny_report_clear(&report);
    return is_trained ? EXIT_SUCCESS : EXIT_FAILURE;
}
