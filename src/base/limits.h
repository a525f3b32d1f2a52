/* SPDX-License-Identifier: MIT */
/* limits.h: every ceiling of the program, named and explained
 *
 * Messages name the constant, so that a reader of a message finds it here.
 */
#pragma once

#include <stdint.h>

/* JSON: a file of ours is a few kilobytes; depth is bounded because the parser recurses. */
#define PSIM_LIMIT_JSON_BYTES (64u * 1024u * 1024u)
#define PSIM_LIMIT_JSON_DEPTH 64u
/* Complaints printed of one file; the rest is counted. */
#define PSIM_LIMIT_COMPLAINTS 20u
/* Names and free text inside files, in bytes. */
#define PSIM_LIMIT_NAME_BYTES 1024u
/* Whole numbers in JSON are doubles: above 2^53 they would be rounded silently. */
#define PSIM_LIMIT_JSON_INTEGER 9007199254740992u

/* Measured matrix products of a device; a calibration takes some hundreds. */
#define PSIM_LIMIT_GEMM_ROWS 65536u
/* Cases and samples of a calibration. */
#define PSIM_LIMIT_CASES   65536u
#define PSIM_LIMIT_SAMPLES 4096u

/* Model. */
#define PSIM_LIMIT_LAYERS   16384u
#define PSIM_LIMIT_WIDTH    16777216u
#define PSIM_LIMIT_SEQUENCE 16777216u

/* Plan. */
#define PSIM_LIMIT_GPUS         1048576u
#define PSIM_LIMIT_DEGREE       65536u
#define PSIM_LIMIT_CONTEXT      4096u  /* the product of all degrees fits in 64 bits         */
#define PSIM_LIMIT_STAGES       65535u /* an operation holds its stage in 16 bits            */
#define PSIM_LIMIT_MICROBATCHES 16777216u
#define PSIM_LIMIT_BATCH        1073741824u

/* A schedule file: ten million operations. */
#define PSIM_LIMIT_SCHEDULE_BYTES 0x4000000u /* 64 MiB */

/* Graph: ids are 32 bits; the last value marks "none". */
#define PSIM_LIMIT_TASKS 4000000000u
#define PSIM_LIMIT_EDGES 4000000000u
