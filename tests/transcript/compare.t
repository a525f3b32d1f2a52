# One plan under several schedules; what is not valid for it is said with its reason.
$ plansim compare gpt-48-layers-m8 --schedule gpipe,1f1b,pipedream,dualpipe
gpt-48-layers-m8: gpt-48-layers on 4 GPUs dgx-a100-80gb, DP 1 x PP 4 x TP 1, 8 microbatches
fastest that fits: dualpipe, 296 ms a step

  schedule     step  to best   bubble  to busy  own span  formula  unit times  peak  least  weights  sent  fits
                              of step                     of step    of total    GB     GB   copies    GB
  gpipe      376 ms    1.269    27.3%    37.5%     27.3%    27.3%       27.3%  26.0   26.0     1.00  0.00  yes
  1f1b       376 ms    1.269    27.3%    37.5%     27.3%    27.3%       27.3%  19.1   14.0     1.00  0.00  yes
  pipedream  376 ms    1.269    27.3%    37.5%     27.3%    27.3%       27.3%  22.7   14.0     2.50  0.00  yes
  dualpipe   296 ms    1.000     7.7%     8.3%      7.7%     7.7%        7.7%  31.7   31.7     2.00  0.00  yes

bubble: waiting that no communication of the rank explains, mean over ranks, as share of the step
and in proportion to the busy time; own span: the worst rank between its first and last operation;
formula: closed form for equal stages and free communication; unit times: the schedule alone with F
= I = W; least: the emptiest stage's peak; sent: between stages by the busiest rank, a step.

notes
  - pipedream: gradients are p-1-rank updates old, unlike those of a synchronous schedule
  - pipedream: the schedule has no flush: the step told here fills and drains the pipeline once, as
    a run does only at its start and end; in between a step takes 274 ms
  - dualpipe: the published bubble (PP/2-1)(F&B+B-3W) holds only for tF = tI, tW <= tF and a pair as
    long as F + B; for tW <= tI <= tF it is (PP/2-1)(F&B+F-2W)

# The same for scripts.
$ plansim compare gpt-48-layers-m8 --schedule gpipe,1f1b --json
{
  "schema": "plansim.comparison/1",
  "candidates": [
    {
      "label": "gpipe",
      "refused": null,
      "fits": true,
      "step_s": 0.376127294752,
      "step_ps": 376127294752,
      "step_to_best": 1,
      "bubble_fraction": 0.2727272727272727,
      "bubble_ratio_to_ideal": 0.375,
      "bubble_own_span_fraction": 0.2727272727272727,
      "ideal_bubble_fraction": 0.2727272727272727,
      "unit_bubble_fraction": 0.2727272727272727,
      "unit_peak_chunks": 8,
      "peak_bytes_max": 25954861056,
      "peak_bytes_min": 25954861056,
      "weight_copies": 1,
      "send_bytes": 0,
      "stage_peak_bytes": [25954861056, 25954861056, 25954861056, 25954861056],
      "notes": []
    },
    {
      "label": "1f1b",
      "refused": null,
      "fits": true,
      "step_s": 0.376127294752,
      "step_ps": 376127294752,
      "step_to_best": 1,
      "bubble_fraction": 0.2727272727272727,
      "bubble_ratio_to_ideal": 0.375,
      "bubble_own_span_fraction": 0.2727272727272727,
      "ideal_bubble_fraction": 0.2727272727272727,
      "unit_bubble_fraction": 0.2727272727272727,
      "unit_peak_chunks": 4,
      "peak_bytes_max": 19109756928,
      "peak_bytes_min": 13975928832,
      "weight_copies": 1,
      "send_bytes": 0,
      "stage_peak_bytes": [19109756928, 17398480896, 15687204864, 13975928832],
      "notes": []
    }
  ]
}

$ plansim compare gpt-48-layers-m8 gpt-48-layers-m32 --format markdown
| schedule | step | to best | bubble (of step) | to busy | own span | formula (of step) | unit times (of total) | peak (GB) | least (GB) | weights (copies) | sent (GB) | fits |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
| gpt-48-layers-m8 | 376 ms | 1.000 | 27.3% | 37.5% | 27.3% | 27.3% | - | 26.0 | 26.0 | 1.00 | 0.00 | yes |
| gpt-48-layers-m32 | 1.20 s | 3.182 | 8.6% | 9.4% | 8.6% | 8.6% | - | 67.0 | 67.0 | 1.00 | 0.00 | yes |

# Options hold for every plan; nothing is dropped in silence.
$ plansim compare gpt-48-layers-m8 gpt-48-layers-m32 --schedule gpipe,1f1b
plansim compare: several plans take one --schedule; several schedules take one plan
? 2

$ plansim compare gpt-48-layers-m8 gpt-48-layers-m32 --schedule 1f1b --format markdown
| schedule | step | to best | bubble (of step) | to busy | own span | formula (of step) | unit times (of total) | peak (GB) | least (GB) | weights (copies) | sent (GB) | fits |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
| gpt-48-layers-m8 | 376 ms | 1.000 | 27.3% | 37.5% | 27.3% | 27.3% | - | 19.1 | 14.0 | 1.00 | 0.00 | yes |
| gpt-48-layers-m32 | 1.20 s | 3.182 | 8.6% | 9.4% | 8.6% | 8.6% | - | 19.1 | 14.0 | 1.00 | 0.00 | yes |

$ plansim compare gpt-48-layers-m8 --schedule ''
plansim compare: --schedule names nothing
? 2

$ plansim compare gpt-48-layers-m8 --schedule 1f1b,,gpipe
plansim compare: --schedule "1f1b,,gpipe" has an empty name
? 2

$ plansim compare gpt-48-layers-m8 --schedule seq1f1b,1f1b --set /schedule/slices=2
gpt-48-layers-m8: gpt-48-layers on 4 GPUs dgx-a100-80gb, DP 1 x PP 4 x TP 1, 8 microbatches
fastest that fits: seq1f1b, 325 ms a step

  schedule    step  to best   bubble  to busy  own span  formula  unit times  peak  least  weights  sent  fits
                             of step                     of step    of total    GB     GB   copies    GB
  seq1f1b   325 ms    1.000    15.8%    18.8%     15.8%    15.8%       15.8%  16.5   14.0     1.00  0.00  yes

bubble: waiting that no communication of the rank explains, mean over ranks, as share of the step
and in proportion to the busy time; own span: the worst rank between its first and last operation;
formula: closed form for equal stages and free communication; unit times: the schedule alone with F
= I = W; least: the emptiest stage's peak; sent: between stages by the busiest rank, a step.

notes
  - seq1f1b: slices of equal length take unequal times, since attention of a later one is longer

not valid for this plan
  - 1f1b: is 2; 1f1b does not slice microbatches

$ plansim run gpt-48-layers-m8 --set /schedule/slices=3
--set /schedule/slices=3: /schedule/slices: is 3; gpipe does not slice microbatches
? 3

$ plansim compare gpt-48-layers-m8 --schedule pipedream --json | grep -A3 notes
      "notes": [
        "gradients are p-1-rank updates old, unlike those of a synchronous schedule",
        "the schedule has no flush: the step told here fills and drains the pipeline once, as a run does only at its start and end; in between a step takes 274 ms"
      ]
