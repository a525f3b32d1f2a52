/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

/* The generator of manual pages and completions has no use for the functions, nor the library. */
#ifdef PSIM_TABLE_ONLY
#define DOES(function) NULL
#else
#define DOES(function) function
#endif

static const PsimCommandOption question_options[] = {
    {"model", 0, PSIM_VALUE_TEXT, "NAME|FILE", "the model", "list models", "/model"},
    {"hardware", 0, PSIM_VALUE_TEXT, "NAME|FILE", "the cluster", "list hardware", "/hardware"},
    {"runtime", 0, PSIM_VALUE_TEXT, "NAME|FILE", "the trainer's rules and bytes", "list runtimes",
     "/runtime"},
    {"gpus", 0, PSIM_VALUE_COUNT, "N", "GPUs in all", NULL, "/gpus"},
    {"tp", 0, PSIM_VALUE_COUNT, "N", "tensor parallel degree", NULL, "/parallel/tensor"},
    {"cp", 0, PSIM_VALUE_COUNT, "N", "context parallel degree", NULL, "/parallel/context"},
    {"pp", 0, PSIM_VALUE_COUNT, "N", "pipeline parallel degree", NULL, "/parallel/pipeline"},
    {"dp", 0, PSIM_VALUE_COUNT, "N", "data parallel degree", NULL, "/parallel/data"},
    {"sequence-parallel", 0, PSIM_VALUE_NONE, NULL, "split norms and dropout over tensor ranks",
     NULL, "/parallel/sequence_parallel"},
    {"micro-batch", 0, PSIM_VALUE_COUNT, "N", "samples of one microbatch", NULL, "/batch/micro"},
    {"global-batch", 0, PSIM_VALUE_COUNT, "N", "samples of one step", NULL, "/batch/global"},
    {"balance", 0, PSIM_VALUE_NONE, NULL, "split layers by time, embedding and head too", NULL,
     "/layers_per_stage=balanced"},
    {"recompute", 0, PSIM_VALUE_TEXT, "WHAT", "none, selective or full", "none selective full",
     "/recompute"},
    {"zero", 0, PSIM_VALUE_COUNT, "STAGE", "what is sharded over replicas, 0 to 3", "0 1 2 3",
     "/zero_stage"},
    {"precision", 0, PSIM_VALUE_TEXT, "TYPE", "fp32, tf32, fp16, bf16 or fp8",
     "fp32 tf32 fp16 bf16 fp8", "/precision"},
    {"tokens", 0, PSIM_VALUE_NUMBER, "N", "budget of the whole run: days, GPU-hours, cost", NULL,
     "/run/tokens"},
    {"usd-per-gpu-hour", 0, PSIM_VALUE_NUMBER, "X", "price of a GPU for an hour", NULL,
     "/run/usd_per_gpu_hour"},
    {"set", 0, PSIM_VALUE_MEMBER, "/POINTER=VALUE", "any member of plan, /model or /hardware", NULL,
     NULL},
    {0},
};

static const PsimCommandOption plan_schedule_options[] = {
    {"schedule", 0, PSIM_VALUE_SCHEDULE, "NAME[:CHUNKS]", "the pipeline schedule", "list schedules",
     "/schedule"},
    {0},
};

static const PsimCommandOption compare_options[] = {
    {"schedule", 0, PSIM_VALUE_TEXT, "NAME[:CHUNKS],...", "which schedules; all, if not given",
     "list schedules", NULL},
    {0},
};

static const PsimCommandOption comparison_format_options[] = {
    {"format", 'f', PSIM_VALUE_TEXT, "FORMAT", "text, json, markdown, svg or png",
     "text json markdown svg png", NULL},
    {"json", 0, PSIM_VALUE_NONE, NULL, "the same as --format json", NULL, NULL},
    {0},
};

static const PsimCommandOption replay_options[] = {
    {"unfold", 0, PSIM_VALUE_NONE, NULL, "every rank, not one of each kind", NULL, NULL},
    {"event-loop", 0, PSIM_VALUE_NONE, NULL, "events even where one pass would do", NULL, NULL},
    {0},
};

