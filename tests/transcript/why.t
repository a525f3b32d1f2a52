# A step of (m + p - 1) x 120 ms = 600 ms: where the number comes from.
$ plansim show why step.time_s tests/transcript/bare.json
step.time_s = 600 ms, by replay of the plan's operations

formula
  when the last task of the replayed graph ends: each rank's operations in the schedule's order,
    each after what it needs, transfers and collectives on streams of their own; whole picoseconds,
    so the parts sum to it

parts, each explained under its own name
  part                           time  share
  step.breakdown_s.compute     480 ms  80.0%
  step.breakdown_s.recompute      0 s   0.0%
  step.breakdown_s.tp_exposed     0 s   0.0%
  step.breakdown_s.pp_exposed     0 s   0.0%
  step.breakdown_s.cp_exposed     0 s   0.0%
  step.breakdown_s.ep_exposed     0 s   0.0%
  step.breakdown_s.dp_exposed     0 s   0.0%
  step.breakdown_s.bubble      120 ms  20.0%
  step.breakdown_s.optimizer      0 s   0.0%
  step.breakdown_s.other          0 s   0.0%

uncertainty
  450 ms to 750 ms: 2.2 times the mean error of the GEMM constants on rows they were not fitted to,
    which holds nine in ten of them (25% where it is unknown), on what is not communication; and 22%
    of exposed communication

inputs
  input               value  from
  /parallel/pipeline  2      given
  /schedule/name      1f1b   given
  /schedule/chunks    1      default: as the schedule has it
  /batch/micro        1      given
  /batch/global       4      given
  /parallel/data      1      default: gpus / (tensor x pipeline)

constants
  - dense peak = 100 TFLOP/s [data sheet]: by hand
  - gemm.efficiency = 0.500 [measured]: a ruler
  - HBM bandwidth = 1 TB/s [data sheet]: source as dense peak
  - share of it by kernel = norm 0.80, elementwise 0.80, softmax 0.75, optimizer 0.80 [guess]: the
    default of a file that leaves it out
  - host dispatch = 0 us a layer's forward, shared among its kernels, 0 us a collective, 0 us a
    transfer that a rank waits for [guess]: by definition; states as in mixed precision (16-bit
    weights, fp32 gradients and Adam state)

go on with
  plansim show why step.breakdown_s.compute

# Down to the kernels, and what binds them.
$ plansim show why step.breakdown_s.compute tests/transcript/bare.json
step.breakdown_s.compute = 480 ms, mean over 2 ranks; 4 microbatches a step

formula
  microbatches x (F + B - recomputation) over the rank's stages, mean over ranks; F and B are sums
    over the kernels of their layers, each at least as long as the host needs to dispatch it

stages, one microbatch, one rank
   stage  layers        F        B  of it recomputation  TP beside F and B
  0 to 1       2  40.0 ms  80.0 ms                  0 s                0 s

kernels of one layer, one microbatch, one rank: 60.0 ms
  kernel  pass  times     each   FLOP  bytes       reaches  bound by
                            us  GFLOP     MB
  layer   F         1  20000.0   1000   1.00  50.0 TFLOP/s  FLOP/s
  layer   I         1  20000.0   1000   1.00  50.0 TFLOP/s  FLOP/s
  layer   W         1  20000.0   1000   1.00  50.0 TFLOP/s  FLOP/s

inputs
  input                        value  from
  /model                       model  given
  /hardware                    box    given
  /runtime                     ideal  given
  /precision                   fp16   given
  /batch/micro                 1      given
  /parallel/tensor             1      default
  /parallel/sequence_parallel  false  default
  /flash_attention             true   default: as the runtime has it
  /recompute                   none   default

constants
  - dense peak = 100 TFLOP/s [data sheet]: by hand
  - gemm.efficiency = 0.500 [measured]: a ruler
  - HBM bandwidth = 1 TB/s [data sheet]: source as dense peak
  - share of it by kernel = norm 0.80, elementwise 0.80, softmax 0.75, optimizer 0.80 [guess]: the
    default of a file that leaves it out
  - host dispatch = 0 us a layer's forward, shared among its kernels, 0 us a collective, 0 us a
    transfer that a rank waits for [guess]: by definition; states as in mixed precision (16-bit
    weights, fp32 gradients and Adam state)

