# The best plans of a space. Small spaces, so that it is quick.
$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 3 --keep tp=2,4
Best: 6.221 s a step (5.7 to 6.7), 10534.1 tokens/s a GPU, MFU 61.7 %
  plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 2 --pp 1 --dp 8 --micro-batch 2 --global-batch 128 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

The best by step
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.221    10534.1  61.7        6.3    2    1     8     2      8  1f1b:1           none          1 y 
     6.221    10534.1  61.7       19.4    2    1     8     2      8  1f1b:1           none          2 y 
     6.223    10531.6  61.6       10.9    2    1     8     2      8  1f1b:1           none          2 - 

Less memory for more time (Pareto front, 12 of 19)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP
     6.221    10534.1  61.7       19.4    2    1     8     2      8  1f1b:1           none          2 y 
     6.246    10492.3  61.4       25.4    2    1     8     2      8  1f1b:1           none          3 y 
     6.396    10247.0  60.0       43.0    2    1     8     1     16  1f1b:1           none          3 - 
     6.459    10146.9  59.4       47.3    2    1     8     1     16  1f1b:1           none          3 y 
     7.461     8783.4  51.4       47.5    4    1     4     2     16  1f1b:1           none          3 y 
     7.674     8539.6  50.0       49.5    4    1     4     1     32  1f1b:1           none          2 - 
     7.768     8436.2  49.4       52.1    4    1     4     1     32  1f1b:1           none          3 - 
     7.935     8259.3  48.3       58.4    4    1     4     1     32  1f1b:1           none          3 y 
     8.440     7765.1  45.5       62.2    2    1     8     1     16  1f1b:1           full          3 - 
     8.467     7739.9  45.3       63.4    2    1     8     1     16  1f1b:1           full          3 y 
    10.413     6293.8  36.8       63.9    4    1     4     1     32  1f1b:1           full          2 y 
    10.507     6237.4  36.5       66.5    4    1     4     1     32  1f1b:1           full          3 y 

One step away from the best
  tp 1, dp 16              does not fit: 137.8 GiB of 78.0 GiB
  tp 4, dp 4               +19.2 %: kernels and collectives take 19.2 % more
  pp 2, dp 4               +10.8 %: bubble 9.6 % instead of 0.0 %
  micro batch 1            +3.0 %: kernels and collectives take 3.0 % more
  micro batch 4            does not fit: 115.4 GiB of 78.0 GiB
  recompute selective      +4.3 %: kernels and collectives take 4.3 % more
  recompute full           +31.2 %: 15.6 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   does not fit: 111.0 GiB of 78.0 GiB
  no sequence parallelism  does not fit: 80.2 GiB of 78.0 GiB

33600 candidates: 18780 against the rules, 13050 like another, 809 too large, 441 cannot win by their lower bound; 520 simulated.

$ plansim search --model llama-3-8b --hardware dgx-h100 --gpus 16 --global-batch 128 --top 2 --keep tp=2 --csv
ordinal,hardware,gpus,tp,pp,dp,schedule,chunks,micro_batch,global_batch,microbatches,recompute,zero_stage,sequence_parallel,balanced,step_ps,tokens_per_s,mfu_fraction,peak_bytes,capacity_bytes,days,gpu_hours,usd,mwh
1288,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,1,1,0,6221315743437,168545.69728375634,0.61659604955862868,76998072647.68,83738230784,,,,
2128,dgx-h100,16,2,1,8,1f1b,1,2,128,8,none,2,1,0,6221315743437,168545.69728375634,0.61659604955862868,62944649543.68,83738230784,,,,

$ plansim search --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --global-batch 16
No plan fits.

What would make one
with 57.8 GiB a GPU instead of 38.3: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 2 --tp 2 --pp 1 --dp 1 --micro-batch 1 --global-batch 16 --schedule 1f1b:1 --recompute full --zero 0 --sequence-parallel --runtime megatron --precision bf16
with 4 GPUs: plansim run --model llama-2-7b --hardware dgx-a100-40gb --gpus 4 --tp 2 --pp 1 --dp 2 --micro-batch 1 --global-batch 16 --schedule 1f1b:1 --recompute none --zero 3 --sequence-parallel --runtime megatron --precision bf16

47040 candidates: 36960 against the rules, 5040 like another, 5040 too large, 0 cannot win by their lower bound; 0 simulated.
? 1

