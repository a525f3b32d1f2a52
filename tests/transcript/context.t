# Context parallelism: a sequence over several ranks, and what they exchange for attention.

$ plansim run --model llama-3-8b --hardware dgx-h100 --runtime nemo --gpus 16 --tp 2 --cp 4 --pp 2 --sequence-parallel --micro-batch 1 --global-batch 32 | sed -n '/^plan/,/^where/p'
plan
  8.03 B parameters (llama-3-8b), bf16, sequence 8192; 16 GPUs h100-sxm5-80gb (dgx-h100), runtime
    nemo
  DP 1 x PP 2 x CP 4 x TP 2; 32 microbatches a pipeline: global batch 32 / (DP 1 x micro batch 1)
  layers a stage: 16; schedule 1f1b, recompute none, ZeRO stage 0, sequence parallel

where the step goes, mean over ranks

# What the four kinds cost where links are slow: a ring hides most, a gather nothing.

$ for kind in p2p all-gather all-gather-ring a2a; do plansim run --model llama-3-8b --hardware a100-pcie-80gb-x8 --runtime nemo --gpus 4 --cp 4 --micro-batch 1 --global-batch 4 --zero 1 --set /parallel/context_communication=$kind --json | python3 -c 'import json,sys; r=json.load(sys.stdin); c=[c for c in r["collectives"] if c["group"]=="cp"][0]; print("%-28s %4d x %5.1f MB  %.3f s, exposed %.3f s; peak %.1f GB" % (c["kind"], c["count"], c["bytes"]/1e6, c["time_s"], c["exposed_s"], r["verdict"]["worst_peak_bytes"]/1e9))'; done
send                          768 x  12.6 MB  0.508 s, exposed 0.219 s; peak 68.3 GB
all-gather + reduce-scatter   384 x  33.6 MB  0.532 s, exposed 0.532 s; peak 68.3 GB
all-gather + send             640 x  18.5 MB  0.526 s, exposed 0.257 s; peak 68.3 GB
all-to-all                    512 x  21.0 MB  0.609 s, exposed 0.609 s; peak 68.3 GB

# FLOPs are the same whoever does them; the global batch does not grow.

$ for cp in 1 2 4 8; do plansim run --model llama-3-8b --hardware dgx-h100 --runtime nemo --gpus 8 --cp $cp --micro-batch 1 --global-batch 8 --zero 1 --json | python3 -c 'import json,sys; r=json.load(sys.stdin); p=r["plan"]; s=r["stages"][0]; print(p["cp"], p["dp"], p["num_microbatches"], round(r["model"]["flops_per_token_hardware"]), "%.2f GB of activations" % (s["activations_bytes"]/1e9), "%.2f GB of optimizer" % (s["optimizer_bytes"]/1e9))'; done
1 8 1 57912852480 37.38 GB of activations 12.05 GB of optimizer
2 4 2 57912852480 18.69 GB of activations 12.05 GB of optimizer
4 2 4 57912852480 9.34 GB of activations 12.05 GB of optimizer
8 1 8 57912852480 4.67 GB of activations 12.05 GB of optimizer

# Contradictions name the nearest values.

$ plansim run --model llama-3-8b --hardware dgx-h100 --gpus 24 --tp 2 --cp 3 --pp 2
--set /parallel/context=3: /parallel/context: is 3; a sequence of 8192 does not divide into 6 chunks, two a rank where attention is causal; nearest: 8190 or 8196 tokens
? 3

$ plansim run --model llama-3-8b --hardware dgx-h100 --gpus 12 --tp 2 --cp 4
--set /gpus=12: /gpus: is 12; tensor 2 x context 4 x pipeline 1 = 8 does not divide it; nearest: 8 or 16
? 3

$ plansim run --model llama-3-8b --hardware dgx-h100 --gpus 32 --tp 4 --cp 4 --set /parallel/context_communication=a2a
--set /parallel/context_communication=a2a: /parallel/context_communication: is "a2a"; 32 heads and 8 key-value heads do not both divide over tensor 4 x context 4 = 16 ranks; use p2p
? 3

