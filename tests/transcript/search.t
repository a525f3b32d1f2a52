# The best plans of a space. Small spaces, so that it is quick.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 3 --keep tp=2,4
Best: 6.110 s a step (5.0 to 7.2), 10726.0 tokens/s a GPU, MFU 62.8 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 2 --pp 1 --dp 8 --micro-batch 2 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.110    10726.0  62.8        5.6    2    1     8     2      8  1f1b:1           none          1 y 
     6.174    10614.7  62.1       18.7    2    1     8     2      8  1f1b:1           none          2 y 
     6.259    10471.2  61.3       27.8    2    1     8     1     16  1f1b:1           none          1 y 

Less memory for more time (Pareto front, 12 of 22)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.110    10726.0  62.8        5.6    2    1     8     2      8  1f1b:1           none          1 y 
     6.174    10614.7  62.1       18.7    2    1     8     2      8  1f1b:1           none          2 y 
     6.396    10246.5  60.0       40.9    2    1     8     1     16  1f1b:1           none          2 y 
     6.870     9539.4  55.8       46.9    2    1     8     1     16  1f1b:1           selective     3 y 
     7.447     8800.4  51.5       47.2    2    4     2     1     64  1f1b:1           none          1 y 
     7.709     8501.5  49.8       55.7    4    1     4     1     32  1f1b:1           none          2 y 
     7.766     8438.3  49.4       56.5    4    2     2     1     64  interleaved:4    none          1 y 
     8.052     8139.3  47.6       58.2    4    1     4     1     32  1f1b:1           none          3 y 
     8.553     7662.2  44.8       59.4    4    4     1     1    128  1f1b:1           none          0 y 
     9.780     6701.2  39.2       63.3    4    1     4     2     16  1f1b:1           full          3 y 
    10.354     6329.5  37.0       63.8    4    2     2     1     64  interleaved:2    full          1 y 
    10.595     6185.5  36.2       66.3    4    1     4     1     32  1f1b:1           full          3 y 

One step away from the best
  tp 1, dp 16              does not fit: 139.2 GiB of 78.0 GiB
  tp 4, dp 4               +16.2 %: kernels and collectives take 16.2 % more
  pp 2, dp 4               +10.6 %: bubble 9.6 % instead of 0.0 %
  micro batch 1            +2.4 %: kernels and collectives take 2.4 % more
  micro batch 4            does not fit: 116.7 GiB of 78.0 GiB
  recompute selective      +4.4 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +31.6 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 111.7 GiB of 78.0 GiB
  no sequence parallelism  does not fit: 80.8 GiB of 78.0 GiB

33600 candidates: 18780 against the rules, 13050 like another, 823 too large, 406 cannot win by their lower bound; 541 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 2 --keep tp=2 --csv
ordinal,hardware,gpus,tp,pp,dp,schedule,chunks,micro_batch,global_batch,microbatches,recompute,zero_stage,sequence_parallel,balanced,step_ps,tokens_per_s,mfu_fraction,peak_bytes,capacity_bytes,days,gpu_hours,usd,mwh
1288,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,1,1,0,6110020391742,171615.7938551569,0.62782748084519613,77730901442.56,83738230784,,,,
2128,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,2,1,0,6174074519390,169835.33268134241,0.62131396347952716,63677478338.56,83738230784,,,,

$ plansim search --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --global-batch 16
No plan fits.

What would make one
with 58.0 GiB a GPU instead of 38.3: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --tp 2 --pp 1 --dp 1 --micro-batch 1 --global-batch 16 --schedule 1f1b:1 --recompute full --zero 0 --sequence-parallel --runtime megatron --precision bf16
with 4 GPUs: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 4 --tp 2 --pp 2 --dp 1 --micro-batch 1 --global-batch 16 --schedule interleaved:16 --recompute none --zero 0 --sequence-parallel --runtime megatron --precision bf16

47040 candidates: 36960 against the rules, 5040 like another, 5040 too large, 0 cannot win by their lower bound; 0 simulated.
? 1

$ plansim search --model gpt3-175b --hardware dgx-h100 --gpus 512..1024 --global-batch 1536 --keep tp=8 --schedule 1f1b --for "300e9 tokens in 30 days" --failures 50000h,50GB/s,0.2h --top 1
Best: 14.175 s a step (11.5 to 16.9), 433.5 tokens/s a GPU, MFU 47.2 %, 15.6 days, 576.8 kUSD
  plansim run --model gpt3-175b --hardware dgx-h100 --gpus 512 --tp 8 --pp 4 --dp 16 --micro-batch 2 --global-batch 1536 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

