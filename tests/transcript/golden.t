# Published and replayed makespan, busy time, own span and peak chunks of every schedule.
$ plansim schedule naive --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 96,
  "busy": [24, 24, 24, 24],
  "own_span": [96, 93, 90, 87],
  "peak_chunks": [1, 1, 1, 1],

$ plansim schedule gpipe --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 33,
  "busy": [24, 24, 24, 24],
  "own_span": [33, 30, 27, 24],
  "peak_chunks": [8, 8, 8, 8],

$ plansim schedule 1f1b --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 33,
  "busy": [24, 24, 24, 24],
  "own_span": [33, 30, 27, 24],
  "peak_chunks": [4, 3, 2, 1],

$ plansim schedule 1f1b --pp 4 --microbatches 2 --json | sed -n 2,5p
  "makespan": 15,
  "busy": [6, 6, 6, 6],
  "own_span": [15, 12, 9, 6],
  "peak_chunks": [2, 2, 2, 1],

$ plansim schedule 1f1b --pp 8 --microbatches 32 --times 2,2,1 --json | sed -n 2,5p
  "makespan": 195,
  "busy": [160, 160, 160, 160, 160, 160, 160, 160],
  "own_span": [195, 190, 185, 180, 175, 170, 165, 160],
  "peak_chunks": [8, 7, 6, 5, 4, 3, 2, 1],

$ plansim schedule eager-1f1b --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 33,
  "busy": [24, 24, 24, 24],
  "own_span": [33, 30, 27, 24],
  "peak_chunks": [7, 5, 3, 1],

$ plansim schedule interleaved:2 --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 57,
  "busy": [48, 48, 48, 48],
  "own_span": [57, 54, 51, 48],
  "peak_chunks": [11, 9, 7, 5],

$ plansim schedule interleaved:2 --pp 4 --microbatches 4 --json | sed -n 2,5p
  "makespan": 33,
  "busy": [24, 24, 24, 24],
  "own_span": [33, 30, 27, 24],
  "peak_chunks": [8, 8, 7, 5],

$ plansim schedule interleaved:2 --pp 4 --microbatches 10 --group 5 --json | sed -n 2,5p
  "makespan": 69,
  "busy": [60, 60, 60, 60],
  "own_span": [69, 66, 63, 60],
  "peak_chunks": [12, 10, 8, 6],

$ plansim schedule interleaved:2 --pp 4 --microbatches 3 --group 3 --json | sed -n 2,5p
  "makespan": 30,
  "busy": [18, 18, 18, 18],
  "own_span": [30, 27, 24, 21],
  "peak_chunks": [6, 6, 6, 4],

$ plansim schedule looped-bfs --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 57,
  "busy": [48, 48, 48, 48],
  "own_span": [57, 54, 51, 48],
  "peak_chunks": [16, 16, 16, 16],

$ plansim schedule zb-h1 --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 27,
  "busy": [24, 24, 24, 24],
  "own_span": [27, 26, 25, 24],
  "peak_chunks": [4, 4, 4, 4],

$ plansim schedule zb-h1 --pp 4 --microbatches 8 --times 3,4,2 --json | sed -n 2,5p
  "makespan": 87,
  "busy": [72, 72, 72, 72],
  "own_span": [87, 82, 77, 72],
  "peak_chunks": [4, 4, 4, 4],

$ plansim schedule zb-h2 --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 27,
  "busy": [24, 24, 24, 24],
  "own_span": [24, 24, 24, 24],
  "peak_chunks": [7, 7, 7, 7],

$ plansim schedule zb-h2 --pp 4 --microbatches 8 --times 3,4,2 --json | sed -n 2,5p
  "makespan": 81,
  "busy": [72, 72, 72, 72],
  "own_span": [81, 78, 75, 72],
  "peak_chunks": [7, 7, 7, 7],

$ plansim schedule interleaved-zb --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 51,
  "busy": [48, 48, 48, 48],
  "own_span": [51, 50, 49, 48],
  "peak_chunks": [8, 8, 8, 8],

$ plansim schedule zb-v --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 51,
  "busy": [48, 48, 48, 48],
  "own_span": [48, 48, 48, 48],
  "peak_chunks": [8, 8, 8, 8],

$ plansim schedule zb-v --pp 4 --microbatches 8 --times 3,4,2 --json | sed -n 2,5p
  "makespan": 156,
  "busy": [144, 144, 144, 144],
  "own_span": [156, 153, 150, 147],
  "peak_chunks": [8, 8, 8, 8],

