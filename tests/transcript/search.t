# The best plans of a space. Small spaces, so that it is quick.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 3 --keep tp=2,4
Best: 6.273 s a step (5.1 to 7.4), 10447.2 tokens/s a GPU, MFU 61.2 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 2 --pp 1 --dp 8 --micro-batch 2 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.273    10447.2  61.2        4.3    2    1     8     2      8  1f1b:1           none          1 y 
     6.337    10341.6  60.5       17.4    2    1     8     2      8  1f1b:1           none          2 y 
     6.431    10190.2  59.6       23.4    2    1     8     2      8  1f1b:1           none          3 y 

Less memory for more time (Pareto front, 12 of 20)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.273    10447.2  61.2        4.3    2    1     8     2      8  1f1b:1           none          1 y 
     6.337    10341.6  60.5       17.4    2    1     8     2      8  1f1b:1           none          2 y 
     6.476    10119.7  59.2       26.5    2    1     8     1     16  1f1b:1           none          1 y 
     6.810     9623.8  56.3       45.6    2    1     8     1     16  1f1b:1           none          3 y 
     7.087     9246.9  54.1       45.6    2    1     8     1     16  1f1b:1           selective     3 y 
     7.883     8313.4  48.7       45.9    4    1     4     2     16  1f1b:1           selective     3 y 
     8.158     8033.3  47.0       54.4    4    1     4     1     32  1f1b:1           none          2 y 
     8.376     7823.9  45.8       55.7    2    1     8     2      8  1f1b:1           full          3 y 
     8.422     7781.8  45.5       56.0    4    2     2     1     64  1f1b:1           none          1 y 
     8.815     7434.4  43.5       57.0    4    1     4     1     32  1f1b:1           selective     3 y 
    10.029     6534.8  38.3       62.0    4    1     4     2     16  1f1b:1           full          3 y 
    11.175     5864.3  34.3       65.0    4    1     4     1     32  1f1b:1           full          3 y 

One step away from the best
  tp 1, dp 16              does not fit: 139.2 GiB of 78.0 GiB
  tp 4, dp 4               +16.7 %: kernels and collectives take 16.7 % more
  pp 2, dp 4               +12.3 %: bubble 11.0 % instead of 0.0 %
  micro batch 1            +3.2 %: kernels and collectives take 3.2 % more
  micro batch 4            does not fit: 118.0 GiB of 78.0 GiB
  recompute selective      +4.3 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +31.0 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 112.9 GiB of 78.0 GiB
  no sequence parallelism  does not fit: 82.1 GiB of 78.0 GiB

33600 candidates: 18780 against the rules, 13050 like another, 835 too large, 430 cannot win by their lower bound; 505 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 2 --keep tp=2 --csv
ordinal,hardware,gpus,tp,pp,dp,schedule,chunks,micro_batch,global_batch,microbatches,recompute,zero_stage,sequence_parallel,balanced,step_ps,tokens_per_s,mfu_fraction,peak_bytes,capacity_bytes,days,gpu_hours,usd,mwh
1288,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,1,1,0,6273056649590,167155.51262693183,0.61151029310581428,79118167490.56,83738230784,,,,
2128,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,2,1,0,6337110777238,165465.94131924215,0.60532928100904637,65064744386.56,83738230784,,,,

$ plansim search --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --global-batch 16
No plan fits.

What would make one
with 59.3 GiB a GPU instead of 38.3: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --tp 2 --pp 1 --dp 1 --micro-batch 1 --global-batch 16 --schedule 1f1b:1 --recompute full --zero 0 --sequence-parallel --runtime megatron --precision bf16
with 4 GPUs: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 4 --tp 4 --pp 1 --dp 1 --micro-batch 1 --global-batch 16 --schedule 1f1b:1 --recompute none --zero 0 --runtime megatron --precision bf16

47040 candidates: 36960 against the rules, 5040 like another, 5040 too large, 0 cannot win by their lower bound; 0 simulated.
? 1