With failures: one in 97.7 hours on 512 GPUs; a checkpoint of 2.44 TB takes 49 s
  write one every 97 min (Young 98, Daly 97, best simulated 97); goodput 98.2 %, 4 failures
  15.9 days (5 % to 95 %: 15.8 to 16.1), of 1000 simulated runs

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512    14.175   47.2    100.0     15.6     12.7 to 18.6       192.3      576.8     134.6  8 x 4 x 16, batch 1536
    1024     7.759   43.1     91.3      8.6      7.0 to 10.2       210.5      631.4     147.3  8 x 8 x 16, batch 1536
No knee up to 1024 GPUs: each still brings at least 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.175      433.5  47.2       23.1    8    4    16     2     48  1f1b:1           none          1 y      512  dgx-h100     15.6     576.8

Less memory for more time (Pareto front, 12 of 23)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.175      433.5  47.2       23.1    8    4    16     2     48  1f1b:1           none          1 y      512  dgx-h100     15.6     576.8
    14.275      430.4  46.8       38.2    8    8     8     2     96  1f1b:1           none          1 y      512  dgx-h100     15.8     580.9
    14.585      421.3  45.8       45.6    8   16     4     2    192  1f1b:1           none          1 y      512  dgx-h100     16.1     593.5
    14.723      417.3  45.4       48.2    8    8     8     1    192  1f1b:1           none          1 y      512  dgx-h100     16.3     599.1
    14.989      409.9  44.6       55.7    8   16     4     1    384  1f1b:1           none          1 y      512  dgx-h100     16.5     609.9
    15.670      392.1  42.7       59.1    8   32     2     1    768  1f1b:1           none          1 y      512  dgx-h100     17.3     637.6
     8.189      375.1  40.8       61.3    8   32     4     1    384  1f1b:1           none          1 y     1024  dgx-h100      9.0     666.4
    17.914      343.0  37.3       64.6    8    1    64     8      3  1f1b:1           full          3 y      512  dgx-h100     19.8     728.9
    20.310      302.5  32.9       67.5    8   32     2     2    384  1f1b:1           full          1 y      512  dgx-h100     22.4     826.4
    10.920      281.3  30.6       70.6    8   32     4     1    384  1f1b:1           full          1 y     1024  dgx-h100     12.1     888.7
    13.107      234.4  25.5       71.1    8   64     2     2    384  1f1b:1 bal       full          1 y     1024  dgx-h100     14.5    1066.7
    23.477      130.9  14.2       72.5    8    1   128     2      6  1f1b:1           full          3 y     1024  dgx-h100     25.9    1910.5

One step away from the best
  tp 4, dp 32              does not fit: 105.8 GiB of 78.0 GiB
  tp 16, dp 8              +17.5 %: kernels and collectives take 21.3 % more
  pp 2, dp 32              does not fit: 85.2 GiB of 78.0 GiB
  pp 8, dp 8               +0.7 %: bubble 8.8 % instead of 6.6 %
  micro batch 1            +4.0 %: kernels and collectives take 6.6 % more
  micro batch 4            +0.8 %: bubble 10.9 % instead of 6.6 %
  schedule interleaved:2   -4.1 %: bubble 4.2 % instead of 6.6 %
  schedule zb-h1:1         -2.6 %: bubble 4.1 % instead of 6.6 %
  recompute selective      +0.6 %: 0.5 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +34.4 %: 24.9 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 113.0 GiB of 78.0 GiB
  no sequence parallelism  does not fit: 96.0 GiB of 78.0 GiB

3840 candidates: 1974 against the rules, 738 like another, 744 too large, 0 cannot win by their lower bound; 384 simulated.

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
Best: 93.572 s a step (79.2 to 107.9), 116.7 tokens/s a GPU, MFU 40.5 %, 95.4 days, 1582.3 kUSD
  plansim run bloom-176b --gpus 384 --tp 4 --pp 12 --dp 8 --micro-batch 2 --global-batch 2048 --schedule 1f1b:1 --recompute full --zero 1 --balance --precision bf16

Ramp-up: batches of 192, then 16 more each time, 116 before the whole one,
  over 9765625 samples: 6.0 days; the whole batch takes 5.2 for as many

