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

$ plansim search --model gpt3-175b --hardware dgx-h100 --gpus 512..1024 --global-batch 1536 --keep tp=8 --schedule 1f1b --for "300e9 tokens in 30 days" --mtbf 50000h --checkpoint-rate 50GB/s --restart 0.2h --top 1
Best: 14.175 s a step (11.5 to 16.9), 433.5 tokens/s a GPU, MFU 47.2 %, 15.6 days, 576.8 kUSD
  plansim run --model gpt3-175b --hardware dgx-h100 --gpus 512 --tp 8 --pp 4 --dp 16 --micro-batch 2 --global-batch 1536 --schedule 1f1b:1 --recompute none --zero 1 --sequence-parallel --runtime megatron --precision bf16

With failures: one in 97.7 hours on 512 GPUs; a checkpoint of 2.44 TB takes 49 s
  write one every 97 min (Young 98, Daly 97, best simulated 97); goodput 98.2 %, 4 failures
  15.9 days (5 % to 95 %: 15.8 to 16.1), of 1000 simulated runs

dgx-h100, 3.00 USD a GPU-hour (2025-2026)
    GPUs    step s   MFU %  scaling %     days             band k GPU-hours       kUSD       MWh  tp x pp x dp
     512    14.175   47.2    100.0     15.6     12.7 to 18.6       192.3      576.8     134.6  8 x 4 x 16, batch 1536
    1024     7.759   43.1     91.3      8.6      7.0 to 10.2       210.5      631.4     147.3  8 x 8 x 16, batch 1536
Knee: to 1024 GPUs each brings at least 80 % of what the first ones do.

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
  micro batch 1            +4.0 %: bubble 4.2 % instead of 6.6 %
  micro batch 4            +0.8 %: bubble 10.9 % instead of 6.6 %
  schedule interleaved:2   -4.1 %: bubble 4.2 % instead of 6.6 %
  schedule zb-h1:1         -2.6 %: bubble 4.1 % instead of 6.6 %
  recompute selective      +0.6 %: kernels and collectives take 0.7 % more
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
