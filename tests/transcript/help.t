# The overview and the version.
$ plansim --version
plansim 0.1.0

$ plansim --help
plansim: simulate one training step of a parallel plan

Usage: plansim COMMAND [OPTION...]

  run        simulate one training step and report
  check      say whether a plan is well-formed and fits, without its time
  compare    several schedules or plans side by side
  schedule   replay a pipeline schedule by itself, on whole ticks
  search     the best plans of a space, and how many GPUs a run takes
  validate   compare predictions with measured steps, source by source
  calibrate  measure this machine, fit the constants of a hardware file
  teach      learn from lessons whose numbers and pictures are simulated
  serve      the same in a browser, on this machine alone
  show       print a model, a cluster, a plan, or where a number comes from
  list       list what is built in

"plansim COMMAND --help" explains a command, "plansim --version" names the version.

Begin with:
  plansim run mt-nlg-530b
  plansim schedule 1f1b --pp 4 --microbatches 8

Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 bad input, 4 cannot
read or write, 5 a fault of plansim, 130 interrupted

$ plansim help list
plansim list: list what is built in

Usage: plansim list [KIND] [OPTION...]

KIND is models, hardware, devices, plans, runtimes, schedules or formats;
without it, the kinds.

Examples:
  # every model that loads by name
  plansim list models
  # names alone, for scripts
  plansim list schedules --names

Options:
      --names                   names alone, one a line
  -q, --quiet                   no result on standard output
  -v, --verbose                 say what is done, on standard error
      --color WHEN              auto, always or never
  -h, --help                    this help

Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 cannot read or write, 5 a
fault of plansim, 130 interrupted

$ plansim schedule --help
plansim schedule: replay a pipeline schedule by itself, on whole ticks

Usage: plansim schedule NAME [OPTION...]

A schedule, see "plansim list schedules"; NAME:V for V chunks a rank. A name
with a slash or the ending .csv is a PyTorch schedule file, which has its own
ranks, microbatches and chunks.

Examples:
  # the textbook picture
  plansim schedule 1f1b --pp 4 --microbatches 8
  # two chunks a rank, for scripts
  plansim schedule interleaved:2 --pp 4 --microbatches 8 --times 1,1,1 --json

The schedule:
      --pp P                    pipeline ranks
      --microbatches M          microbatches of a step
      --chunks V                chunks a rank
      --group N                 microbatches that go together, else P
      --slices K                token slices of a microbatch

The times:
      --times F,I,W             ticks of forward, input and weight gradient
      --stage-times FILE        a line "F I W" for each virtual stage
      --pair T                  ticks of a fused pair of F and B, else F + B
      --latency C               ticks from rank to rank
      --channels                transfers of a link queue, C ticks each

The answer:
  -f, --format FORMAT           how it is written; "list" lists
      --json                    the same as --format json
  -o, --output FILE             into a file; its ending, as .svg, is the format
      --csv FILE                also the schedule, as PyTorch reads it
      --csv-comms FILE          the same with all communication
  -q, --quiet                   no result on standard output
  -v, --verbose                 say what is done, on standard error
      --color WHEN              auto, always or never
  -h, --help                    this help

Exit codes: 0 done, 1 the schedule deadlocks, 2 wrong usage, 3 bad input, 4
cannot read or write, 5 a fault of plansim, 130 interrupted

# The same help in three ways.
$ diff <(plansim run --help) <(plansim help run) && diff <(plansim run --help) <(plansim run -h)

# A choice that is "list" lists.
$ plansim run --schedule list | head -1
naive           one microbatch in the whole pipeline at a time; the baseline of every comparison

# Without a command: the overview, on standard error.
$ plansim 2>&1 >/dev/null | head -1
plansim: simulate one training step of a parallel plan