$ plansim search --model gpt3-175b --hardware dgx-h100 --gpus 512..1024 --global-batch 1536 --keep tp=8 --schedule 1f1b --for "300e9 tokens in 30 days" --failures 50000h,50GB/s,0.2h --top 1
Best: 14.431 s a step (11.7 to 17.2), 425.8 tokens/s a GPU, MFU 46.3 %, 15.9 days, 587.2 kUSD
  plansim run --model gpt3-175b --hardware dgx-h100 --gpus 512 --tp 8 --pp 4 --dp 16 --micro-batch 4 --global-batch 1536 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

With failures: one in 97.7 hours on 512 GPUs; a checkpoint of 2.44 TB takes 49 s
  write one every 97 min (Young 98, Daly 97, best simulated 97); goodput 98.2 %, 4 failures
  16.2 days (5 % to 95 %: 16.1 to 16.4), of 1000 simulated runs

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512    14.431   46.3    100.0     15.9     12.9 to 18.9       195.7      587.2     137.0  8 x 4 x 16, batch 1536
    1024     7.905   42.3     91.3      8.7      7.1 to 10.4       214.4      643.3     150.1  8 x 8 x 16, batch 1536
No knee up to 1024 GPUs: each still brings at least 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.431      425.8  46.3        1.3    8    4    16     4     24  1f1b:1           none          1 y      512  dgx-h100     15.9     587.2

Less memory for more time (Pareto front, 12 of 25)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.431      425.8  46.3        1.3    8    4    16     4     24  1f1b:1           none          1 y      512  dgx-h100     15.9     587.2
    14.572      421.6  45.9       21.4    8    4    16     2     48  1f1b:1           none          1 y      512  dgx-h100     16.1     592.9
    14.699      418.0  45.5       36.5    8    8     8     2     96  1f1b:1           none          1 y      512  dgx-h100     16.2     598.1
    15.049      408.3  44.4       43.9    8   16     4     2    192  1f1b:1           none          1 y      512  dgx-h100     16.6     612.4
    15.763      389.8  42.4       46.5    8    8     8     1    192  1f1b:1           none          1 y      512  dgx-h100     17.4     641.4
    15.892      386.6  42.1       47.3    8   32     2     2    384  1f1b:1           selective     1 y      512  dgx-h100     17.5     646.7
    16.828      365.1  39.7       57.4    8   32     2     1    768  1f1b:1           none          1 y      512  dgx-h100     18.6     684.8
     8.790      349.5  38.0       59.6    8   32     4     1    384  1f1b:1           none          1 y     1024  dgx-h100      9.7     715.4
    17.962      342.1  37.2       63.3    8    1    64     8      3  1f1b:1           full          3 y      512  dgx-h100     19.8     730.9
    22.484      273.3  29.7       66.7    8   32     2     1    768  1f1b:1           full          1 y      512  dgx-h100     24.8     914.9
    11.735      261.8  28.5       68.9    8   32     4     1    384  1f1b:1           full          1 y     1024  dgx-h100     13.0     955.0
    23.479      130.8  14.2       71.3    8    1   128     2      6  1f1b:1           full          3 y     1024  dgx-h100     25.9    1910.7

One step away from the best
  tp 4, dp 32              does not fit: 147.6 GiB of 78.0 GiB
  tp 16, dp 8              +16.5 %: kernels and collectives take 21.7 % more
  pp 2, dp 32              does not fit: 107.0 GiB of 78.0 GiB
  pp 8, dp 8               +2.6 %: bubble 14.5 % instead of 11.0 %
  micro batch 2            +1.0 %: kernels and collectives take 5.9 % more
  micro batch 8            does not fit: 116.8 GiB of 78.0 GiB
  schedule interleaved:2   does not fit: 91.7 GiB of 78.0 GiB
  schedule zb-h1:1         -5.0 %: bubble 6.2 % instead of 11.0 %
  recompute selective      +0.5 %: 0.5 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +35.0 %: 24.9 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 134.7 GiB of 78.0 GiB
  no sequence parallelism  does not fit: 158.9 GiB of 78.0 GiB

3840 candidates: 1974 against the rules, 738 like another, 747 too large, 0 cannot win by their lower bound; 381 simulated.

$ plansim search --model llama-3-8b --gpus 16
plansim search: --hardware is missing; a search needs --model and --hardware, or a PLAN
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100
plansim search: --gpus is missing; a number, a list or a range: 64,128 or 64..1024
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus many
plansim search: --gpus: "many" is not a list of numbers, such as 64,128 or 64..1024
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --keep depth=3
plansim search: --keep: "depth=3" is not tp=N,.., pp=N,.., micro-batch=N,.., recompute=WHAT,.., zero=STAGE,.. or sequence-parallel=yes
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --deadline 30d
plansim search: --deadline and --budget need --tokens
? 2