$ plansim schedule v-half --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 60,
  "busy": [48, 48, 48, 48],
  "own_span": [60, 58, 56, 54],
  "peak_chunks": [6, 6, 6, 6],

$ plansim schedule v-min --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 59,
  "busy": [48, 48, 48, 48],
  "own_span": [59, 57, 55, 54],
  "peak_chunks": [4, 4, 4, 4],

$ plansim schedule dualpipe --pp 8 --microbatches 20 --json | sed -n 2,5p
  "makespan": 66,
  "busy": [60, 60, 60, 60, 60, 60, 60, 60],
  "own_span": [66, 65, 64, 63, 63, 64, 65, 66],
  "peak_chunks": [9, 9, 9, 9, 9, 9, 9, 9],

$ plansim schedule dualpipe-v --pp 4 --microbatches 10 --json | sed -n 2,5p
  "makespan": 66,
  "busy": [60, 60, 60, 60],
  "own_span": [66, 65, 64, 63],
  "peak_chunks": [9, 9, 9, 9],

$ plansim schedule chimera --pp 4 --microbatches 4 --times 1,1,0 --json | sed -n 2,5p
  "makespan": 10,
  "busy": [8, 8, 8, 8],
  "own_span": [10, 8, 8, 10],
  "peak_chunks": [3, 4, 4, 3],

$ plansim schedule chimera --pp 4 --microbatches 8 --json | sed -n 2,5p
  "makespan": 30,
  "busy": [24, 24, 24, 24],
  "own_span": [30, 27, 27, 30],
  "peak_chunks": [3, 4, 4, 3],

$ plansim schedule chimera --pp 4 --microbatches 16 --json | sed -n 2,5p
  "makespan": 58,
  "busy": [48, 48, 48, 48],
  "own_span": [58, 55, 55, 58],
  "peak_chunks": [3, 4, 4, 3],

$ plansim schedule gems --pp 4 --microbatches 4 --json | sed -n 2,5p
  "makespan": 39,
  "busy": [12, 12, 12, 12],
  "own_span": [33, 34, 35, 36],
  "peak_chunks": [1, 1, 1, 1],

$ plansim schedule hanayo --pp 4 --microbatches 4 --json | sed -n 2,5p
  "makespan": 36,
  "busy": [24, 24, 24, 24],
  "own_span": [36, 33, 30, 27],
  "peak_chunks": [5, 6, 7, 8],

$ plansim schedule gpipe --pp 4 --microbatches 8 --times 10,10,10 --latency 5 --json | sed -n 2,5p
  "makespan": 360,
  "busy": [240, 240, 240, 240],
  "own_span": [360, 320, 280, 240],
  "peak_chunks": [8, 8, 8, 8],

$ plansim schedule 1f1b --pp 4 --microbatches 8 --times 10,10,10 --latency 5 --json | sed -n 2,5p
  "makespan": 410,
  "busy": [240, 240, 240, 240],
  "own_span": [410, 370, 330, 290],
  "peak_chunks": [4, 3, 2, 1],

$ plansim schedule eager-1f1b --pp 4 --microbatches 8 --times 10,10,10 --latency 5 --json | sed -n 2,5p
  "makespan": 360,
  "busy": [240, 240, 240, 240],
  "own_span": [360, 320, 280, 240],
  "peak_chunks": [7, 5, 3, 1],

# The last stage twice as heavy delays everyone m times.
$ printf '1 1 1\n1 1 1\n1 1 1\n2 2 2\n' >$T/times && plansim schedule 1f1b --pp 4 --microbatches 8 --stage-times $T/times --json | sed -n 2,3p
  "makespan": 57,
  "busy": [24, 24, 24, 48],

# So does the first, less.
$ printf '2 2 2\n1 1 1\n1 1 1\n1 1 1\n' >$T/times && plansim schedule 1f1b --pp 4 --microbatches 8 --stage-times $T/times --json | sed -n 2p
  "makespan": 51,

# A group shorter than the pipeline deadlocks.
$ plansim schedule interleaved:3 --pp 4 --microbatches 5 --group 4 --json >$T/json; echo "exit $?"; sed -n 7,9p $T/json
exit 1
  "deadlock": {
    "heads": ["8F4", "9F4", "10F4", "7B0"]
  },
