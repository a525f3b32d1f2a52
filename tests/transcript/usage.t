# Wrong usage: exit 2, what is there, what would be right; nothing on standard output.
$ plansim rnu
plansim: unknown command "rnu"; did you mean "run"?
? 2

$ plansim frobnicate
plansim: unknown command "frobnicate"; must be one of --help, --version, help, run, check, compare, schedule, search, validate, calibrate, teach, serve, show, list
? 2

$ plansim --verison
plansim: unknown option "--verison"; did you mean "--version"?
? 2

$ plansim help shedule
plansim: unknown command "shedule"; did you mean "schedule"?
? 2

$ plansim 2>/dev/null
? 2

$ plansim run
plansim run: neither PLAN nor --model and --hardware; "plansim list plans" lists plans
? 2

$ plansim run --model llama-3-8b
plansim run: --hardware is missing; a new plan needs --model and --hardware
? 2

$ plansim run --modle llama-3-8b
plansim run: unknown option "--modle"; did you mean "--model"?
? 2

$ plansim run mt-nlg-530b mt-nlg-530b
plansim run: "mt-nlg-530b" is one word too many; expected [PLAN]
? 2

$ plansim run mt-nlg-530b --tp eight
plansim run: --tp is "eight"; must be a whole number
? 2

$ plansim run mt-nlg-530b --set parallel/tensor=8
plansim run: --set is "parallel/tensor=8"; must be /POINTER=VALUE, such as /parallel/tensor=8
? 2

$ plansim run mt-nlg-530b --tokens 1T
plansim run: --tokens is "1T"; must be a number such as 300e9
? 2

$ plansim run mt-nlg-530b -f jsn
plansim run: unknown format "jsn"; did you mean "json"?
? 2

$ plansim check mt-nlg-530b --format frobnicate
plansim check: unknown format "frobnicate"; "plansim list formats" lists them
? 2

$ plansim schedule
plansim schedule: NAME is missing
? 2

$ plansim schedule 1f1c --pp 4 --microbatches 8
plansim schedule: unknown schedule "1f1c"; did you mean "1f1b"?
? 2

$ plansim schedule 1f1b --microbatches 8
plansim schedule: --pp is missing
? 2

$ plansim schedule 1f1b --pp 4
plansim schedule: --microbatches is missing
? 2

$ plansim schedule 1f1b --pp 4 --microbatches 8 --times 1,1
plansim schedule: --times is "1,1"; must be three whole numbers, such as 1,1,1
? 2

$ plansim schedule 1f1b --pp 4 --microbatches 8 --times 1,1,1 --stage-times x
plansim schedule: --times and --stage-times exclude each other
? 2

$ plansim schedule 1f1b --pp 99999999999 --microbatches 8
plansim schedule: --pp is 99999999999; must be at most 4294967295
? 2

$ plansim show modle llama-3-8b
plansim show: unknown kind "modle"; did you mean "model"?
? 2

$ plansim show model
plansim show: KIND NAME|FILE | why MEMBER [PLAN] is missing
? 2

$ plansim show device h100
plansim show: no device "h100"; "plansim list devices" lists them
? 2

$ plansim show device a100-sxm4-80gb --set /sms=1
plansim show: --set does not reach into a device; it does into the plan that uses it
? 2

$ plansim list modles
plansim list: unknown kind "modles"; did you mean "models"?
? 2

# Nothing of it goes to standard output.
$ plansim run --modle x 2>/dev/null
? 2

# Files that are not there: exit 3 for a name, 4 for a path.
$ plansim show model llama-3-8bb
no model "llama-3-8bb"; did you mean "llama-3-8b"?
? 3

$ plansim run plans/nosuch.json
plans/nosuch.json: No such file or directory
? 4

$ plansim schedule 1f1b --pp 4 --microbatches 8 --stage-times nosuch
nosuch: No such file or directory
? 4

$ plansim list models -q -o x
plansim list: unknown option "-o"; "plansim list --help" lists them
? 2