# What is asked in money needs prices.
$ plansim search --model llama-3-8b --hardware h100-96gb-500w-x8 --gpus 8 --global-batch 64 --tokens 1e11 --budget 10k
plansim search: --budget needs the price of a GPU hour, which h100-96gb-500w-x8 does not tell; use --usd-per-gpu-hour
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100,h100-96gb-500w-x8 --gpus 8 --global-batch 64 --tokens 1e11 --rank-by cost
plansim search: --rank-by cost needs the price of a GPU hour, which h100-96gb-500w-x8 does not tell; use --usd-per-gpu-hour
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --deadline soon
plansim search: --deadline: "soon" is not a time, such as 30d
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --for "a model"
plansim search: --for: "a model" is not "N tokens in TIME", such as "300e9 tokens in 30 days"
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --failures 50000h,50GB/s,0.2h
plansim search: --failures needs --tokens or --for
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule 1f1b,zip
plansim search: schedule "zip"; "plansim list schedules" lists them
? 2

# Chunks that no plan can have, in the words of run.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule interleaved:0
--set /schedule/chunks=0: /schedule/chunks: is 0; must be from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule 1f1b:0
--set /schedule/chunks=0: /schedule/chunks: is 0; must be from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule zb-v:0
--set /schedule/chunks=0: /schedule/chunks: is 0; must be from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule 1f1b,hanayo:0
--set /schedule/chunks=0: /schedule/chunks: is 0; must be from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule interleaved:x
--set /schedule/chunks=x: /schedule/chunks: must be a whole number from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule interleaved:
--set /schedule/chunks=: /schedule/chunks: must be a whole number from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule interleaved:-1
--set /schedule/chunks=-1: /schedule/chunks: is -1; must be from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule interleaved:4294967296
--set /schedule/chunks=4294967296: /schedule/chunks: is 4294967296; must be from 1 to 65535
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule 1f1b:3
--set /schedule/chunks=3: /schedule/chunks: is 3; schedule "1f1b" has 1 a rank
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule interleaved:1
--set /schedule={}: /schedule: interleaved has 1 chunk a rank; must be 2 or more, or schedule 1f1b
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule interleaved:65535
search:1:130: /parallel/pipeline: is 2; x chunks 65535 = 131070 stages; at most 65535 (PSIM_LIMIT_STAGES)
? 3

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --schedule=
plansim search: schedule ""; "plansim list schedules" lists them
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --rank-by speed
plansim search: ranking "speed"; must be one of step, throughput, cost, memory
? 2

$ plansim search --report missing.db
missing.db: unable to open database file
? 4

# BLOOM's question, with what its trainer had in 2022; plans/planning.md has the whole. It took about 3.5 months and
# 1,082,990 GPU-hours, 117.5 days of 384 GPUs (arXiv 2211.05100). The batch grows as in its launch script.
$ plansim search bloom-176b --schedule 1f1b --keep recompute=full --keep zero=1 --keep sequence-parallel=no --keep tp=4 --keep micro-batch=2 --rampup 192,16,9765625 --failures 43000h,57GB/s,1h --top 3
Best: 96.003 s a step (81.3 to 110.7), 113.8 tokens/s a GPU, MFU 39.5 %, 97.9 days, 1623.3 kUSD
  plansim run bloom-176b --gpus 384 --tp 4 --pp 12 --dp 8 --micro-batch 2 --global-batch 2048 --schedule 1f1b:1 --recompute full --zero 1 --balance --precision bf16

Ramp-up: batches of 192, then 16 more each time, 116 before the whole one,
  over 9765625 samples: 6.2 days; the whole batch takes 5.3 for as many