With failures: one in 112.0 hours on 384 GPUs; a checkpoint of 2.47 TB takes 43 s
  write one every 98 min (Young 98, Daly 98, best simulated 98); goodput 97.7 %, 21 failures
  97.6 days (5 % to 95 %: 97.1 to 98.3), of 1000 simulated runs

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP     days      kUSD
    93.572      116.7  40.5       39.0    4   12     8     2    128  1f1b:1 bal       full          1 -      95.4    1582.3
    94.468      115.6  40.1       49.7    4   24     4     2    256  1f1b:1 bal       full          1 -      96.2    1596.5
   123.001       88.8  30.8       49.1    4   48     2     2    512  1f1b:1 bal       full          1 -     124.9    2071.7

Less memory for more time (Pareto front, 2 of 2)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP     days      kUSD
    93.572      116.7  40.5       39.0    4   12     8     2    128  1f1b:1 bal       full          1 -      95.4    1582.3
    94.468      115.6  40.1       49.7    4   24     4     2    256  1f1b:1 bal       full          1 -      96.2    1596.5

One step away from the best
  tp 2, dp 16              +3.6 %: bubble 15.2 % instead of 8.9 %
  tp 8, dp 4               +4.5 %: kernels and collectives take 8.5 % more
  pp 6, dp 16              +0.6 %: kernels and collectives take 1.5 % more
  pp 24, dp 4              +1.0 %: bubble 9.3 % instead of 8.9 %
  micro batch 1            +0.8 %: kernels and collectives take 4.8 % more
  micro batch 4            +5.2 %: bubble 15.3 % instead of 8.9 %
  schedule zb-h1:1         -3.7 %: bubble 5.3 % instead of 8.9 %
  recompute none           does not fit: 197.0 GiB of 78.3 GiB
  recompute selective      -10.6 %: 0.8 % of its FLOPs are recomputation, here 24.6 %
  ZeRO 0                   +0.4 %: kernels and collectives take 0.5 % more
  sequence parallelism     -1.5 %: kernels and collectives take 1.5 % less

28 candidates: 23 against the rules, 0 like another, 2 too large, 0 cannot win by their lower bound; 3 simulated.

# GPT-3 175B on 1,024 A100: the whole space. TP 4, PP 8, 12 chunks is NVIDIA's own recipe for as many H100.
$ plansim search --model gpt3-175b --hardware dgx-a100-80gb --gpus 1024 --global-batch 1536 --top 2
Best: 17.188 s a step (14.6 to 19.8), 178.7 tokens/s a GPU, MFU 61.7 %
  plansim run --model gpt3-175b --hardware dgx-a100-80gb --gpus 1024 --tp 4 --pp 8 --dp 32 --micro-batch 1 --global-batch 1536 --schedule zb-v:2 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
    17.188      178.7  61.7       23.7    4    8    32     1     48  zb-v:2           none          1 y 
    17.209      178.5  61.6        3.3    4    8    32     2     24  zb-v:2           none          1 y 

Less memory for more time (Pareto front, 12 of 48)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
    17.188      178.7  61.7       23.7    4    8    32     1     48  zb-v:2           none          1 y 
    18.380      167.1  57.7       39.8    8    8    16     2     48  zb-v:2           none          1 y 
    19.011      161.6  55.8       49.9    8    8    16     1     96  zb-v:2           none          1 y 
    19.618      156.6  54.0       57.4    8   16     8     1    192  zb-v:2           selective     1 y 
    22.218      138.3  47.7       62.9   16    8     8     1    192  interleaved:12   none          1 y 
    22.859      134.4  46.4       66.2   16   16     4     1    384  interleaved:6    none          1 y 
    23.890      128.6  44.4       67.1   16   16     4     1    384  1f1b:1           selective     1 y 
    24.702      124.4  42.9       68.8   16   32     2     1    768  1f1b:1           none          1 y 
    29.867      102.9  35.5       71.6   16    1    64     8      3  1f1b:1           full          3 y 
    33.068       92.9  32.1       73.4   16   32     2     1    768  1f1b:1           full          1 y 
    42.301       72.6  25.1       74.1   32   32     1     2    768  interleaved:3    full          0 y 
    93.446       32.9  11.3       75.0   32    1    32     1     48  1f1b:1           full          3 y 