static const PsimCommandOption further_options[] = {
    {"sensitivity", 0, PSIM_VALUE_NONE, NULL, "also which inputs move the answer", NULL, NULL},
    {"measured-step", 0, PSIM_VALUE_TEXT, "TIME", "what would explain a step of 15.1s", NULL, NULL},
    {"measured-tflops", 0, PSIM_VALUE_NUMBER, "N", "the same from model TFLOP/s a GPU", NULL, NULL},
    {0},
};

static const PsimCommandOption format_options[] = {
    {"format", 'f', PSIM_VALUE_TEXT, "FORMAT", "how it is written; \"list\" lists", "list formats",
     NULL},
    {"json", 0, PSIM_VALUE_NONE, NULL, "the same as --format json", NULL, NULL},
    {0},
};

static const PsimCommandOption file_options[] = {
    {"output", 'o', PSIM_VALUE_TEXT, "FILE", "into a file, all of it or nothing", "FILE", NULL},
    {0},
};

static const PsimCommandOption answer_file_options[] = {
    {"output", 'o', PSIM_VALUE_TEXT, "FILE", "into a file; its ending, as .svg, is the format",
     "FILE", NULL},
    {0},
};

static const PsimCommandOption aside_options[] = {
    {"timeline", 0, PSIM_VALUE_TEXT, "FILE", "also every operation, as CSV", "FILE", NULL},
    {"trace", 0, PSIM_VALUE_TEXT, "FILE", "also a Chrome trace, for Perfetto", "FILE", NULL},
    {0},
};

static const PsimCommandOption common_options[] = {
    {"quiet", 'q', PSIM_VALUE_NONE, NULL, "no result on standard output", NULL, NULL},
    {"verbose", 'v', PSIM_VALUE_NONE, NULL, "say what is done, on standard error", NULL, NULL},
    {"color", 0, PSIM_VALUE_TEXT, "WHEN", "auto, always or never", "auto always never", NULL},
    {"help", 'h', PSIM_VALUE_NONE, NULL, "this help", NULL, NULL},
    {0},
};

static const PsimCommandOption schedule_options[] = {
    {"pp", 0, PSIM_VALUE_COUNT, "P", "pipeline ranks", NULL, NULL},
    {"microbatches", 0, PSIM_VALUE_COUNT, "M", "microbatches of a step", NULL, NULL},
    {"chunks", 0, PSIM_VALUE_COUNT, "V", "chunks a rank", NULL, NULL},
    {"group", 0, PSIM_VALUE_COUNT, "N", "microbatches that go together, else P", NULL, NULL},
    {"slices", 0, PSIM_VALUE_COUNT, "K", "token slices of a microbatch", NULL, NULL},
    {0},
};

static const PsimCommandOption csv_options[] = {
    {"csv", 0, PSIM_VALUE_TEXT, "FILE", "also the schedule, as PyTorch reads it", "FILE", NULL},
    {"csv-comms", 0, PSIM_VALUE_TEXT, "FILE", "the same with all communication", "FILE", NULL},
    {0},
};

static const PsimCommandOption time_options[] = {
    {"times", 0, PSIM_VALUE_TEXT, "F,I,W", "ticks of forward, input and weight gradient", NULL,
     NULL},
    {"stage-times", 0, PSIM_VALUE_TEXT, "FILE", "a line \"F I W\" for each virtual stage", "FILE",
     NULL},
    {"pair", 0, PSIM_VALUE_COUNT, "T", "ticks of a fused pair of F and B, else F + B", NULL, NULL},
    {"latency", 0, PSIM_VALUE_COUNT, "C", "ticks from rank to rank", NULL, NULL},
    {"channels", 0, PSIM_VALUE_NONE, NULL, "transfers of a link queue, C ticks each", NULL, NULL},
    {0},
};

