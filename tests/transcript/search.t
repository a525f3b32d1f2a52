# The best plans of a space. Small spaces, so that it is quick.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 3 --keep tp=2,4
Best: 6.101 s a step (5.6 to 6.6), 10741.3 tokens/s a GPU, MFU 62.9 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 2 --pp 1 --dp 8 --micro-batch 2 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.101    10741.3  62.9        6.3    2    1     8     2      8  1f1b:1           none          1 y 
     6.101    10741.3  62.9       19.4    2    1     8     2      8  1f1b:1           none          2 y 
     6.126    10697.8  62.6       25.4    2    1     8     2      8  1f1b:1           none          3 y 

Less memory for more time (Pareto front, 12 of 15)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.101    10741.3  62.9       19.4    2    1     8     2      8  1f1b:1           none          2 y 
     6.126    10697.8  62.6       25.4    2    1     8     2      8  1f1b:1           none          3 y 
     6.262    10465.1  61.3       41.2    2    1     8     1     16  1f1b:1           none          2 y 
     6.315    10377.1  60.7       47.3    2    1     8     1     16  1f1b:1           none          3 y 
     7.134     9185.8  53.8       47.5    4    1     4     2     16  1f1b:1           none          3 y 
     7.412     8841.8  51.8       47.5    4    1     4     2     16  1f1b:1           selective     3 y 
     7.475     8767.7  51.3       47.5    2    4     2     1     64  1f1b:1           none          1 y 
     7.482     8759.1  51.3       55.8    4    1     4     1     32  1f1b:1           none          2 y 
     7.890     8306.0  48.6       58.4    4    1     4     1     32  1f1b:1           selective     3 y 
     8.324     7873.2  46.1       63.4    2    1     8     1     16  1f1b:1           full          3 y 
     9.541     6869.2  40.2       63.6    4    1     4     2     16  1f1b:1           full          3 y 
    10.148     6457.9  37.8       66.5    4    1     4     1     32  1f1b:1           full          3 y 

One step away from the best
  tp 1, dp 16              does not fit: 137.8 GiB of 78.0 GiB
  tp 4, dp 4               +16.2 %: kernels and collectives take 16.2 % more
  pp 2, dp 4               +10.8 %: bubble 9.6 % instead of 0.0 %
  micro batch 1            +2.6 %: kernels and collectives take 2.6 % more
  micro batch 4            does not fit: 115.4 GiB of 78.0 GiB
  recompute selective      +4.4 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +31.8 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 111.0 GiB of 78.0 GiB
  no sequence parallelism  does not fit: 80.2 GiB of 78.0 GiB

33600 candidates: 18780 against the rules, 13050 like another, 809 too large, 431 cannot win by their lower bound; 530 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 2 --keep tp=2 --csv
ordinal,hardware,gpus,tp,pp,dp,schedule,chunks,micro_batch,global_batch,microbatches,recompute,zero_stage,sequence_parallel,balanced,step_ps,tokens_per_s,mfu_fraction,peak_bytes,capacity_bytes,days,gpu_hours,usd,mwh
1288,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,1,1,0,6101323521453,171860.41623806351,0.62872239063740465,76998072647.68,83738230784,,,,
2128,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,2,1,0,6101323521453,171860.41623806351,0.62872239063740465,62944649543.68,83738230784,,,,

$ plansim search --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --global-batch 16
No plan fits.

What would make one
with 57.8 GiB a GPU instead of 38.3: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --tp 2 --pp 1 --dp 1 --micro-batch 1 --global-batch 16 --schedule 1f1b:1 --recompute full --zero 0 --sequence-parallel --runtime megatron --precision bf16
with 4 GPUs: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 4 --tp 2 --pp 1 --dp 2 --micro-batch 1 --global-batch 16 --schedule 1f1b:1 --recompute none --zero 3 --sequence-parallel --runtime megatron --precision bf16

47040 candidates: 36960 against the rules, 5040 like another, 5040 too large, 0 cannot win by their lower bound; 0 simulated.
? 1

