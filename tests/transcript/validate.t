# Invented rows: the numbers mean nothing, the form is what counts.
$ plansim validate tests/validate/rows.json --worst 2
14 rows of 1 sources: 8 predicted, 6 left out

Step time
        rows   MAPE  median    p90    bias
  rows     6  41.4%   40.8%  53.5%  -41.4%
  all      6  41.4%   40.8%  53.5%  -41.4%

Memory
        rows   MAPE  median     p90    bias
  rows     4  66.1%   32.1%  143.0%  +26.5%
  all      4  66.1%   32.1%  143.0%  +26.5%

Does it fit? Measured/predicted
        fits/fits  fits/OOM  OOM/fits  OOM/OOM  accuracy  precision  recall
  rows          6         0         0        1    100.0%     100.0%  100.0%
  all           6         0         0        1    100.0%     100.0%  100.0%

Order of plans within groups that differ in nothing else
        groups  rows    rho  regret  worst
  rows       1     3  0.500    0.0%   0.0%
  all        1     3  0.500    0.0%   0.0%

Measured steps within their predicted range
        rows  within  share
  rows     6       0   0.0%
  all      6       0   0.0%

Left out
  rows  1  contradicts itself
        1  mixture of experts
        1  no step time, memory or verdict of a training step
        1  refused: /parallel/context
        1  refused: /parallel/tensor
        1  unknown GPU

Why they were left out
  experts        mixture of experts
  long           refused: /parallel/context: is 2; parts of attention are joined by fused kernels only, and flash_attention is false; must be 1
  unknown-gpu    unknown GPU: T4
  kernel         no step time, memory or verdict of a training step; expected numbers such as step_time_s under measured
  contradiction  tensor 1 x pipeline 1 x data 4 x context 1 = 4 GPUs, but it says 8
  refused        refused: /parallel/tensor: is 3; 16 heads do not divide over 3 tensor ranks; nearest: 2 or 4

Not stated, and assumed
  rows  1  heads of 128
        1  layers_per_stage, one fewer at both ends
        1  micro 1
        1  recompute "none"
        1  runtime megatron
        1  sequence_parallel false
        1  vocabulary of GPT-2, 50257
        1  zero_stage 0

The worst
  row        measured s  predicted s   error
  own-names         0.5       0.1864  -62.7%
  tp2               1.5       0.8361  -44.3%

$ plansim validate tests/validate/rows.json --json | head -1
{"schema": "plansim.validation/1", "rows": [

$ plansim validate tests/validate/rows.json --rows | head -1
id,source_file,skipped,hardware,runtime,model,layers,hidden,sequence,gpus,tp,cp,pp,vp,dp,micro_batch,microbatches,global_batch,zero_stage,schedule,recompute,sequence_parallel,precision,flash_attention,attention_kernel,measured_step_s,predicted_step_s,predicted_low_s,predicted_high_s,step_error,compute_s,recompute_s,tp_exposed_s,pp_exposed_s,cp_exposed_s,ep_exposed_s,dp_exposed_s,bubble_s,optimizer_s,other_s,mfu_fraction,measured_oom,predicted_oom,measured_peak_bytes,predicted_peak_bytes,memory_error,assumed

$ plansim validate tests/validate/rows.json --svg $T/p.svg -q; head -1 $T/p.svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 730" font-family="sans-serif" font-size="12">

$ plansim validate tests/validate/rows.json --only other
0 rows of 0 sources: 0 predicted, 0 left out

$ plansim validate nothing.json
nothing.json: cannot read: No such file or directory
? 4

$ plansim validate
plansim validate: ROWS.json... is missing
? 2

$ plansim validate tests/validate
tests/validate: cannot read: Is a directory
? 4