static const PsimCommandOption space_options[] = {
    {"model", 0, PSIM_VALUE_TEXT, "NAME|FILE", "the model", "list models", "/model"},
    {"hardware", 0, PSIM_VALUE_TEXT, "NAME,...", "the cluster, or several", "list hardware", NULL},
    {"runtime", 0, PSIM_VALUE_TEXT, "NAME|FILE", "the trainer's rules and bytes", "list runtimes",
     "/runtime"},
    {"gpus", 0, PSIM_VALUE_TEXT, "N,...|N..N", "GPUs in all; N..N doubles", NULL, NULL},
    {"global-batch", 0, PSIM_VALUE_TEXT, "N,..|N/gpu", "samples of a step, or a GPU's", NULL, NULL},
    {"cp", 0, PSIM_VALUE_COUNT, "N", "context parallel degree, of all plans", NULL,
     "/parallel/context"},
    {"precision", 0, PSIM_VALUE_TEXT, "TYPE", "fp32, tf32, fp16, bf16 or fp8",
     "fp32 tf32 fp16 bf16 fp8", "/precision"},
    {"schedule", 0, PSIM_VALUE_TEXT, "NAME:V,...", "which schedules", "list schedules", NULL},
    {"keep", 0, PSIM_VALUE_TEXT, "NAME=VALUE", "tp, pp, micro-batch, recompute, zero ...", NULL,
     NULL},
    {"no-cross-node-tp", 0, PSIM_VALUE_NONE, NULL, "tensor parallelism inside a node only", NULL,
     NULL},
    {"exhaustive", 0, PSIM_VALUE_NONE, NULL, "simulate whatever is valid; prune nothing", NULL,
     NULL},
    {"set", 0, PSIM_VALUE_MEMBER, "/POINTER=VALUE", "any member of plan, /model or /hardware", NULL,
     NULL},
    {0},
};

static const PsimCommandOption limit_options[] = {
    {"for", 0, PSIM_VALUE_TEXT, "GOAL", "\"300e9 tokens in 30 days\"", NULL, NULL},
    {"tokens", 0, PSIM_VALUE_TEXT, "N", "budget of the whole run: 1.1T", NULL, NULL},
    {"rampup", 0, PSIM_VALUE_TEXT, "B,INC,N", "batch B first, INC more, whole after N samples",
     NULL, NULL},
    {"deadline", 0, PSIM_VALUE_TEXT, "TIME", "30d, 6w, 2months", NULL, NULL},
    {"budget", 0, PSIM_VALUE_TEXT, "USD", "2M", NULL, NULL},
    {"usd-per-gpu-hour", 0, PSIM_VALUE_NUMBER, "X", "price of a GPU for an hour", NULL,
     "/run/usd_per_gpu_hour"},
    {"max-memory", 0, PSIM_VALUE_TEXT, "SIZE", "of a GPU: 70GiB", NULL, NULL},
    {"max-power", 0, PSIM_VALUE_TEXT, "POWER", "of all GPUs, as rated: 500kW", NULL, NULL},
    {"failures", 0, PSIM_VALUE_TEXT, "MTBF,RATE,T",
     "of GPUs, checkpoints, restart: 50000h,50GB/s,1h", NULL, NULL},
    {0},
};

static const PsimCommandOption ranking_options[] = {
    {"rank-by", 0, PSIM_VALUE_TEXT, "WHAT", "step, throughput, cost or memory",
     "step throughput cost memory", NULL},
    {"top", 0, PSIM_VALUE_COUNT, "N", "plans shown, 10 without it", NULL, NULL},
    {"explain", 0, PSIM_VALUE_COUNT, "N", "of them, why their neighbours lose; 1 without it", NULL,
     NULL},
    {"json", 0, PSIM_VALUE_NONE, NULL, "everything, for scripts", NULL, NULL},
    {"csv", 0, PSIM_VALUE_NONE, NULL, "a plan a line, as CSV", NULL, NULL},
    {"jsonl", 0, PSIM_VALUE_NONE, NULL, "a plan a line, as JSON", NULL, NULL},
    {"output", 'o', PSIM_VALUE_TEXT, "FILE", "into a file; FILE.db: every result, resumable",
     "FILE", NULL},
    {"report", 0, PSIM_VALUE_TEXT, "FILE.db", "rank what a file holds; runs nothing", "FILE", NULL},
    {"jobs", 0, PSIM_VALUE_COUNT, "N", "threads; the answer is the same", NULL, NULL},
    {0},
};

static const PsimCommandOption row_options[] = {
    {"only", 0, PSIM_VALUE_TEXT, "SOURCE", "files whose name begins so", NULL, NULL},
    {"jobs", 0, PSIM_VALUE_COUNT, "N", "threads, 2 without it; the answer is the same", NULL, NULL},
    {0},
};