$ plansim search --model gpt3-175b --hardware dgx-h100 --gpus 512..1024 --global-batch 1536 --keep tp=8 --schedule 1f1b --for "300e9 tokens in 30 days" --mtbf 50000h --checkpoint-rate 50GB/s --restart 0.2h --top 1
Best: 14.677 s a step (13.4 to 15.9), 418.6 tokens/s a GPU, MFU 45.5 %, 16.2 days, 597.2 kUSD
  plansim run --model gpt3-175b --hardware dgx-h100 --gpus 512 --tp 8 --pp 8 --dp 8 --micro-batch 1 --global-batch 1536 --schedule 1f1b:1 --recompute none --zero 1 --runtime megatron --precision bf16

With failures: one in 97.7 hours on 512 GPUs; a checkpoint of 2.44 TB takes 49 s
  write one every 97 min (Young 98, Daly 97, best simulated 97); goodput 98.2 %, 4 failures
  16.5 days (5 % to 95 %: 16.4 to 16.7), of 1000 simulated runs

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512    14.677   45.5    100.0     16.2     14.8 to 17.6       199.1      597.2     139.3  8 x 8 x 8, batch 1536
    1024     7.741   43.2     94.8      8.5       7.8 to 9.3       210.0      629.9     147.0  8 x 8 x 16, batch 1536
Knee: to 1024 GPUs each brings at least 80 % of what the first ones do.

The best by throughput
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.677      418.6  45.5       27.6    8    8     8     1    192  1f1b:1           none          1 -      512  dgx-h100     16.2     597.2

Less memory for more time (Pareto front, 12 of 23)
    step s  tok/s/GPU   MFU   GiB free   tp   pp    dp micro      m  schedule         recompute  ZeRO SP    GPUs  hardware     days      kUSD
    14.677      418.6  45.5       27.6    8    8     8     1    192  1f1b:1           none          1 -      512  dgx-h100     16.2     597.2
    14.937      411.3  44.8       34.9    8   16     4     1    384  1f1b:1           none          1 -      512  dgx-h100     16.5     607.8
    15.049      408.3  44.4       38.3    8    8     8     2     96  1f1b:1           selective     1 y      512  dgx-h100     16.6     612.3
    15.391      399.2  43.4       45.7    8   16     4     2    192  1f1b:1           selective     1 y      512  dgx-h100     17.0     626.3
    15.794      389.0  42.3       48.3    8    8     8     1    192  1f1b:1           selective     1 y      512  dgx-h100     17.4     642.7
    16.102      381.6  41.5       55.7    8   16     4     1    384  1f1b:1           selective     1 y      512  dgx-h100     17.8     655.2
    16.728      367.3  40.0       59.2    8   32     2     1    768  1f1b:1           none          1 y      512  dgx-h100     18.5     680.7
    17.101      359.3  39.1       65.0    8    1    64     8      3  1f1b:1           full          3 y      512  dgx-h100     18.9     695.8
    22.021      279.0  30.4       68.4    8   32     2     1    768  1f1b:1           full          1 y      512  dgx-h100     24.3     896.0
    11.456      268.2  29.2       70.6    8   32     4     1    384  1f1b:1           full          1 y     1024  dgx-h100     12.6     932.3
    13.545      226.8  24.7       71.2    8   64     2     2    384  1f1b:1 bal       full          1 y     1024  dgx-h100     15.0    1102.3
    23.475      130.9  14.2       72.6    8    1   128     2      6  1f1b:1           full          3 y     1024  dgx-h100     25.9    1910.4

One step away from the best
  tp 4, dp 16              -11.9 %: kernels and collectives take 14.7 % less
  tp 16, dp 4              +31.0 %: kernels and collectives take 33.6 % more
  pp 4, dp 16              +0.2 %: bubble 4.0 % instead of 5.4 %
  pp 16, dp 4              +1.8 %: bubble 7.7 % instead of 5.4 %
  micro batch 2            does not fit: 81.0 GiB of 78.0 GiB
  schedule interleaved:2   -2.4 %: bubble 3.8 % instead of 5.4 %
  schedule zb-h1:1         -1.4 %: bubble 4.0 % instead of 5.4 %
  recompute selective      +0.9 %: kernels and collectives take 1.0 % more
  recompute full           +34.5 %: 24.0 % of its FLOPs are recomputation, here 0.0 %
  ZeRO 0                   +1.2 %: kernels and collectives take 1.7 % more
  sequence parallelism     +6.7 %: kernels and collectives take 6.6 % more

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
plansim search: --keep: "depth=3" is not tp=N, pp=N, micro-batch=N, recompute=WHAT, zero=STAGE or sequence-parallel=yes
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