$ plansim search --model gpt3-175b --hardware dgx-h100 --gpus 512..1024 --global-batch 1536 --keep tp=8 --schedule 1f1b --for "300e9 tokens in 30 days" --failures 50000h,50GB/s,0.2h --top 1
Best: 14.067 s a step (12.9 to 15.3), 436.8 tokens/s a GPU, MFU 47.5 %, 15.5 days, 572.4 kUSD
  plansim run --model gpt3-175b --hardware dgx-h100 --gpus 512 --tp 8 --pp 4 --dp 16 --micro-batch 2 --global-batch 1536 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

With failures: one in 97.7 hours on 512 GPUs; a checkpoint of 2.44 TB takes 49 s
  write one every 97 min (Young 98, Daly 97, best simulated 97); goodput 98.2 %, 4 failures
  15.8 days (5 % to 95 %: 15.7 to 16.0), of 1000 simulated runs

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512    14.067   47.5    100.0     15.5     14.2 to 16.9       190.8      572.4     133.6  8 x 4 x 16, batch 1536
    1024     7.666   43.6     91.8      8.5       7.7 to 9.2       207.9      623.8     145.6  8 x 8 x 16, batch 1536
No knee up to 1024 GPUs: each still brings at least 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.067      436.8  47.5       23.2    8    4    16     2     48  1f1b:1           none          1 y      512  dgx-h100     15.5     572.4

Less memory for more time (Pareto front, 12 of 22)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.067      436.8  47.5       23.2    8    4    16     2     48  1f1b:1           none          1 y      512  dgx-h100     15.5     572.4
    14.154      434.1  47.2       38.3    8    8     8     2     96  1f1b:1           none          1 y      512  dgx-h100     15.6     575.9
    14.457      425.0  46.2       45.7    8   16     4     2    192  1f1b:1           none          1 y      512  dgx-h100     16.0     588.3
    14.702      417.9  45.5       48.3    8    8     8     1    192  1f1b:1           none          1 y      512  dgx-h100     16.2     598.2
    14.967      410.5  44.7       55.7    8   16     4     1    384  1f1b:1           none          1 y      512  dgx-h100     16.5     609.0
    15.654      392.5  42.7       59.2    8   32     2     1    768  1f1b:1           none          1 y      512  dgx-h100     17.3     637.0
     8.154      376.8  41.0       61.4    8   32     4     1    384  1f1b:1           none          1 y     1024  dgx-h100      9.0     663.5
    16.494      372.5  40.5       65.0    8    1    64     8      3  1f1b:1           full          3 y      512  dgx-h100     18.2     671.2
    20.948      293.3  31.9       68.4    8   32     2     1    768  1f1b:1           full          1 y      512  dgx-h100     23.1     852.4
    10.901      281.8  30.7       70.6    8   32     4     1    384  1f1b:1           full          1 y     1024  dgx-h100     12.0     887.1
    13.000      236.3  25.7       71.2    8   64     2     2    384  1f1b:1 bal       full          1 y     1024  dgx-h100     14.3    1057.9
    23.470      130.9  14.2       72.6    8    1   128     2      6  1f1b:1           full          3 y     1024  dgx-h100     25.9    1910.0

One step away from the best
  tp 4, dp 32              does not fit: 105.6 GiB of 78.0 GiB
  tp 16, dp 8              +16.0 %: kernels and collectives take 19.4 % more
  pp 2, dp 32              does not fit: 85.1 GiB of 78.0 GiB
  pp 8, dp 8               +0.6 %: bubble 8.2 % instead of 6.2 %
  micro batch 1            +4.7 %: kernels and collectives take 7.1 % more
  micro batch 4            +0.1 %: bubble 10.1 % instead of 6.2 %
  schedule interleaved:2   -4.2 %: bubble 3.7 % instead of 6.2 %
  schedule zb-h1:1         -2.1 %: bubble 4.1 % instead of 6.2 %
  recompute selective      +0.6 %: 0.5 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +34.7 %: 24.9 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 112.9 GiB of 78.0 GiB
  no sequence parallelism  does not fit: 95.9 GiB of 78.0 GiB

3840 candidates: 1974 against the rules, 738 like another, 740 too large, 0 cannot win by their lower bound; 388 simulated.

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

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --rank-by speed
plansim search: ranking "speed"; must be one of step, throughput, cost, memory
? 2

