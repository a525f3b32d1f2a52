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

$ plansim search --model gpt3-175b --hardware dgx-h100 --gpus 512..1024 --global-batch 1536 --keep tp=8 --schedule 1f1b --for "300e9 tokens in 30 days" --mtbf 50000h --checkpoint-rate 50GB/s --restart 0.2h --top 1
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
  recompute selective      +0.6 %: kernels and collectives take 0.7 % more
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

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --tokens 1T --mtbf 50000h
plansim search: --mtbf needs --checkpoint-rate, --restart and --tokens or --for
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