static const PsimCommandOption validation_options[] = {
    {"json", 0, PSIM_VALUE_NONE, NULL, "every row and every source, for scripts", NULL, NULL},
    {"rows", 0, PSIM_VALUE_NONE, NULL, "a line a row, as CSV", NULL, NULL},
    {"worst", 0, PSIM_VALUE_COUNT, "N", "also the rows that are furthest off", NULL, NULL},
    {"svg", 0, PSIM_VALUE_TEXT, "FILE", "also a picture, predicted against measured", "FILE", NULL},
    {0},
};

static const PsimCommandOption lesson_options[] = {
    {"ask", 0, PSIM_VALUE_NONE, NULL, "the question alone, without text and answer", NULL, NULL},
    {"svg", 0, PSIM_VALUE_TEXT, "FILE", "also the picture of the lesson", "FILE", NULL},
    {0},
};

static const PsimCommandOption calibrate_options[] = {
    {"backend", 0, PSIM_VALUE_TEXT, "NAME", "cpu: a core, OpenBLAS; cuda: a GPU", "cpu cuda", NULL},
    {"suite", 0, PSIM_VALUE_TEXT, "NAME,...", "which suites; all, if not given",
     "launch bandwidth gemm memory attention memcpy nccl", NULL},
    {"budget", 0, PSIM_VALUE_TEXT, "TIME", "for all suites: 3min, 90s", NULL, NULL},
    {"output", 'o', PSIM_VALUE_TEXT, "FILE", "the hardware file, else calibration.json", "FILE",
     NULL},
    {"resume", 0, PSIM_VALUE_NONE, NULL, "go on with what the file has", NULL, NULL},
    {0},
};

static const PsimCommandOption calibrate_other_options[] = {
    {"check", 0, PSIM_VALUE_TEXT, "FILE", "instead: measure some of it again, compare", "FILE",
     NULL},
    {"log", 0, PSIM_VALUE_TEXT, "LINE", "instead: the efficiency from a step of a log", NULL, NULL},
    {0},
};

static const PsimCommandOption server_options[] = {
    {"port", 0, PSIM_VALUE_COUNT, "N", "where to listen, else 8017; 0: any that is free", NULL,
     NULL},
    {"answer", 0, PSIM_VALUE_TEXT, "ADDRESS", "print one answer and end, without listening", NULL,
     NULL},
    {0},
};

static const PsimCommandOption list_options[] = {
    {"names", 0, PSIM_VALUE_NONE, NULL, "names alone, one a line", NULL, NULL},
    {0},
};