$ plansim search --report missing.db
missing.db: unable to open database file
? 4

# BLOOM's question, with what its trainer had in 2022; docs/planning.md has the whole. It took about 3.5 months and
# 1,082,990 GPU-hours, 117.5 days of 384 GPUs (arXiv 2211.05100). The batch grows as in its launch script.
$ plansim search bloom-176b --schedule 1f1b --keep recompute=full --keep zero=1 --keep sequence-parallel=no --keep tp=4 --keep micro-batch=2 --rampup 192,16,9765625 --failures 43000h,57GB/s,1h --top 3
Best: 93.548 s a step (87.0 to 100.1), 116.8 tokens/s a GPU, MFU 40.5 %, 95.4 days, 1581.9 kUSD
  plansim run bloom-176b --gpus 384 --tp 4 --pp 12 --dp 8 --micro-batch 2 --global-batch 2048 --schedule 1f1b:1 --recompute full --zero 1 --balance --runtime deepspeed --precision bf16

Ramp-up: batches of 192, then 16 more each time, 116 before the whole one,
  over 9765625 samples: 6.0 days; the whole batch takes 5.2 for as many

With failures: one in 112.0 hours on 384 GPUs; a checkpoint of 2.47 TB takes 43 s
  write one every 98 min (Young 98, Daly 98, best simulated 98); goodput 97.7 %, 21 failures
  97.6 days (5 % to 95 %: 97.1 to 98.3), of 1000 simulated runs

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP     days      kUSD
    93.548      116.8  40.5       41.0    4   12     8     2    128  1f1b:1 bal       full          1 -      95.4    1581.9
    94.332      115.8  40.2       51.6    4   24     4     2    256  1f1b:1 bal       full          1 -      96.1    1594.2
   122.620       89.1  30.9       51.2    4   48     2     2    512  1f1b:1 bal       full          1 -     124.6    2066.5

Less memory for more time (Pareto front, 2 of 2)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP     days      kUSD
    93.548      116.8  40.5       41.0    4   12     8     2    128  1f1b:1 bal       full          1 -      95.4    1581.9
    94.332      115.8  40.2       51.6    4   24     4     2    256  1f1b:1 bal       full          1 -      96.1    1594.2

One step away from the best
  tp 2, dp 16              +3.6 %: bubble 15.1 % instead of 8.9 %
  tp 8, dp 4               +4.5 %: kernels and collectives take 8.5 % more
  pp 6, dp 16              +0.6 %: kernels and collectives take 1.5 % more
  pp 24, dp 4              +0.8 %: bubble 9.3 % instead of 8.9 %
  micro batch 1            +0.8 %: kernels and collectives take 4.8 % more
  micro batch 4            +5.2 %: bubble 15.3 % instead of 8.9 %
  schedule zb-h1:1         -3.7 %: bubble 5.3 % instead of 8.9 %
  recompute none           does not fit: 180.3 GiB of 78.3 GiB
  recompute selective      -10.9 %: 0.8 % of its FLOPs are recomputation, here 24.6 %
  ZeRO 0                   +0.4 %: kernels and collectives take 0.5 % more
  sequence parallelism     -1.6 %: kernels and collectives take 1.6 % less

28 candidates: 23 against the rules, 0 like another, 2 too large, 0 cannot win by their lower bound; 3 simulated.

# GPT-3 175B on 1,024 A100: the whole space. TP 4, PP 8, 12 chunks is NVIDIA's own recipe for as many H100.
$ plansim search --model gpt3-175b --hardware dgx-a100-80gb --gpus 1024 --global-batch 1536 --top 2
Best: 16.596 s a step (15.4 to 17.7), 185.1 tokens/s a GPU, MFU 63.9 %
  plansim run --model gpt3-175b --hardware dgx-a100-80gb --gpus 1024 --tp 4 --pp 8 --dp 32 --micro-batch 2 --global-batch 1536 --schedule interleaved:12 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
    16.596      185.1  63.9        1.5    4    8    32     2     24  interleaved:12   none          1 y 
    16.670      184.3  63.6       23.2    4    8    32     1     48  interleaved:12   none          1 y 