One step away from the best
  tp 2, dp 64              does not fit: 107.1 GiB of 78.3 GiB
  tp 8, dp 16              +10.6 %: kernels and collectives take 12.2 % more
  pp 4, dp 64              does not fit: 84.9 GiB of 78.3 GiB
  pp 16, dp 16             +2.7 %: bubble 8.9 % instead of 5.7 %
  micro batch 2            +0.1 %: bubble 7.6 % instead of 5.7 %
  schedule 1f1b:1          +14.4 %: bubble 16.1 % instead of 5.7 %
  schedule interleaved:2   +6.9 %: bubble 11.4 % instead of 5.7 %
  schedule zb-h1:1         +4.3 %: bubble 8.3 % instead of 5.7 %
  recompute selective      +0.7 %: 0.5 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +32.9 %: 24.9 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 117.2 GiB of 78.3 GiB
  no sequence parallelism  +1.4 %: kernels and collectives take 1.5 % more

188160 candidates: 128181 against the rules, 27237 like another, 28504 too large, 3332 cannot win by their lower bound; 906 simulated.

# A price that is given, a power cap, a list to keep, two plans explained; where more GPUs stop helping.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 512..4096 --global-batch 1024 --keep tp=1,2 --keep recompute=none,selective --tokens 1T --usd-per-gpu-hour 2.5 --max-power 3MW --top 2 --explain 2
Best: 1.451 s a step (1.2 to 1.7), 11292.4 tokens/s a GPU, MFU 66.1 %, 2.0 days, 61.5 kUSD
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 512 --tp 1 --pp 1 --dp 512 --micro-batch 1 --global-batch 1024 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 2.50 USD a GPU-hour (as given)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512     1.451   66.1    100.0      2.0       1.6 to 2.4        24.6       61.5      17.2  1 x 1 x 512, batch 1024
    1024     0.746   64.3     97.2      1.0       0.8 to 1.2        25.3       63.2      17.7  1 x 1 x 1024, batch 1024
    2048     0.438   54.8     82.9      0.6       0.5 to 0.7        29.7       74.2      20.8  2 x 1 x 1024, batch 1024
    4096     0.397   30.2     45.6      0.5       0.4 to 0.7        53.9      134.8      37.7  2 x 2 x 1024, batch 1024
Knee at 2048 GPUs: beyond, one brings less than 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
     1.451    11292.4  66.1       18.4    1    1   512     1      2  1f1b:1           none          2 -      512  dgx-h100      2.0      61.5
     1.488    11010.3  64.4       32.4    1    1   512     1      2  1f1b:1           none          3 -      512  dgx-h100      2.1      63.1

Less memory for more time (Pareto front, 12 of 28)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
     1.451    11292.4  66.1       18.4    1    1   512     1      2  1f1b:1           none          2 -      512  dgx-h100      2.0      61.5
     0.761    10765.4  63.0       32.5    1    1  1024     1      1  1f1b:1           none          3 -     1024  dgx-h100      1.0      64.5
     1.625    10082.7  59.0       48.1    2    1   256     1      4  1f1b:1           none          2 y      512  dgx-h100      2.2      68.9
     0.869     9421.5  55.1       55.2    2    1   512     1      2  1f1b:1           none          3 y     1024  dgx-h100      1.2      73.7
     0.476     8608.5  50.4       55.3    2    1  1024     1      1  1f1b:1           none          3 y     2048  dgx-h100      0.7      80.7
     2.546     6436.1  37.7       55.8    2    8    32     1     32  1f1b:1           selective     1 y      512  dgx-h100      3.5     107.9
     0.674     6074.8  35.6       57.4    2    8   128     1      8  zb-v:2           selective     1 y     2048  dgx-h100      0.9     114.3
     0.443     4618.3  27.0       59.0    2    4   512     1      2  zb-v:2           selective     1 y     4096  dgx-h100      0.6     150.4
     0.501     4085.0  23.9       62.5    2    8   256     1      4  zb-v:2           selective     1 y     4096  dgx-h100      0.7     170.0
     0.626     3273.4  19.2       64.8    2    8   256     1      4  1f1b:1           none          1 y     4096  dgx-h100      0.9     212.1
     0.738     2775.1  16.2       66.0    2   16   128     1      8  1f1b:1           none          1 y     4096  dgx-h100      1.0     250.2
     0.959     2135.3  12.5       66.6    2   32    64     1     16  1f1b:1           selective     1 y     4096  dgx-h100      1.3     325.2

One step away from the best
  tp 2, dp 256             +13.3 %: kernels and collectives take 13.3 % more
  pp 2, dp 256             +28.0 %: bubble 22.4 % instead of 0.0 %
  micro batch 2            does not fit: 103.9 GiB of 78.0 GiB
  recompute selective      +4.6 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +29.4 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 179.0 GiB of 78.0 GiB
  ZeRO 1                   does not fit: 89.4 GiB of 78.0 GiB

