# PyTorch schedule files: written, read, replayed, refused.
$ plansim schedule 1f1b --pp 2 --microbatches 2 --quiet --csv -
0F0,0F1,0B0,0B1
1F0,1B0,1F1,1B1

$ plansim schedule 1f1b --pp 2 --microbatches 2 --quiet --csv-comms -
0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1,0REDUCE_GRAD,0RESHARD
1UNSHARD,1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1B1,1SEND_B1,1REDUCE_GRAD,1RESHARD

$ cd $T; plansim schedule dualpipe-v --pp 4 --microbatches 10 --quiet --csv pairs.csv; sha256sum <pairs.csv; plansim schedule pairs.csv --json | head -5
16ce4a29936e4c5ad774098add32489b4937942e3f5ab0108f17d2826b184529  -
{
  "makespan": 66,
  "busy": [60, 60, 60, 60],
  "own_span": [66, 65, 64, 63],
  "peak_chunks": [9, 9, 9, 9],

$ cd $T; plansim schedule zb-v --pp 4 --microbatches 8 --quiet --csv zb-v.csv; plansim schedule zb-v.csv
zb-v.csv, 4 ranks, 8 microbatches, 2 chunks a rank: makespan 51 ticks, bubble 3 = 5.9% of the total
PyTorch schedule file

bubble, three ways
  time               3 ticks = makespan 51 - busiest rank 48
  fraction of total  5.9% = 3 / 51
  ratio to ideal     6.2% = 3 / 48

by rank
  rank   busy  own span  idle before  inside  after    peak
        ticks     ticks        ticks   ticks  ticks  chunks
     0     48        48            0       0      3       8
     1     48        48            1       0      2       8
     2     48        48            2       0      1       8
     3     48        48            3       0      0       8

$ cd $T; plansim run gpt-48-layers-m8 --schedule zb-v.csv | head -1
gpt-48-layers-m8: 291 ms a step (248 ms to 333 ms), 221 TFLOP/s a GPU, fits in 84.1 GB (peak 19.1 GB on stage 0)

$ cd $T; plansim run gpt-48-layers-m32 --schedule zb-v.csv
plans/gpt-48-layers-m32.json:11:35: /batch/global: is 32, which makes 32 microbatches; zb-v.csv has 8: a batch of 8
? 3

$ cd $T; plansim show plan gpt-48-layers-m8 --set '/schedule={"name": "zb-v.csv"}' >plan.json; rm zb-v.csv; plansim run plan.json | head -1
gpt-48-layers-m8: 291 ms a step (248 ms to 333 ms), 221 TFLOP/s a GPU, fits in 84.1 GB (peak 19.1 GB on stage 0)

$ cd $T; printf '0F0,0B0,0F1,0B1\n1F1,1F0,1B1,1B0\n' >dead.csv; plansim schedule dead.csv
dead.csv, 2 ranks, 2 microbatches: DEADLOCK, 2 of 2 ranks cannot go on
PyTorch schedule file

where each rank stands
  rank  next  waits for
     0  B0    the backward of stage 1, microbatch 0, on rank 1
     1  F1    the forward of stage 0, microbatch 1, on rank 0
? 1

$ cd $T; printf '0F0,0B0,0F1,0B1\n1F1,1F0,1B1,1B0\n' >dead.csv; plansim run gpt-48-layers-m8 --pp 2 --gpus 2 --global-batch 2 --schedule ./dead.csv
schedule ./dead.csv deadlocks
rank 0: B0 waits for the backward of stage 1, microbatch 0, on rank 1
rank 1: F1 waits for the forward of stage 0, microbatch 1, on rank 0
? 1

$ cd $T; printf '0F0,0F1,2F0x,0B0\n1F0,1B0,x\n\n' >bad.csv; plansim schedule bad.csv
bad.csv:1:9: "2F0x" has "x" behind "2F0"; nothing may follow
bad.csv:2:9: "x" has no stage; expected stage, kind and microbatch, such as 2F0
bad.csv:3:1: blank line; PyTorch counts it as a rank: remove it
? 3

$ cd $T; printf '0F0,0B0,0W0\n' >old.csv; plansim schedule old.csv
old.csv:1:9: 0W0, and no I in all of the file, is the notation of PyTorch before late 2024, in which B meant I; write I for B
? 3

$ plansim schedule dualpipe --pp 4 --microbatches 8 --quiet --csv -
a bidirectional schedule has each stage on two ranks; in a PyTorch schedule file a stage has one rank, so it cannot be written
? 3

$ plansim schedule nosuch.csv
nosuch.csv: No such file or directory
? 4
