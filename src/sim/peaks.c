/* SPDX-License-Identifier: MIT */
#include "sim/peaks.h"

#include <string.h>

static void
hold_ops(const PsimProgram *program,
         const PsimWorkload *work,
         uint32_t begin,
         uint32_t end,
         PsimPeak *peaks)
{
    for (uint32_t i = begin; i < end; i++) {
        const PsimProgramOp *op = &program->ops[i];
        const PsimOpWork *of =
            &work->stages[op->recipe / PSIM_N_OP_KINDS].op[op->recipe % PSIM_N_OP_KINDS];
        PsimPeak *peak = &peaks[op->rank];

        peak->period_bytes =
            MAX(peak->period_bytes, peak->held_bytes + of->start_bytes + of->working_bytes);
        peak->held_bytes += of->start_bytes - of->end_bytes;
    }
}

/* A loop's last period is as much above its first as what each period leaves behind, times their
 * number. */
static void
hold_loop(const PsimProgram *program,
          const PsimWorkload *work,
          const PsimProgramLoop *loop,
          PsimPeak *peaks)
{
    const uint32_t n_ranks = program->order.n_ranks;

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        PsimPeak *peak = &peaks[rank];

        peak->peak_bytes = MAX(peak->peak_bytes, peak->period_bytes);
        peak->period_bytes = 0;
        peak->before_bytes = peak->held_bytes;
    }
    hold_ops(program, work, loop->begin, loop->end, peaks);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        PsimPeak *peak = &peaks[rank];
        const int64_t more =
            (peak->held_bytes - peak->before_bytes) * ((int64_t)loop->n_periods - 1);

        peak->peak_bytes = MAX(peak->peak_bytes, peak->period_bytes + MAX(more, 0));
        peak->held_bytes += more;
    }
}

void
psim_peaks_find(const PsimProgram *program, const PsimWorkload *work, PsimPeak *ret_peaks)
{
    const uint32_t n_ranks = program->order.n_ranks;
    uint32_t next = 0;

    memset(ret_peaks, 0, n_ranks * sizeof *ret_peaks);
    for (uint32_t i = 0; i < program->n_loops; i++) {
        hold_ops(program, work, next, program->loops[i].begin, ret_peaks);
        hold_loop(program, work, &program->loops[i], ret_peaks);
        next = program->loops[i].end;
    }
    hold_ops(program, work, next, program->n_ops, ret_peaks);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        ret_peaks[rank].peak_bytes = MAX(ret_peaks[rank].peak_bytes, ret_peaks[rank].period_bytes);
}