One step away from number 2
  tp 2, dp 256             +15.4 %: kernels and collectives take 15.4 % more
  pp 2, dp 256             +27.9 %: bubble 22.2 % instead of 0.0 %
  micro batch 2            does not fit: 89.9 GiB of 78.0 GiB
  recompute selective      +4.5 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +28.6 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 179.0 GiB of 78.0 GiB
  ZeRO 1                   does not fit: 89.4 GiB of 78.0 GiB

143360 candidates: 119700 against the rules, 19350 like another, 2342 too large, 151 cannot win by their lower bound; 1817 simulated.

# Weak scaling: so many samples a GPU.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 8..32 --global-batch 2/gpu --keep recompute=none --top 1 --explain 0
Best: 1.438 s a step (1.2 to 1.7), 11392.2 tokens/s a GPU, MFU 66.7 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 32 --tp 1 --pp 1 --dp 32 --micro-batch 1 --global-batch 64 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
       8     1.448   66.2    100.0        -                -           -          -         -  1 x 1 x 8, batch 16
      16     1.441   66.6    100.5        -                -           -          -         -  1 x 1 x 16, batch 32
      32     1.438   66.7    100.7        -                -           -          -         -  1 x 1 x 32, batch 64
No knee up to 32 GPUs: each still brings at least 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware   batch
     1.438    11392.2  66.7       14.9    1    1    32     1      2  1f1b:1           none          2 -       32  dgx-h100      64

Less memory for more time (Pareto front, 12 of 30)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware   batch
     1.438    11392.2  66.7       14.9    1    1    32     1      2  1f1b:1           none          2 -       32  dgx-h100      64
     1.573    10415.9  61.0       28.9    2    1    16     2      2  1f1b:1           none          3 y       32  dgx-h100      64
     1.611    10170.3  59.5       44.6    2    1    16     1      4  1f1b:1           none          2 y       32  dgx-h100      64
     1.658     9883.3  57.9       51.1    2    1    16     1      4  1f1b:1           none          3 y       32  dgx-h100      64
     1.939     8450.1  49.5       55.7    4    1     4     1      8  1f1b:1           none          2 y       16  dgx-h100      32
     2.271     7214.2  42.2       62.6    4    4     2     1     32  1f1b:1           none          1 y       32  dgx-h100      64
     2.620     6253.8  36.6       64.0    8    1     4     1     16  1f1b:1           none          1 y       32  dgx-h100      64
     2.700     6067.9  35.5       67.0    8    2     2     1     32  interleaved:8    none          1 y       32  dgx-h100      64
     2.862     5725.3  33.5       68.1    8    1     4     1     16  1f1b:1           none          3 y       32  dgx-h100      64
     3.605     4544.4  26.6       69.0   16    2     1     2     32  1f1b:1           none          0 y       32  dgx-h100      64
     3.959     4138.3  24.2       70.9   16    2     1     1     64  interleaved:8    none          0 y       32  dgx-h100      64
     7.810     2097.8  12.3       71.9   32    1     1     1     64  1f1b:1           none          0 y       32  dgx-h100      64

141120 candidates: 109947 against the rules, 28083 like another, 1946 too large, 171 cannot win by their lower bound; 973 simulated.

# A plan on other clusters.
$ plansim search narayanan-1.7b --hardware dgx-a100-80gb,dgx-h100 --schedule 1f1b --keep recompute=none --top 1 --explain 0
Best: 1.105 s a step (0.9 to 1.3), 29653.6 tokens/s a GPU, MFU 33.7 %
  plansim run narayanan-1.7b --hardware dgx-h100 --gpus 32 --tp 1 --pp 1 --dp 32 --micro-batch 4 --global-batch 512 --schedule 1f1b:1 --recompute none --zero 1 --precision fp16

dgx-a100-80gb, 1.80 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      32     2.494   47.3    100.0        -                -           -          -         -  1 x 1 x 32, batch 512

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      32     1.105   33.7    100.0        -                -           -          -         -  1 x 1 x 32, batch 512

The best by cost
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     1.105    29653.6  33.7        3.8    1    1    32     4      4  1f1b:1           none          1 -       32  dgx-h100