With failures: one in 112.0 hours on 384 GPUs; a checkpoint of 2.47 TB takes 43 s
  write one every 98 min (Young 98, Daly 98, best simulated 98); goodput 97.7 %, 22 failures
  100.2 days (5 % to 95 %: 99.6 to 100.9), of 1000 simulated runs

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP     days      kUSD
    96.003      113.8  39.5       36.4    4   12     8     2    128  1f1b:1 bal       full          1 -      97.9    1623.3
    96.907      112.7  39.1       47.1    4   24     4     2    256  1f1b:1 bal       full          1 -      98.7    1637.6
   126.097       86.6  30.0       46.6    4   48     2     2    512  1f1b:1 bal       full          1 -     128.1    2125.0

Less memory for more time (Pareto front, 2 of 2)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP     days      kUSD
    96.003      113.8  39.5       36.4    4   12     8     2    128  1f1b:1 bal       full          1 -      97.9    1623.3
    96.907      112.7  39.1       47.1    4   24     4     2    256  1f1b:1 bal       full          1 -      98.7    1637.6

One step away from the best
  tp 2, dp 16              +3.0 %: bubble 15.2 % instead of 8.9 %
  tp 8, dp 4               +5.6 %: kernels and collectives take 9.7 % more
  pp 6, dp 16              +0.6 %: kernels and collectives take 1.4 % more
  pp 24, dp 4              +0.9 %: bubble 9.3 % instead of 8.9 %
  micro batch 1            +1.0 %: kernels and collectives take 5.1 % more
  micro batch 4            +5.1 %: bubble 15.3 % instead of 8.9 %
  schedule zb-h1:1         -3.6 %: bubble 5.4 % instead of 8.9 %
  recompute none           does not fit: 199.5 GiB of 78.3 GiB
  recompute selective      -7.7 %: 0.8 % of its FLOPs are recomputation, here 24.6 %
  ZeRO 0                   does not fit: 80.9 GiB of 78.3 GiB
  sequence parallelism     -1.4 %: kernels and collectives take 1.4 % less

28 candidates: 23 against the rules, 0 like another, 2 too large, 0 cannot win by their lower bound; 3 simulated.

# GPT-3 175B on 1,024 A100: the whole space. TP 4, PP 8, 12 chunks is NVIDIA's own recipe for as many H100.
$ plansim search --model gpt3-175b --hardware dgx-a100-80gb --gpus 1024 --global-batch 1536 --top 2
Best: 17.256 s a step (14.6 to 19.9), 178.0 tokens/s a GPU, MFU 61.4 %
  plansim run --model gpt3-175b --hardware dgx-a100-80gb --gpus 1024 --tp 4 --pp 8 --dp 32 --micro-batch 2 --global-batch 1536 --schedule zb-v:2 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
    17.256      178.0  61.4        0.8    4    8    32     2     24  zb-v:2           none          1 y 
    17.336      177.2  61.1       21.1    4    8    32     1     48  zb-v:2           none          1 y 

Less memory for more time (Pareto front, 12 of 44)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
    17.256      178.0  61.4        0.8    4    8    32     2     24  zb-v:2           none          1 y 
    17.832      172.3  59.4       36.1    4   16    16     1     96  zb-v:2           none          1 y 
    19.077      161.0  55.6       44.5    8   16     8     2     96  zb-v:2           none          1 y 
    19.437      158.1  54.5       47.3    8    8    16     1     96  zb-v:2           none          1 y 
    20.074      153.0  52.8       54.8    8   16     8     1    192  zb-v:2           selective     1 y 
    22.309      137.7  47.5       59.1    8   32     4     1    384  1f1b:1           selective     1 y 
    23.697      129.6  44.7       60.7   16    8     8     1    192  zb-h1:1          none          1 y 
    24.718      124.3  42.9       64.5   16   16     4     1    384  1f1b:1           none          1 y 
    25.626      119.9  41.4       65.5   16   32     2     1    768  zb-h1:1          selective     1 y 
    29.896      102.8  35.5       69.7   16    1    64     8      3  1f1b:1           full          3 y 
    40.507       75.8  26.2       71.7   16   64     1     2    768  1f1b:1 bal       full          0 y 
    93.477       32.9  11.3       73.1   32    1    32     1     48  1f1b:1           full          3 y 

