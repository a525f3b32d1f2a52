/* SPDX-License-Identifier: MIT */
/* units.h: quantities as people write them: "900 GB/s", "80 GiB", "4.5 us"
 *
 * GB is 10^9 bytes, GiB is 2^30 bytes, Gb is 10^9 bits. A quantity of the wrong dimension is an
 * error that names both dimensions; a bare number is an error that shows the form.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_DIMENSION_BYTES,       /* B, kB .. TB, KiB .. TiB; b, kb .. Tb are bits    -> bytes   */
    PSIM_DIMENSION_BYTES_PER_S, /* the same with "/s"; "Gbps" is Gb/s               -> bytes/s */
    PSIM_DIMENSION_TIME,        /* ps, ns, us, ms, s, min, h, d                     -> s       */
    PSIM_DIMENSION_FLOP,        /* FLOP, kFLOP .. EFLOP                             -> FLOP    */
    PSIM_DIMENSION_FLOP_PER_S,  /* the same with "/s"                               -> FLOP/s  */
    PSIM_DIMENSION_POWER,       /* W, kW, MW                                        -> W       */
    PSIM_DIMENSION_FREQUENCY,   /* Hz, kHz, MHz, GHz                                -> Hz      */
    PSIM_DIMENSION_MONEY_PER_S, /* USD/h, USD/s                                     -> USD/s   */
} PsimDimension;

/**
 * psim_units_parse:
 * @text           number, optional spaces, unit
 * @ret_value      in SI base units, may be negative; range checks are the caller's
 * @ret_message    on failure: what is there; what would be right. Caller frees
 *
 * Returns: false for anything else than one finite number and a known unit of @dimension.
 */
bool
psim_units_parse(const char *text, PsimDimension dimension, double *ret_value, char **ret_message);

/**
 * psim_units_format:
 * Returns: the shortest text that psim_units_parse() reads back to exactly @value, in a unit that
 * keeps the number between 1 and 1000 where one does. Caller frees.
 */
char *psim_units_format(double value, PsimDimension dimension);

/** psim_dimension_name: Returns: "a size", "a bandwidth", ... for messages; static. */
const char *psim_dimension_name(PsimDimension dimension);

/** psim_dimension_example: Returns: "80 GiB", "900 GB/s", ... for messages; static. */
const char *psim_dimension_example(PsimDimension dimension);

G_END_DECLS