Less memory for more time (Pareto front, 12 of 40)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     1.105    29653.6  33.7        3.8    1    1    32     4      4  1f1b:1           none          1 -       32  dgx-h100
     1.141    28729.5  32.6       37.5    1    1    32     2      8  1f1b:1           none          1 -       32  dgx-h100
     1.236    26521.0  30.1       57.4    1    1    32     1     16  1f1b:1           none          2 -       32  dgx-h100
     1.644    19937.4  22.6       60.3    4    1     8     4     16  1f1b:1           none          3 y       32  dgx-h100
     3.132    10462.4  37.7       66.2    2    1    16     1     32  1f1b:1           none          1 y       32  dgx-a100-80gb
     3.369     9726.0  35.0       68.1    2    2     8     1     64  1f1b:1           none          1 y       32  dgx-a100-80gb
     4.087     8016.6  28.9       69.2    4    4     2     2    128  1f1b:1           none          1 y       32  dgx-a100-80gb
     4.727     6931.7  25.0       72.1    4    2     4     1    128  1f1b:1           none          1 -       32  dgx-a100-80gb
     5.646     5803.7  20.9       73.3    4    1     8     1     64  1f1b:1           none          3 y       32  dgx-a100-80gb
     6.516     5028.7  18.1       73.4    8    4     1     2    256  1f1b:1           none          0 y       32  dgx-a100-80gb
    10.404     3149.4  11.3       74.4    8    1     4     1    128  1f1b:1           none          3 -       32  dgx-a100-80gb
    11.850     2765.3  10.0       75.4    8    1     4     1    128  1f1b:1           none          3 y       32  dgx-a100-80gb

6720 candidates: 4480 against the rules, 1580 like another, 113 too large, 0 cannot win by their lower bound; 547 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --max-power 10kW
No plan fits.

What would make one
with 12 kW: plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 1 --pp 1 --dp 16 --micro-batch 1 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

117600 candidates: 83409 against the rules, 30642 like another, 2171 too large, 0 cannot win by their lower bound; 1378 simulated.
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
Best: 5.710 s a step (4.7 to 6.7), 11476.7 tokens/s a GPU, MFU 67.2 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 1 --pp 1 --dp 16 --micro-batch 1 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      16     5.710   67.2    100.0        -                -           -          -         -  1 x 1 x 16, batch 128
      32  none within the limits
      64  none within the limits

dgx-a100-80gb, 1.80 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      16    16.462   73.9    100.0        -                -           -          -         -  1 x 1 x 16, batch 128
      32     8.252   73.7     99.7        -                -           -          -         -  1 x 1 x 32, batch 128
      64  none within the limits
No knee up to 32 GPUs: each still brings at least 80 % of what the first ones do.

The best by cost
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     5.710    11476.7  67.2       11.2    1    1    16     1      8  1f1b:1           none          2 -       16  dgx-h100

Less memory for more time (Pareto front, 12 of 52)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     5.710    11476.7  67.2       11.2    1    1    16     1      8  1f1b:1           none          2 -       16  dgx-h100
     6.396    10246.5  60.0       40.9    2    1     8     1     16  1f1b:1           none          2 y       16  dgx-h100
     7.466     8778.1  51.4       50.1    4    1     4     1     32  1f1b:1           none          1 y       16  dgx-h100
     8.366     7833.7  45.9       58.2    4    1     4     1     32  1f1b:1           selective     3 y       16  dgx-h100
    10.354     6329.5  37.0       63.8    4    2     2     1     64  interleaved:2    full          1 y       16  dgx-h100
    13.135     4989.5  29.2       66.6    8    2     1     2     64  interleaved:2    full          0 y       16  dgx-h100
    14.496     4521.0  26.5       67.8    8    2     1     1    128  interleaved:16   full          0 y       16  dgx-h100
    13.482     2430.5  45.1       69.0    8    4     1     1    128  1f1b:1           none          0 y       32  dgx-a100-80gb
    16.545     1980.5  36.8       71.3    8    2     2     1     64  interleaved:2    full          1 y       32  dgx-a100-80gb
    17.568     1865.2  34.6       72.1    8    4     1     1    128  interleaved:2    full          0 y       32  dgx-a100-80gb
    24.058     1362.0  25.3       73.1   16    2     1     1    128  interleaved:16   full          0 y       32  dgx-a100-80gb
    41.410      791.3  14.7       73.3   32    1     1     1    128  1f1b:1           full          0 y       32  dgx-a100-80gb

987840 candidates: 741258 against the rules, 218418 like another, 13711 too large, 4511 cannot win by their lower bound; 9942 simulated.

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