Less memory for more time (Pareto front, 12 of 46)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
    16.596      185.1  63.9        1.5    4    8    32     2     24  interleaved:12   none          1 y 
    17.039      180.3  62.2       23.8    4    8    32     1     48  zb-v:2           selective     1 y 
    17.791      172.7  59.6       38.8    8    8    16     2     48  interleaved:12   none          1 y 
    18.367      167.3  57.7       49.7    8    8    16     1     96  interleaved:12   none          1 y 
    19.147      160.4  55.4       56.4    8   16     8     1    192  interleaved:6    selective     1 y 
    20.313      151.2  52.2       60.0    8   32     4     1    384  zb-h1:1          none          1 y 
    21.605      142.2  49.1       63.0   16    8     8     1    192  interleaved:12   none          1 y 
    22.245      138.1  47.6       66.3   16   16     4     1    384  interleaved:6    none          1 y 
    22.947      133.9  46.2       67.1   16   16     4     1    384  1f1b:1           none          1 y 
    23.935      128.3  44.3       68.1   16   32     2     1    768  zb-h1:1          selective     1 y 
    35.441       86.7  29.9       73.6   32    1    32     8      6  1f1b:1           full          3 y 
    93.376       32.9  11.4       75.0   32    1    32     1     48  1f1b:1           full          3 y 

One step away from the best
  tp 8, dp 16              +7.2 %: kernels and collectives take 8.7 % more
  pp 4, dp 64              does not fit: 106.7 GiB of 78.3 GiB
  micro batch 1            +0.4 %: kernels and collectives take 1.9 % more
  schedule 1f1b:1          +23.9 %: bubble 22.2 % instead of 5.2 %
  schedule interleaved:2   does not fit: 90.9 GiB of 78.3 GiB
  schedule zb-h1:1         +8.5 %: bubble 11.2 % instead of 5.2 %
  recompute selective      +0.6 %: 0.5 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +32.6 %: 24.9 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 137.7 GiB of 78.3 GiB
  no sequence parallelism  does not fit: 115.1 GiB of 78.3 GiB

188160 candidates: 128181 against the rules, 27237 like another, 28494 too large, 3442 cannot win by their lower bound; 806 simulated.

# A price that is given, a power cap, a list to keep, two plans explained; where more GPUs stop helping.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 512..4096 --global-batch 1024 --keep tp=1,2 --keep recompute=none,selective --tokens 1T --usd-per-gpu-hour 2.5 --max-power 3MW --top 2 --explain 2
Best: 1.409 s a step (1.3 to 1.5), 11628.0 tokens/s a GPU, MFU 68.1 %, 1.9 days, 59.7 kUSD
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 512 --tp 1 --pp 1 --dp 512 --micro-batch 1 --global-batch 1024 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 2.50 USD a GPU-hour (as given)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512     1.409   68.1    100.0      1.9       1.8 to 2.1        23.9       59.7      16.7  1 x 1 x 512, batch 1024
    1024     0.708   67.7     99.5      1.0       0.9 to 1.1        24.0       60.0      16.8  1 x 1 x 1024, batch 1024
    2048     0.398   60.3     88.5      0.5       0.5 to 0.6        27.0       67.5      18.9  2 x 1 x 1024, batch 1024
    4096     0.367   32.7     48.0      0.5       0.5 to 0.5        49.8      124.4      34.8  2 x 2 x 1024, batch 1024
Knee at 2048 GPUs: beyond, one brings less than 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
     1.409    11628.0  68.1       19.1    1    1   512     1      2  1f1b:1           none          2 -      512  dgx-h100      1.9      59.7
     1.414    11587.2  67.8       33.1    1    1   512     1      2  1f1b:1           none          3 -      512  dgx-h100      2.0      59.9

