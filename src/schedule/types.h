/* SPDX-License-Identifier: MIT */
/* types.h: the registry: the schedules there are, one file each; internal to this layer
 *
 * To add one: a new file with a PsimScheduleType, listed in meson.build, and one line here, in the
 * place where people should meet it: from the baseline to the elaborate.
 */
#pragma once

#include "schedule/schedule.h"

G_BEGIN_DECLS

/* ENTRY(identifier, name on the command line) */
#define PSIM_SCHEDULE_REGISTRY(ENTRY)                                                              \
    ENTRY(naive, "naive")                                                                          \
    ENTRY(gpipe, "gpipe")                                                                          \
    ENTRY(gpipe_lifo, "gpipe-lifo")                                                                \
    ENTRY(one_f_one_b, "1f1b")                                                                     \
    ENTRY(eager_one_f_one_b, "eager-1f1b")                                                         \
    ENTRY(interleaved, "interleaved")                                                              \
    ENTRY(looped_bfs, "looped-bfs")                                                                \
    ENTRY(zb_h1, "zb-h1")                                                                          \
    ENTRY(zb_h2, "zb-h2")                                                                          \
    ENTRY(interleaved_zero_bubble, "interleaved-zb")                                               \
    ENTRY(zb_v, "zb-v")                                                                            \
    ENTRY(v_half, "v-half")                                                                        \
    ENTRY(v_min, "v-min")                                                                          \
    ENTRY(dualpipe, "dualpipe")                                                                    \
    ENTRY(dualpipe_v, "dualpipe-v")                                                                \
    ENTRY(chimera, "chimera")                                                                      \
    ENTRY(gems, "gems")                                                                            \
    ENTRY(hanayo, "hanayo")                                                                        \
    ENTRY(terapipe, "terapipe")                                                                    \
    ENTRY(seq1f1b, "seq1f1b")                                                                      \
    ENTRY(pipedream, "pipedream")                                                                  \
    ENTRY(pipedream_2bw, "pipedream-2bw")                                                          \
    ENTRY(bpipe, "bpipe")                                                                          \
    ENTRY(automatic, "auto")

#define PSIM_SCHEDULE_DECLARE(identifier, word)                                                    \
    extern const PsimScheduleType psim_##identifier##_type;
PSIM_SCHEDULE_REGISTRY(PSIM_SCHEDULE_DECLARE)

G_END_DECLS
