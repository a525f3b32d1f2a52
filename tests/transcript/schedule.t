# The golden numbers of pipeline schedules on whole ticks.
$ plansim schedule 1f1b --pp 4 --microbatches 8
1f1b, 4 ranks, 8 microbatches: makespan 33 ticks, bubble 9 = 27.3% of the total
1F1B (PipeDream-Flush, DAPPLE)

bubble, three ways
  time               9 ticks = makespan 33 - busiest rank 24
  fraction of total  27.3% = 9 / 33
  ratio to ideal     37.5% = 9 / 24
closed form, equal stages and free transfers: 27.3% of the total; (p-1)/m of the ideal time

by rank
  rank   busy  own span  idle before  inside  after    peak
        ticks     ticks        ticks   ticks  ticks  chunks
     0     24        33            0       9      0       4
     1     24        30            1       6      2       3
     2     24        27            2       3      4       2
     3     24        24            3       0      6       1

time   |0               8               16              24              32|
rank 0 |F0F1F2F3. . . . . . B0==F4B1==F5B2==F6B3==F7B4==. B5==. B6==. B7==|  peak 4
rank 1 |. F0F1F2. . . . B0==F3B1==F4B2==F5B3==F6B4==F7B5==. B6==. B7==. . |  peak 3
rank 2 |. . F0F1. . B0==F2B1==F3B2==F4B3==F5B4==F6B5==F7B6==. B7==. . . . |  peak 2
rank 3 |. . . F0B0==F1B1==F2B2==F3B3==F4B4==F5B5==F6B6==F7B7==. . . . . . |  peak 1
F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