# Where the exposed time comes from.

$ plansim show why step.breakdown_s.cp_exposed --model llama-3-8b --hardware a100-pcie-80gb-x8 --runtime nemo --gpus 8 --cp 8 --micro-batch 1 --global-batch 4 --zero 1 | sed -n '1,/^constants/p'
step.breakdown_s.cp_exposed = 392 ms, mean over ranks

formula
  microbatches x layers x what a layer exchanges: of keys and values that go round a ring,
    max(transfer - attention of a step, 0); of a gather, scatter or all-to-all the whole, or what
    the first step does not hide

collectives of the busiest rank, a step
  what  group  GPUs  path       payload     one  count     all  exposed
  send  cp        8  in a node  6.29 MB  341 us   1792  611 ms   392 ms

collectives of one layer, one microbatch, one rank: 4.77 ms
  kernel   pass  times   each   FLOP  bytes    reaches  bound by
                           us  GFLOP     MB
  cp-send  F         1  234.0      0   4.19  17.9 GB/s  link
  cp-send  F         6  234.0      0   4.19  17.9 GB/s  link
  cp-send  I         1  448.0      0   8.39  18.7 GB/s  link
  cp-send  I         6  448.0      0   8.39  18.7 GB/s  link

inputs
  input                            value  from
  /parallel/context                8      given
  /parallel/context_communication  p2p    default: as the runtime has it
  /batch/micro                     1      given
  /parallel/tensor                 1      default
  /runtime                         nemo   given

constants

# A search holds it, and the command it prints has it.

$ plansim search --model llama-3-8b --hardware dgx-h100 --cp 2 --gpus 16 --global-batch 32 --keep recompute=none --keep zero=1 --schedule 1f1b --top 1 --explain 0 | sed -n '1,2p'
Best: 1.531 s a step (1.3 to 1.8), 10704.8 tokens/s a GPU, MFU 62.7 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 1 --pp 1 --dp 8 --cp 2 --micro-batch 1 --global-batch 32 --schedule 1f1b:1 --recompute none --zero 1 --runtime megatron --precision bf16

$ plansim search --model llama-3-8b --hardware dgx-h100 --set /parallel/data=2 --gpus 16
plansim search: --set /parallel/data: the search decides it; use --gpus, --keep tp=N and --keep pp=N
? 2

# A stack without fused attention cannot join the parts of a sequence, and is not offered.
$ plansim run --model llama-3-8b --hardware dgx-h100 --gpus 8 --tp 2 --cp 2 --dp 2 --global-batch 16 --sensitivity --json | python3 -c 'import json,sys; r=json.load(sys.stdin); print(sorted(s["runtime"] for s in r["other_stacks"]))'
['ideal', 'llm-foundry-2023', 'nanotron', 'nemo', 'pytorch-fsdp', 'torchtitan']

# What is exposed of the data group is told once, shared by its kinds.
$ plansim run --model llama-3-8b --hardware dgx-h100 --gpus 8 --tp 2 --cp 2 --dp 2 --zero 1 --global-batch 16 --json | python3 -c 'import json,sys; r=json.load(sys.stdin); print(round(sum(c["exposed_s"] for c in r["collectives"] if c["group"] == "dp") - r["step"]["breakdown_s"]["dp_exposed"], 9))'
0.0

# The communicators of a rank: tensor, context, all shards, and those that share gradients.
$ plansim show why stages.communicators_bytes --model llama-3-8b --hardware dgx-h100 --gpus 8 --tp 2 --cp 2 --dp 2 --global-batch 16 | sed -n '/^formula/,/^$/p'
formula
  groups of the rank (tensor, pipeline, context, all shards of a model, and, where that is not all
    ranks, the ranks that share gradients) x channels of NCCL x 3 connections x 9.6 MB; here 4
    groups of 16 channels