const PsimCommand psim_commands[] = {
    {
        .name = "run",
        .summary = "simulate one training step and report",
        .operands = "[PLAN]",
        .operands_help = "A plan file, or the name of a plan that is built in. Without it, --model "
                         "and --hardware begin a new one.",
        .choices = "list plans",
        .n_operands_max = 1,
        .topics = {{"The plan", question_options},
                   {"", plan_schedule_options},
                   {"The replay", replay_options},
                   {"", further_options},
                   {"The answer", format_options},
                   {"", answer_file_options},
                   {"", aside_options},
                   {"", common_options}},
        .examples = {{"run mt-nlg-530b", "step time, bubble and memory of 530 B on 280 nodes",
                      PSIM_EXIT_DONE},
                     {"run --model llama-3-8b --hardware dgx-a100-80gb --gpus 16 --tp 4 --pp 2 "
                      "--micro-batch 1 --global-batch 128 --json",
                      "a plan of your own, for scripts", PSIM_EXIT_DONE}},
        .exit_no = "the plan does not fit",
        .run = DOES(psim_command_run),
    },
    {
        .name = "check",
        .summary = "say whether a plan is well-formed and fits, without its time",
        .operands = "[PLAN]",
        .operands_help = "As for run.",
        .choices = "list plans",
        .n_operands_max = 1,
        .topics = {{"The plan", question_options},
                   {"", plan_schedule_options},
                   {"The answer", format_options},
                   {"", answer_file_options},
                   {"", common_options}},
        .examples = {{"check mt-nlg-530b", "does it fit?", PSIM_EXIT_DONE},
                     {"check mt-nlg-530b --recompute none --quiet",
                      "and without recomputation? The exit code tells", PSIM_EXIT_NO}},
        .exit_no = "the plan does not fit",
        .run = DOES(psim_command_check),
    },
    {
        .name = "compare",
        .summary = "several schedules or plans side by side",
        .operands = "[PLAN...]",
        .operands_help = "One plan under several schedules, or several plans as they are.",
        .choices = "list plans",
        .n_operands_max = 64,
        .topics = {{"The plan", question_options},
                   {"", compare_options},
                   {"The answer", comparison_format_options},
                   {"", answer_file_options},
                   {"", common_options}},
        .examples = {{"compare mt-nlg-530b --schedule gpipe,1f1b,eager-1f1b",
                      "what a schedule costs in time and memory", PSIM_EXIT_DONE},
                     {"compare mt-nlg-530b mt-nlg-530b-350-nodes mt-nlg-530b-420-nodes",
                      "three plans", PSIM_EXIT_DONE}},
        .exit_no = "none of them fits",
        .run = DOES(psim_command_compare),
    },
    {
        .name = "schedule",
        .summary = "replay a pipeline schedule by itself, on whole ticks",
        .operands = "NAME",
        .operands_help =
            "A schedule, see \"plansim list schedules\"; NAME:V for V chunks a rank. A name "
            "with a slash or the ending .csv is a PyTorch schedule file, which has its "
            "own ranks, microbatches and chunks.",
        .choices = "list schedules",
        .n_operands_min = 1,
        .n_operands_max = 1,
        .topics = {{"The schedule", schedule_options},
                   {"The times", time_options},
                   {"The answer", format_options},
                   {"", answer_file_options},
                   {"", csv_options},
                   {"", common_options}},
        .examples = {{"schedule 1f1b --pp 4 --microbatches 8", "the textbook picture",
                      PSIM_EXIT_DONE},
                     {"schedule interleaved:2 --pp 4 --microbatches 8 --times 1,1,1 --json",
                      "two chunks a rank, for scripts", PSIM_EXIT_DONE}},
        .exit_no = "the schedule deadlocks",
        .run = DOES(psim_command_schedule),
    },
    {
        .name = "search",
        .summary = "the best plans of a space, and how many GPUs a run takes",
        .operands = "[PLAN]",
        .operands_help = "Every valid plan is looked at; a PLAN gives what options leave out.",
        .choices = "list plans",
        .n_operands_max = 1,
        .topics = {{"The space", space_options},
                   {"The limits", limit_options},
                   {"The answer", ranking_options},
                   {"", common_options}},
        .examples = {{"search --model gpt2-xl --hardware aws-p5 --gpus 16 --global-batch 64",
                      "the fastest plan", PSIM_EXIT_DONE},
                     {"search --model llama-3-8b --hardware dgx-h100,dgx-a100-80gb --gpus 64..256 "
                      "--global-batch 256 --for \"300e9 tokens in 30 days\"",
                      "how many of which", PSIM_EXIT_DONE}},
        .exit_no = "no plan fits",
        .run = DOES(psim_command_search),
    },
    {
        .name = "validate",
        .summary = "compare predictions with measured steps, source by source",
        .operands = "ROWS.json...",
        .operands_help = "Files of measurements, see \"Measurements\" in plans/README.md.",
        .choices = "FILE",
        .n_operands_min = 1,
        .n_operands_max = 1000,
        .topics = {{"The rows", row_options},
                   {"The answer", validation_options},
                   {"", file_options},
                   {"", common_options}},
        .examples = {{"validate tests/validate/rows.json", "errors, and what was left out",
                      PSIM_EXIT_DONE},
                     {"validate tests/validate/rows.json --json", "the same, for scripts",
                      PSIM_EXIT_DONE}},
        .run = DOES(psim_command_validate),
    },
    {
        .name = "calibrate",
        .summary = "measure this machine, fit the constants of a hardware file",
        .operands = "[PLAN]",
        .operands_help =
            "Writes a hardware file after each case, for \"plansim run --hardware FILE\"; what was "
            "measured so far survives any interruption. A file that is there is not written over: "
            "name another one, or go on with it with --resume. See \"A calibration\" in "
            "hardware/README.md. PLAN is what the line of --log is of.",
        .choices = "list plans",
        .n_operands_max = 1,
        .topics = {{"The measurement", calibrate_options},
                   {"Something else", calibrate_other_options},
                   {"", common_options}},
        .examples = {{"calibrate mt-nlg-530b --log \"elapsed time per iteration (ms): 60100.0\"",
                      "the efficiency under which that plan takes that long", PSIM_EXIT_DONE},
                     {"calibrate --check hardware/dgx-h100.json", "only what was calibrated can be",
                      PSIM_EXIT_INPUT}},
        .exit_no = "the calibration does not hold, or no efficiency explains the step",
        .run = DOES(psim_command_calibrate),
    },
    {
        .name = "teach",
        .summary = "learn from lessons whose numbers and pictures are simulated",
        .operands = "[LESSON]",
        .operands_help = "A lesson's number or name; without it, the lessons there are.",
        .choices = "one-microbatch fill-and-drain gpipe-bubble activation-memory same-bubble "
                   "interleaving zero-bubble tensor-parallel layout-530b zero textbook-mistakes",
        .n_operands_max = 1,
        .topics = {{"The lesson", lesson_options}, {"", file_options}, {"", common_options}},
        .examples = {{"teach", "the lessons", PSIM_EXIT_DONE},
                     {"teach 1", "why one microbatch leaves devices idle", PSIM_EXIT_DONE},
                     {"teach zero-bubble --ask", "a question, without its answer", PSIM_EXIT_DONE}},
        .run = DOES(psim_command_teach),
    },
    {
        .name = "serve",
        .summary = "the same in a browser, on this machine alone",
        .operands = "",
        .operands_help =
            "Prints an address and listens there until interrupted. / is a page with sliders; "
            "/api/run?plan=NAME or ?model=NAME&hardware=NAME&gpus=N&tp=N... answers as \"plansim "
            "run --json\" does, /api/run.svg, .html, .chrome, .csv in other formats, "
            "/api/schedule?schedule=NAME&pp=P&microbatches=M likewise; /api/presets lists names.",
        .choices = "",
        .n_operands_max = 0,
        .topics = {{"The server", server_options}, {"", file_options}, {"", common_options}},
        .examples = {{"serve --answer /api/presets", "what may be asked", PSIM_EXIT_DONE},
                     {"serve --answer /api/run?plan=mt-nlg-530b", "as run mt-nlg-530b --json",
                      PSIM_EXIT_DONE}},
        .run = DOES(psim_command_serve),
    },
    {
        .name = "show",
        .summary = "print a model, a cluster, a plan, or where a number comes from",
        .operands = "KIND NAME|FILE | why MEMBER [PLAN]",
        .operands_help = "KIND is model, hardware, device, runtime or plan. MEMBER is one of the "
                         "JSON answer, such as step.time_s; PLAN and its options as for run.",
        .choices = "model hardware device runtime plan why",
        .n_operands_min = 2,
        .n_operands_max = 3,
        .topics = {{"The plan", question_options},
                   {"", plan_schedule_options},
                   {"The answer", file_options},
                   {"", common_options}},
        .examples = {{"show model llama-3-8b", "a preset, to start a file of your own",
                      PSIM_EXIT_DONE},
                     {"show why step.time_s mt-nlg-530b", "formula, inputs, constants, sources",
                      PSIM_EXIT_DONE}},
        .run = DOES(psim_command_show),
    },
    {
        .name = "list",
        .summary = "list what is built in",
        .operands = "[KIND]",
        .operands_help =
            "KIND is models, hardware, devices, plans, runtimes, schedules or formats; "
            "without it, the kinds.",
        .choices = "models hardware devices plans runtimes schedules formats",
        .n_operands_max = 1,
        .topics = {{"Options", list_options}, {"", common_options}},
        .examples = {{"list models", "every model that loads by name", PSIM_EXIT_DONE},
                     {"list schedules --names", "names alone, for scripts", PSIM_EXIT_DONE}},
        .run = DOES(psim_command_list),
    },
    {0},
};