One step away from the best
  tp 2, dp 64              does not fit: 145.5 GiB of 78.3 GiB
  tp 8, dp 16              +7.4 %: kernels and collectives take 9.9 % more
  pp 4, dp 64              does not fit: 107.8 GiB of 78.3 GiB
  pp 16, dp 16             +3.1 %: bubble 11.4 % instead of 7.8 %
  micro batch 1            +0.5 %: kernels and collectives take 2.6 % more
  micro batch 4            does not fit: 115.1 GiB of 78.3 GiB
  schedule 1f1b:1          +26.7 %: bubble 27.6 % instead of 7.8 %
  schedule interleaved:2   does not fit: 93.7 GiB of 78.3 GiB
  schedule zb-h1:1         +7.0 %: bubble 12.9 % instead of 7.8 %
  recompute selective      +0.6 %: 0.5 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +35.1 %: 24.9 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 140.1 GiB of 78.3 GiB
  no sequence parallelism  does not fit: 113.4 GiB of 78.3 GiB

188160 candidates: 128181 against the rules, 27237 like another, 28590 too large, 3294 cannot win by their lower bound; 858 simulated.

# A price that is given, a power cap, a list to keep, two plans explained; where more GPUs stop helping.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 512..4096 --global-batch 1024 --keep tp=1,2 --keep recompute=none,selective --tokens 1T --usd-per-gpu-hour 2.5 --max-power 3MW --top 2 --explain 2
Best: 1.492 s a step (1.2 to 1.8), 10983.8 tokens/s a GPU, MFU 64.3 %, 2.1 days, 63.2 kUSD
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 512 --tp 1 --pp 1 --dp 512 --micro-batch 1 --global-batch 1024 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 2.50 USD a GPU-hour (as given)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512     1.492   64.3    100.0      2.1       1.7 to 2.4        25.3       63.2      17.7  1 x 1 x 512, batch 1024
    1024     0.766   62.6     97.3      1.1       0.9 to 1.3        26.0       65.0      18.2  1 x 1 x 1024, batch 1024
    2048     0.452   53.0     82.5      0.6       0.5 to 0.7        30.7       76.6      21.5  2 x 1 x 1024, batch 1024
    4096     0.409   29.3     45.5      0.6       0.5 to 0.7        55.5      138.9      38.9  2 x 2 x 1024, batch 1024
Knee at 2048 GPUs: beyond, one brings less than 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
     1.492    10983.8  64.3       18.4    1    1   512     1      2  1f1b:1           none          2 -      512  dgx-h100      2.1      63.2
     1.529    10716.8  62.7       32.4    1    1   512     1      2  1f1b:1           none          3 -      512  dgx-h100      2.1      64.8

Less memory for more time (Pareto front, 12 of 26)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
     1.492    10983.8  64.3       18.4    1    1   512     1      2  1f1b:1           none          2 -      512  dgx-h100      2.1      63.2
     0.781    10484.6  61.4       32.5    1    1  1024     1      1  1f1b:1           none          3 -     1024  dgx-h100      1.1      66.2
     1.679     9756.4  57.1       46.8    2    1   256     1      4  1f1b:1           none          2 y      512  dgx-h100      2.3      71.2
     1.752     9350.6  54.7       53.8    2    1   256     1      4  1f1b:1           none          3 y      512  dgx-h100      2.4      74.3
     0.485     8444.6  49.4       54.0    2    1  1024     1      1  1f1b:1           none          3 y     2048  dgx-h100      0.7      82.2
     2.735     5990.0  35.1       54.0    2    8    32     1     32  1f1b:1           none          1 y      512  dgx-h100      3.8     115.9
     0.717     5709.2  33.4       55.6    2    8   128     1      8  zb-v:2           none          1 y     2048  dgx-h100      1.0     121.6
     0.444     4609.0  27.0       57.2    2    4   512     1      2  zb-v:2           none          1 y     4096  dgx-h100      0.6     150.7
     0.537     3811.5  22.3       60.8    2    8   256     1      4  zb-v:2           selective     1 y     4096  dgx-h100      0.7     182.2
     0.664     3082.2  18.0       63.1    2    8   256     1      4  1f1b:1           none          1 y     4096  dgx-h100      0.9     225.3
     0.808     2535.2  14.8       64.3    2   16   128     1      8  1f1b:1           none          1 y     4096  dgx-h100      1.1     273.9
     1.090     1878.0  11.0       64.9    2   32    64     1     16  1f1b:1           selective     1 y     4096  dgx-h100      1.5     369.8