# The bubble, beside its closed form.
$ plansim show why pipeline.bubble_fraction tests/transcript/bare.json --global-batch 8
pipeline.bubble_fraction = 11.1%, idle / step, mean over ranks

formula
  time in which a rank waits for another's work, mean over ranks, over the step; waiting for a
    transfer or a collective is not bubble but exposed communication

closed form
  11.1% of the step, (p-1)/m of the ideal time: equal stages, free communication, p = 2, m = 8

ranks
  rank    busy    idle  idle / step  first starts  last ends
     0  960 ms  120 ms        11.1%           0 s     1.08 s
     1  960 ms  120 ms        11.1%       40.0 ms        1 s

inputs
  input               value  from
  /parallel/pipeline  2      given
  /schedule/name      1f1b   given
  /schedule/chunks    1      default: as the schedule has it
  /batch/micro        1      given
  /batch/global       8      given
  /parallel/data      1      default: gpus / (tensor x pipeline)

go on with
  plansim show why step.breakdown_s.compute, for the times of the stages

# Bytes of a stage; of a transformer, tensor by tensor.
$ plansim show why 'stages[1].optimizer_bytes' tests/transcript/bare.json
stages[1].optimizer_bytes = 24.0 MB, on stage 1

formula
  parameters of a rank x bytes of each = 2.00 M x 12 B

inputs
  input               value  from
  /runtime            ideal  given
  /zero_stage         0      default
  /parallel/data      1      default: gpus / (tensor x pipeline)
  /parallel/tensor    1      default
  /parallel/pipeline  2      given

constants
  - bytes a parameter = 2 weights, 4 gradients, 12 optimizer; the step moves 0 [guess]: by
    definition; states as in mixed precision (16-bit weights, fp32 gradients and Adam state)

$ plansim show why stages.activations_bytes gpt3-175b-one-gpu | grep -A 7 '^one layer'
one layer, one microbatch, one rank: 101 MB kept; while its backward runs, 5.18 GB made again and 4.83 GB of gradients
  tensor                  bytes  until the backward
  norm input             101 MB  kept
  qkv input              101 MB  made again
  queries                101 MB  made again
  keys                   101 MB  made again
  values                 101 MB  made again
  softmax output        1.61 GB  made again

# A plan of options, as for run.
$ plansim show why model.params_total --model gpt2-xl --hardware dgx-a100-80gb --gpus 8 --micro-batch 1 --global-batch 8
model.params_total = 1.56 B

formula
  the elements of every matrix and vector of the model, by its shapes; a tied head is counted once

parts
  part       parameters  share
  embedding      82.0 M   5.3%
  attention       492 M  31.6%
  mlp             983 M  63.1%
  norms           310 k   0.0%
  head                0   0.0%
  other               0   0.0%

inputs
  input   value    from
  /model  gpt2-xl  given

# What has no derivation says so.
$ plansim show why step.tim_s tests/transcript/bare.json
no derivation of "step.tim_s"; did you mean "step.time_s"?
? 3

$ plansim show why weather tests/transcript/bare.json
no derivation of "weather"; known members are step.time_s, step.breakdown_s.compute, step.breakdown_s.recompute, step.breakdown_s.bubble, step.breakdown_s.optimizer, step.breakdown_s.other, pipeline.bubble_fraction, pipeline.bubble_s, pipeline.ideal_bubble_fraction, step.breakdown_s.tp_exposed, step.breakdown_s.pp_exposed, step.breakdown_s.dp_exposed, step.breakdown_s.cp_exposed, step.breakdown_s.ep_exposed, collectives, verdict.fits, verdict.margin_bytes, verdict.worst_peak_bytes, verdict.capacity_bytes, stages.params, stages.weights_bytes, stages.gradients_bytes, stages.optimizer_bytes, stages.activations_bytes, stages.logits_bytes, stages.comm_buffers_bytes, stages.overhead_bytes, stages.communicators_bytes, stages.peak_bytes, step.mfu_fraction, step.hfu_fraction, step.model_tflops_per_gpu, step.hw_tflops_per_gpu, step.tokens_per_s, run.cost, run.days, run.gpu_hours, model.params_total, model.flops_per_token_model
? 3