$ plansim schedule gpipe --pp 4 --microbatches 8 --json
{
  "makespan": 33,
  "busy": [24, 24, 24, 24],
  "own_span": [33, 30, 27, 24],
  "peak_chunks": [8, 8, 8, 8],
  "bubble": {"time": 9, "fraction_of_total": 0.2727272727272727, "ratio_to_ideal": 0.375},
  "deadlock": null,
  "ranks": [
    ["F0", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7"],
    ["F0", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7"],
    ["F0", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7"],
    ["F0", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7"]
  ]
}

$ plansim schedule 1f1b --pp 4 --microbatches 8 --json
{
  "makespan": 33,
  "busy": [24, 24, 24, 24],
  "own_span": [33, 30, 27, 24],
  "peak_chunks": [4, 3, 2, 1],
  "bubble": {"time": 9, "fraction_of_total": 0.2727272727272727, "ratio_to_ideal": 0.375},
  "deadlock": null,
  "ranks": [
    ["F0", "F1", "F2", "F3", "B0", "F4", "B1", "F5", "B2", "F6", "B3", "F7", "B4", "B5", "B6", "B7"],
    ["F0", "F1", "F2", "B0", "F3", "B1", "F4", "B2", "F5", "B3", "F6", "B4", "F7", "B5", "B6", "B7"],
    ["F0", "F1", "B0", "F2", "B1", "F3", "B2", "F4", "B3", "F5", "B4", "F6", "B5", "F7", "B6", "B7"],
    ["F0", "B0", "F1", "B1", "F2", "B2", "F3", "B3", "F4", "B4", "F5", "B5", "F6", "B6", "F7", "B7"]
  ]
}

# Fewer microbatches than ranks.
$ plansim schedule 1f1b --pp 4 --microbatches 2 --json
{
  "makespan": 15,
  "busy": [6, 6, 6, 6],
  "own_span": [15, 12, 9, 6],
  "peak_chunks": [2, 2, 2, 1],
  "bubble": {"time": 9, "fraction_of_total": 0.6, "ratio_to_ideal": 1.5},
  "deadlock": null,
  "ranks": [
    ["F0", "F1", "B0", "B1"],
    ["F0", "F1", "B0", "B1"],
    ["F0", "F1", "B0", "B1"],
    ["F0", "B0", "F1", "B1"]
  ]
}

$ plansim schedule interleaved:2 --pp 4 --microbatches 4 --json
{
  "makespan": 33,
  "busy": [24, 24, 24, 24],
  "own_span": [33, 30, 27, 24],
  "peak_chunks": [8, 8, 7, 5],
  "bubble": {"time": 9, "fraction_of_total": 0.2727272727272727, "ratio_to_ideal": 0.375},
  "deadlock": null,
  "ranks": [
    ["0F0", "0F1", "0F2", "0F3", "4F0", "4F1", "4F2", "4F3", "4B0", "4B1", "4B2", "4B3", "0B0", "0B1", "0B2", "0B3"],
    ["1F0", "1F1", "1F2", "1F3", "5F0", "5F1", "5F2", "5F3", "5B0", "5B1", "5B2", "5B3", "1B0", "1B1", "1B2", "1B3"],
    ["2F0", "2F1", "2F2", "2F3", "6F0", "6F1", "6F2", "6B0", "6F3", "6B1", "6B2", "6B3", "2B0", "2B1", "2B2", "2B3"],
    ["3F0", "3F1", "3F2", "3F3", "7F0", "7B0", "7F1", "7B1", "7F2", "7B2", "7F3", "7B3", "3B0", "3B1", "3B2", "3B3"]
  ]
}

# Unequal stages.
$ printf '1 2 0\n1 2 0\n1 2 0\n2 4 0\n' >$T/times; plansim schedule 1f1b --pp 4 --microbatches 8 --stage-times $T/times --json
{
  "makespan": 57,
  "busy": [24, 24, 24, 48],
  "own_span": [57, 54, 51, 48],
  "peak_chunks": [4, 3, 2, 1],
  "bubble": {"time": 9, "fraction_of_total": 0.15789473684210525, "ratio_to_ideal": 0.1875},
  "deadlock": null,
  "ranks": [
    ["F0", "F1", "F2", "F3", "B0", "F4", "B1", "F5", "B2", "F6", "B3", "F7", "B4", "B5", "B6", "B7"],
    ["F0", "F1", "F2", "B0", "F3", "B1", "F4", "B2", "F5", "B3", "F6", "B4", "F7", "B5", "B6", "B7"],
    ["F0", "F1", "B0", "F2", "B1", "F3", "B2", "F4", "B3", "F5", "B4", "F6", "B5", "F7", "B6", "B7"],
    ["F0", "B0", "F1", "B1", "F2", "B2", "F3", "B3", "F4", "B4", "F5", "B5", "F6", "B6", "F7", "B7"]
  ]
}

# Latency.
$ for name in gpipe 1f1b; do plansim schedule $name --pp 4 --microbatches 8 --times 10,10,10 --latency 5 --json | grep makespan; done
  "makespan": 360,
  "makespan": 410,

# A deadlock: exit 1, each rank's head.
$ plansim schedule interleaved:3 --pp 4 --microbatches 5 --group 4
interleaved, 4 ranks, 5 microbatches, 3 chunks a rank: DEADLOCK, 4 of 4 ranks cannot go on
interleaved 1F1B (virtual pipeline stages)

where each rank stands
  rank  next  waits for
     0  8F4   the forward of stage 7, microbatch 4, on rank 3
     1  9F4   the forward of stage 8, microbatch 4, on rank 0
     2  10F4  the forward of stage 9, microbatch 4, on rank 1
     3  7B0   the backward of stage 8, microbatch 0, on rank 0
? 1

$ plansim schedule interleaved:3 --pp 4 --microbatches 5 --group 4 --json
{
  "makespan": null,
  "busy": null,
  "own_span": null,
  "peak_chunks": null,
  "bubble": null,
  "deadlock": {
    "heads": ["8F4", "9F4", "10F4", "7B0"]
  },
  "ranks": [
    ["0F0", "0F1", "0F2", "0F3", "4F0", "4F1", "4F2", "4F3", "8F0", "8F1", "8F2", "8F3", "0F4", "4F4", "8F4", "8B0", "8B1", "8B2", "8B3", "4B0", "4B1", "4B2", "4B3", "0B0", "0B1", "0B2", "0B3", "8B4", "4B4", "0B4"],
    ["1F0", "1F1", "1F2", "1F3", "5F0", "5F1", "5F2", "5F3", "9F0", "9F1", "9F2", "9F3", "1F4", "9B0", "5F4", "9B1", "9F4", "9B2", "9B3", "5B0", "5B1", "5B2", "5B3", "1B0", "1B1", "1B2", "1B3", "9B4", "5B4", "1B4"],
    ["2F0", "2F1", "2F2", "2F3", "6F0", "6F1", "6F2", "6F3", "10F0", "10F1", "10F2", "10B0", "10F3", "10B1", "2F4", "10B2", "6F4", "10B3", "10F4", "6B0", "6B1", "6B2", "6B3", "2B0", "2B1", "2B2", "2B3", "10B4", "6B4", "2B4"],
    ["3F0", "3F1", "3F2", "3F3", "7F0", "7F1", "7F2", "7F3", "11F0", "11B0", "11F1", "11B1", "11F2", "11B2", "11F3", "11B3", "3F4", "7B0", "7F4", "7B1", "11F4", "7B2", "7B3", "3B0", "3B1", "3B2", "3B3", "11B4", "7B4", "3B4"]
  ]
}
? 1

# The same in other formats.
$ plansim schedule 1f1b --pp 2 --microbatches 2 -f ascii
1f1b, 2 ranks, 2 microbatches: makespan 9 ticks, bubble 3 = 33.3% of the total

time   |0                 6        |
rank 0 |F0 F1 .  .  B0=== .  B1=== |  peak 2
rank 1 |.  F0 B0=== F1 B1=== .  .  |  peak 1
F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

$ plansim schedule 1f1b --pp 2 --microbatches 2 -f csv
rank,stage,chunk,microbatch,op,stream,start_ticks,dur_ticks
0,0,0,0,F,compute,0,1
0,0,0,1,F,compute,1,1
0,0,0,0,B,compute,4,2
0,0,0,1,B,compute,7,2
1,1,0,0,F,compute,1,1
1,1,0,0,B,compute,2,2
1,1,0,1,F,compute,4,1
1,1,0,1,B,compute,5,2

$ plansim schedule 1f1b --pp 2 --microbatches 2 -f markdown
| schedule | ranks | microbatches | chunks | makespan | bubble | of the total | of the ideal | peak chunks |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
| 1f1b | 2 | 2 | 1 | 9 | 3 | 33.3% | 50.0% | 2 |

$ plansim schedule 1f1b --pp 2 --microbatches 2 -q

# Bad input.
$ plansim schedule 1f1b --pp 0 --microbatches 8
0 ranks; expected at least 1
? 3

$ plansim schedule 1f1b --pp 4 --microbatches 0
0 microbatches; expected at least 1
? 3

$ plansim schedule 1f1b:2 --pp 4 --microbatches 8
2 chunks; schedule "1f1b" has 1 a rank
? 3

$ plansim schedule interleaved --pp 1 --microbatches 8
interleaved, 1 rank, 8 microbatches, 2 chunks a rank: makespan 48 ticks, bubble 0 = 0.0% of the total
interleaved 1F1B (virtual pipeline stages)

bubble, three ways
  time               0 ticks = makespan 48 - busiest rank 48
  fraction of total  0.0% = 0 / 48
  ratio to ideal     0.0% = 0 / 48
closed form, equal stages and free transfers: 0.0% of the total; (p-1)/(v m) of the ideal time

by rank
  rank   busy  own span  idle before  inside  after    peak
        ticks     ticks        ticks   ticks  ticks  chunks
     0     48        48            0       0      0       2

$ printf '1 2 0\n1 2\n' >$T/times; cd $T; plansim schedule 1f1b --pp 2 --microbatches 2 --stage-times times
times:2:1: must be three whole numbers up to 1000000000000: forward, input gradient, weight gradient
? 3

$ printf '1 2 0\n' >times; plansim schedule 1f1b --pp 2 --microbatches 2 --stage-times times
times of 1 stages; the schedule has 2
? 3

$ for o in chunks group slices; do plansim schedule interleaved --pp 4 --microbatches 8 --$o 0; done
plansim schedule: --chunks is 0; must be from 1 to 4294967295
plansim schedule: --group is 0; must be from 1 to 4294967295
plansim schedule: --slices is 0; must be from 1 to 4294967295
? 2