One step away from the best
  tp 2, dp 256             +13.3 %: kernels and collectives take 13.3 % more
  pp 2, dp 256             +29.4 %: bubble 23.3 % instead of 0.0 %
  micro batch 2            does not fit: 103.9 GiB of 78.0 GiB
  recompute selective      +4.5 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +28.8 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 179.0 GiB of 78.0 GiB
  ZeRO 1                   does not fit: 89.4 GiB of 78.0 GiB

One step away from number 2
  tp 2, dp 256             +15.3 %: kernels and collectives take 15.3 % more
  pp 2, dp 256             +29.4 %: bubble 23.1 % instead of 0.0 %
  micro batch 2            does not fit: 89.9 GiB of 78.0 GiB
  recompute selective      +4.4 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +28.1 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 179.0 GiB of 78.0 GiB
  ZeRO 1                   does not fit: 89.4 GiB of 78.0 GiB

143360 candidates: 119700 against the rules, 19350 like another, 2384 too large, 147 cannot win by their lower bound; 1779 simulated.

# Weak scaling: so many samples a GPU.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 8..32 --global-batch 2/gpu --keep recompute=none --top 1 --explain 0
Best: 1.479 s a step (1.2 to 1.7), 11078.2 tokens/s a GPU, MFU 64.8 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 32 --tp 1 --pp 1 --dp 32 --micro-batch 1 --global-batch 64 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
       8     1.489   64.4    100.0        -                -           -          -         -  1 x 1 x 8, batch 16
      16     1.482   64.7    100.5        -                -           -          -         -  1 x 1 x 16, batch 32
      32     1.479   64.8    100.6        -                -           -          -         -  1 x 1 x 32, batch 64
No knee up to 32 GPUs: each still brings at least 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware   batch
     1.479    11078.2  64.8       14.9    1    1    32     1      2  1f1b:1           none          2 -       32  dgx-h100      64

Less memory for more time (Pareto front, 12 of 29)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware   batch
     1.479    11078.2  64.8       14.9    1    1    32     1      2  1f1b:1           none          2 -       32  dgx-h100      64
     1.636    10016.8  58.6       29.3    2    1    16     1      4  1f1b:1           none          1 y       32  dgx-h100      64
     1.709     9587.3  56.1       45.6    2    1     8     1      4  1f1b:1           none          3 y       16  dgx-h100      32
     1.917     8547.5  50.0       50.1    4    1     8     2      4  1f1b:1           none          3 y       32  dgx-h100      64
     2.059     7957.1  46.6       58.1    4    1     8     1      8  1f1b:1           none          2 y       32  dgx-h100      64
     2.612     6272.7  36.7       61.3    8    1     4     2      8  1f1b:1           none          3 y       32  dgx-h100      64
     2.953     5548.0  32.5       62.9    8    2     1     1     32  interleaved:8    none          0 y       16  dgx-h100      32
     2.966     5524.1  32.3       65.5    8    1     4     1     16  1f1b:1           none          2 y       32  dgx-h100      64
     3.297     4969.5  29.1       67.4    8    4     1     1     64  1f1b:1           none          0 y       32  dgx-h100      64
     4.402     3721.9  21.8       68.1   16    1     2     1     32  1f1b:1           none          1 y       32  dgx-h100      64
     4.501     3639.9  21.3       69.6   16    2     1     1     64  interleaved:8    none          0 y       32  dgx-h100      64
     8.858     1849.5  10.8       71.0   32    1     1     1     64  1f1b:1           none          0 y       32  dgx-h100      64

141120 candidates: 109947 against the rules, 28083 like another, 1966 too large, 168 cannot win by their lower bound; 956 simulated.

# A plan on other clusters.
$ plansim search narayanan-1.7b --hardware dgx-a100-80gb,dgx-h100 --schedule 1f1b --keep recompute=none --top 1 --explain 0
Best: 1.281 s a step (1.0 to 1.5), 25583.0 tokens/s a GPU, MFU 29.1 %
  plansim run narayanan-1.7b --hardware dgx-h100 --gpus 32 --tp 1 --pp 1 --dp 32 --micro-batch 4 --global-batch 512 --schedule 1f1b:1 --recompute none --zero 1 --precision fp16