Less memory for more time (Pareto front, 12 of 27)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
     1.409    11628.0  68.1       19.1    1    1   512     1      2  1f1b:1           none          2 -      512  dgx-h100      1.9      59.7
     0.708    11573.6  67.7       33.2    1    1  1024     1      1  1f1b:1           none          3 -     1024  dgx-h100      1.0      60.0
     1.532    10693.3  62.6       33.6    2    1   256     2      2  1f1b:1           none          3 y      512  dgx-h100      2.1      64.9
     0.787    10408.5  60.9       48.6    2    1   512     1      2  1f1b:1           none          2 y     1024  dgx-h100      1.1      66.7
     0.793    10335.7  60.5       55.5    2    1   512     1      2  1f1b:1           none          3 y     1024  dgx-h100      1.1      67.2
     0.415     9864.0  57.7       55.6    2    1  1024     1      1  1f1b:1           selective     3 y     2048  dgx-h100      0.6      70.4
     0.646     6345.0  37.1       57.7    2    8   128     1      8  zb-v:2           none          1 y     2048  dgx-h100      0.9     109.4
     0.410     4996.7  29.2       59.3    2    4   512     1      2  zb-v:2           none          1 y     4096  dgx-h100      0.6     139.0
     0.473     4325.3  25.3       62.8    2    8   256     1      4  zb-v:2           none          1 y     4096  dgx-h100      0.7     160.6
     0.606     3379.9  19.8       65.1    2    8   256     1      4  1f1b:1           none          1 y     4096  dgx-h100      0.8     205.5
     0.723     2833.2  16.6       66.3    2   16   128     1      8  1f1b:1           none          1 y     4096  dgx-h100      1.0     245.1
     0.948     2160.0  12.6       66.9    2   32    64     1     16  1f1b:1           selective     1 y     4096  dgx-h100      1.3     321.5

One step away from the best
  tp 2, dp 256             +12.7 %: kernels and collectives take 12.7 % more
  pp 2, dp 256             +29.0 %: bubble 22.4 % instead of 0.0 %
  micro batch 2            does not fit: 102.5 GiB of 78.0 GiB
  recompute selective      +4.7 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +30.2 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 178.3 GiB of 78.0 GiB
  ZeRO 1                   does not fit: 88.7 GiB of 78.0 GiB

One step away from number 2
  tp 2, dp 256             +13.3 %: kernels and collectives take 13.3 % more
  pp 2, dp 256             +29.5 %: bubble 22.3 % instead of 0.0 %
  micro batch 2            does not fit: 88.6 GiB of 78.0 GiB
  recompute selective      +4.7 %: 3.9 % of its FLOPs are recomputation, here 0.0 %
  recompute full           +30.1 %: 23.5 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 178.3 GiB of 78.0 GiB
  ZeRO 1                   does not fit: 88.7 GiB of 78.0 GiB

143360 candidates: 119700 against the rules, 19350 like another, 2292 too large, 163 cannot win by their lower bound; 1855 simulated.

# Weak scaling: so many samples a GPU.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 8..32 --global-batch 2/gpu --keep recompute=none --top 1 --explain 0
Best: 1.412 s a step (1.3 to 1.5), 11602.1 tokens/s a GPU, MFU 67.9 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 32 --tp 1 --pp 1 --dp 32 --micro-batch 1 --global-batch 64 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
       8     1.425   67.3    100.0        -                -           -          -         -  1 x 1 x 8, batch 16
      16     1.416   67.7    100.6        -                -           -          -         -  1 x 1 x 16, batch 32
      32     1.412   67.9    100.9        -                -           -          -         -  1 x 1 x 32, batch 64
No knee up to 32 GPUs: each still brings at least 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware   batch
     1.412    11602.1  67.9       15.6    1    1    32     1      2  1f1b:1           none          2 -       32  dgx-h100      64