$ plansim show why 'stages[2].peak_bytes' tests/transcript/bare.json
"stages[2].peak_bytes" is beyond the last stage; must be from 0 to 1
? 3

$ plansim show why step.time_s
plansim show: neither PLAN nor --model and --hardware; "plansim list plans" lists plans
? 2

$ plansim show model gpt2-xl --tp 2
plansim show: --tp is for "show why"; --set replaces any member here
? 2

$ plansim show model gpt2-xl bare
plansim show: "bare" is one word too many; expected KIND NAME|FILE
? 2

# A measured step: half the peak would explain it, and so would half the efficiency.
$ plansim run tests/transcript/bare.json --measured-step 1.2s | sed -n '/^measured/,/^$/p' | grep .
measured 1.20 s a step, predicted 600 ms: 2.00 times the prediction
  as measured: 20.0 TFLOP/s a GPU, MFU 20.0%, 3.33 tokens/s
  one factor that explains it alone: matrix products at 0.500 of the modelled efficiency,
  0.250 of the peak instead of 0.500
  with this instead                               step  measured/step
  half the peak: the figure counts sparsity     1.20 s           1.00  within 5%
  one microbatch in the pipeline at a time      960 ms           1.25
  recompute full                                800 ms           1.50
  twice the micro batch, half the microbatches  720 ms           1.67
  products in fp32                              2.40 s           0.50
  twice the peak: the figure is too low         300 ms           4.00

$ plansim run tests/transcript/bare.json --measured-tflops 20 --json | python3 -c 'import json,sys; m=json.load(sys.stdin)["measured"]; print(m["step_s"], m["ratio"], round(m["efficiency_factor"], 4), m["explanations"][0]["change"])'
1.2 2 0.5 half the peak: the figure counts sparsity

$ plansim run tests/transcript/bare.json --measured-step 15.1
measured step: "15.1" has no unit; must be a time such as "4.5 us"
? 3

# Which inputs move it.
$ plansim run tests/transcript/bare.json --sensitivity | sed -n '/^what moves/,/^$/p' | grep .
what moves the answer, each input alone, by running the plan again
  input                     now      lower    step     higher   step   elasticity  verdict
                                                                      of the step  of one of them
  gemm_efficiency         0.500      0.450   11.1%      0.550  -9.1%       -1.000
  microbatches                4          3  -20.0%          5  20.0%        0.794
  pp_for_dp                   2          1  -20.0%          -      -        0.322
  micro_batch                 1          -       -          2  20.0%        0.263
  hbm_bandwidth       1.00 TB/s   900 GB/s    0.0%  1.10 TB/s   0.0%        0.000
  memory_capacity       40.0 GB    36.0 GB    0.0%    44.0 GB   0.0%        0.000
  scale_up_bandwidth   100 GB/s  90.0 GB/s    0.0%   110 GB/s   0.0%        0.000

$ plansim run tests/transcript/bare.json --sensitivity --json | python3 -c 'import json,sys; r=json.load(sys.stdin); print([(s["input"], round(s["elasticity"], 3)) for s in r["sensitivity"]][:3]); print("megatron" in [s["runtime"] for s in r["other_stacks"]])'
[('gemm_efficiency', -1.0), ('microbatches', 0.794), ('pp_for_dp', 0.322)]
True

# Not every layer, and several at once.
$ plansim show why stages.activations_bytes --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 2 --pp 4 --global-batch 64 --recompute full --set /recompute_layers=3 --set /recompute_group=2 | grep 'runs; here\|layers; another\|layers one input'
    runs; here 4 in flight x 8 layers (recompute full, the first 3 layers of a stage, 2 at once), at
  that is of the first 3 layers; another keeps 705 MB
  of 2 layers one input is kept, and all of them are whole while their backward runs