dgx-a100-80gb, 1.80 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      32     2.713   43.5    100.0        -                -           -          -         -  1 x 1 x 32, batch 512

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      32     1.281   29.1    100.0        -                -           -          -         -  1 x 1 x 32, batch 512

The best by cost
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     1.281    25583.0  29.1        3.8    1    1    32     4      4  1f1b:1           none          1 -       32  dgx-h100

Less memory for more time (Pareto front, 12 of 35)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     1.281    25583.0  29.1        3.8    1    1    32     4      4  1f1b:1           none          1 -       32  dgx-h100
     1.325    24735.4  28.1       37.5    1    1    32     2      8  1f1b:1           none          1 -       32  dgx-h100
     1.448    22634.2  25.7       54.4    1    1    32     1     16  1f1b:1           none          1 -       32  dgx-h100
     1.898    17260.5  19.6       64.0    2    1    16     1     32  1f1b:1           none          1 -       32  dgx-h100
     2.030    16145.4  18.3       66.8    2    1    16     1     32  1f1b:1           none          3 -       32  dgx-h100
     4.384     7474.3  26.9       69.2    4    1     8     1     64  1f1b:1           none          1 -       32  dgx-a100-80gb
     2.902    11290.7  12.8       70.2    4    1     8     1     64  1f1b:1           none          2 -       32  dgx-h100
     3.227    10154.5  11.5       71.0    4    1     8     1     64  1f1b:1           none          2 y       32  dgx-h100
     6.977     4696.7  16.9       72.2    8    1     4     1    128  1f1b:1           none          2 -       32  dgx-a100-80gb
     4.714     6950.8   7.9       72.5    8    1     4     1    128  1f1b:1           none          2 -       32  dgx-h100
     8.698     3767.1  13.6       73.4    8    4     1     1    512  1f1b:1           none          0 y       32  dgx-a100-80gb
     6.511     5033.1   5.7       73.8    8    1     4     1    128  1f1b:1           none          3 y       32  dgx-h100

6720 candidates: 4480 against the rules, 1580 like another, 117 too large, 0 cannot win by their lower bound; 543 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --max-power 10kW
No plan fits.

What would make one
with 12 kW: plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 1 --pp 1 --dp 16 --micro-batch 1 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

117600 candidates: 83409 against the rules, 30642 like another, 2185 too large, 0 cannot win by their lower bound; 1364 simulated.
? 1

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --keep tp=16 --no-cross-node-tp
No plan fits.

Why none is valid
tp 16, pp 1, dp 1, micro batch 1, 1f1b:1: tp 16 is more than the 8 GPUs of a scale-up domain

What would make one
with tp free: plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 1 --pp 1 --dp 16 --micro-batch 1 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16
with tensor parallelism across nodes: plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 16 --pp 1 --dp 1 --micro-batch 16 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 0 --sequence-parallel --runtime megatron --precision bf16

16800 candidates: 16800 against the rules, 0 like another, 0 too large, 0 cannot win by their lower bound; 0 simulated.
? 1

$ plansim search bloom-176b --rampup 192,16
plansim search: --rampup: "192,16" is not START,INCREMENT,SAMPLES, such as 192,16,9.8M
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --rampup 192,16,9.8M
plansim search: --rampup: needs --tokens, and more of them than its samples have, 8192 each
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --max-power 12
plansim search: --max-power: "12" is not a power, such as 500kW
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --tokens 1T --failures 50000h
plansim search: --failures: "50000h" is not MTBF,RATE,RESTART, such as 50000h,50GB/s,0.2h
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --tokens 1T --rampup 256,16,100000
plansim search: --rampup: begins with 256, above the batch of 128
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --tokens 1T --rampup 17,16,100000
plansim search: --rampup: from 17 on, increments of 16 miss the batch of 128; nearest: 113 and 129
? 2

$ plansim search --model llama-3-8b --hardware gtx-580-pair --gpus 16
No plan fits.

Why none is valid
tp 1, pp 1, dp 16, micro batch 1, 1f1b:1: /gpus: is 16; gtx-580-pair has at most 1 node of 2 GPUs = 2