Less memory for more time (Pareto front, 12 of 21)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware   batch
     1.412    11602.1  67.9       15.6    1    1    32     1      2  1f1b:1           none          2 -       32  dgx-h100      64
     1.416    11568.4  67.7       29.1    1    1    32     1      2  1f1b:1           none          3 -       32  dgx-h100      64
     1.571    10431.0  61.1       44.9    2    1    16     1      4  1f1b:1           none          2 y       32  dgx-h100      64
     1.788     9163.8  53.6       51.7    4    1     8     2      4  1f1b:1           none          3 y       32  dgx-h100      64
     1.900     8621.3  50.5       62.6    4    1     8     1      8  1f1b:1           none          3 y       32  dgx-h100      64
     2.563     6391.7  37.4       63.5    8    2     2     2     16  1f1b:1           none          1 y       32  dgx-h100      64
     2.622     6247.8  36.6       66.9    8    1     4     1     16  1f1b:1           none          2 y       32  dgx-h100      64
     2.985     5488.5  32.1       68.8    8    4     1     1     64  1f1b:1           none          0 y       32  dgx-h100      64
     3.794     4318.9  25.3       70.4   16    1     2     1     32  1f1b:1           none          2 y       32  dgx-h100      64
     3.866     4238.4  24.8       70.8   16    2     1     1     64  interleaved:16   none          0 y       32  dgx-h100      64
     3.871     4232.3  24.8       71.0   16    2     1     1     64  interleaved:4    none          0 y       32  dgx-h100      64
     7.092     2310.2  13.5       71.9   32    1     1     1     64  1f1b:1           none          0 y       32  dgx-h100      64

141120 candidates: 109947 against the rules, 28083 like another, 1921 too large, 175 cannot win by their lower bound; 994 simulated.

# A plan on other clusters.
$ plansim search narayanan-1.7b --hardware dgx-a100-80gb,dgx-h100 --schedule 1f1b --keep recompute=none --top 1 --explain 0
Best: 1.093 s a step (1.0 to 1.2), 29967.3 tokens/s a GPU, MFU 34.0 %
  plansim run narayanan-1.7b --hardware dgx-h100 --gpus 32 --tp 1 --pp 1 --dp 32 --micro-batch 4 --global-batch 512 --schedule 1f1b:1 --recompute none --zero 1 --runtime megatron-2021 --precision fp16

dgx-a100-80gb, 1.80 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      32     2.470   47.8    100.0        -                -           -          -         -  1 x 1 x 32, batch 512

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
      32     1.093   34.0    100.0        -                -           -          -         -  1 x 1 x 32, batch 512

The best by cost
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     1.093    29967.3  34.0        5.4    1    1    32     4      4  1f1b:1           none          1 -       32  dgx-h100

Less memory for more time (Pareto front, 12 of 26)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware
     1.093    29967.3  34.0        8.4    1    1    32     4      4  1f1b:1           none          2 -       32  dgx-h100
     1.129    29023.9  33.0       41.3    1    1    32     2      8  1f1b:1           none          2 -       32  dgx-h100
     1.205    27202.7  30.9       57.8    1    1    32     1     16  1f1b:1           none          2 -       32  dgx-h100
     1.443    22709.3  25.8       60.6    2    1    16     2     16  1f1b:1           none          3 y       32  dgx-h100
     1.739    18839.4  21.4       61.1    4    2     4     4     32  1f1b:1           none          1 y       32  dgx-h100
     3.146    10415.5  37.5       68.6    2    1    16     1     32  1f1b:1           none          3 -       32  dgx-a100-80gb
     3.554     9219.1  33.2       69.3    4    1     8     2     32  1f1b:1           none          3 y       32  dgx-a100-80gb
     4.504     7274.8  26.2       69.5    8    2     2     4     64  1f1b:1           none          1 y       32  dgx-a100-80gb
     5.275     6211.8  22.4       72.8    4    1     8     1     64  1f1b:1           none          2 y       32  dgx-a100-80gb
     6.349     5161.0  18.6       73.4    8    1     4     2     64  1f1b:1           none          3 y       32  dgx-a100-80gb
     9.751     3360.4  12.1       74.2    8    1     4     1    128  1f1b:1           none          2 -       32  dgx-a100-80gb
    11.613     2821.8  10.2       75.5    8    1     4     1    128  1f1b:1           none          3 y       32  dgx-a100-80gb

6720 candidates: 4480 against the rules, 1580 like another, 102 too large, 0 cannot win by their lower bound; 558 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --max-power 10kW
No plan fits.

What would make one
with 12 kW: plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 1 --pp 1 --dp 16 --micro-batch 1 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 2 --runtime megatron --precision bf16

117600 candidates: 83409 against the rules, 30642 like another, 2153 too large, 0 cannot win by their lower bound; 1396 simulated.
? 1

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --keep tp=16 --no-cross-node-tp
No plan fits.

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