470400 candidates: 309120 against the rules, 50400 like another, 110880 too large, 0 cannot win by their lower bound; 0 simulated.
? 1

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --set /recompute=full
plansim search: --set /recompute: the search decides it; use --keep recompute=WHAT
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --set /layers_per_stage=[7,9,8,8]
plansim search: --set /layers_per_stage: the search decides it; use "even" or "balanced" there
? 2

# A limit that excludes numbers of GPUs is no knee.
$ plansim search --model llama-3-8b --hardware dgx-h100,dgx-a100-80gb --gpus 16..64 --global-batch 128 --max-power 20kW --top 1 --explain 0
Best: 5.873 s a step (4.8 to 6.9), 11158.1 tokens/s a GPU, MFU 65.3 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 1 --pp 1 --dp 16 --micro-batch 1 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      16     5.873   65.3    100.0        -                -           -          -         -  1 x 1 x 16, batch 128
      32  none within the limits
      64  none within the limits

dgx-a100-80gb, 1.80 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      16    16.669   73.0    100.0        -                -           -          -         -  1 x 1 x 16, batch 128
      32     8.355   72.8     99.8        -                -           -          -         -  1 x 1 x 32, batch 128
      64  none within the limits
No knee up to 32 GPUs: each still brings at least 80 % of what the first ones do.

The best by cost
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     5.873    11158.1  65.3       11.2    1    1    16     1      8  1f1b:1           none          2 -       16  dgx-h100

Less memory for more time (Pareto front, 12 of 43)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     5.873    11158.1  65.3       11.2    1    1    16     1      8  1f1b:1           none          2 -       16  dgx-h100
     6.476    10119.7  59.2       26.5    2    1     8     1     16  1f1b:1           none          1 y       16  dgx-h100
     7.606     8616.8  50.4       45.9    4    1     4     2     16  1f1b:1           none          3 y       16  dgx-h100
     8.835     7417.5  43.4       61.8    2    1     8     1     16  1f1b:1           full          3 y       16  dgx-h100
    13.741     4769.3  27.9       65.1    8    1     2     2     32  1f1b:1           full          3 y       16  dgx-h100
    14.424     4543.7  26.6       65.7    8    2     1     1    128  1f1b:1           full          0 -       16  dgx-h100
    15.865     4130.8  24.2       66.7    8    2     1     1    128  interleaved:8    full          0 y       16  dgx-h100
    14.177     2311.3  42.9       68.9    4    1     8     1     16  1f1b:1           full          3 y       32  dgx-a100-80gb
    18.361     1784.6  33.1       70.1    8    4     1     1    128  interleaved:4    full          0 y       32  dgx-a100-80gb
    23.011     1424.0  26.4       70.6   16    2     1     2     64  interleaved:2    full          0 y       32  dgx-a100-80gb
    25.454     1287.4  23.9       71.3   16    2     1     1    128  interleaved:4    full          0 y       32  dgx-a100-80gb
    44.227      740.9  13.8       72.0   32    1     1     1    128  1f1b:1           full          0 y       32  dgx-a100-80gb

987840 candidates: 741258 against the rules, 218418 like another, 13966 too large, 4449 cannot win by their lower bound; 9749 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --tokens 1T --failures 1s,50GB/s,1h
plansim search: --failures: MTBF "1s" is not a time above 0, in h, d, w, months or years
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --tokens 1T --failures 0h,50GB/s,1h
plansim search: --failures: MTBF "0h" is not a time above 0, in h, d, w, months or years
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --tokens 1T --failures 50000h,0GB/s,1h
plansim search: --failures: RATE "0GB/s" is not a rate above 0, such as 50GB/s
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --tokens 1T --failures 50000h,50GB/s,-1h
plansim search: --failures: RESTART "-1h" is not a time above 0, in h, d, w, months or years
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --top 0
plansim search: --top is 0; must be from 1 to 100
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --top 101
plansim search: --top is 101; must be from 1 to 100
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --jobs 0
plansim search: --jobs is 0; must be from 1 to 256
? 2

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --keep tp=65536 --keep pp=65536 --keep micro-batch=1
No plan fits.

Why none is valid
no number of GPUs is a multiple of tp x pp

2688 candidates: 2688 against the rules, 0 like another, 0 too large, 0 cannot win by their lower bound; 0 simulated.
? 1
