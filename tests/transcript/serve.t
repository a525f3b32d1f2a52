# Answers to addresses, without a server: the bytes of the command line.
$ plansim serve --answer "/api/schedule.ascii?schedule=1f1b&pp=4&microbatches=8"
1f1b, 4 ranks, 8 microbatches: makespan 33 ticks, bubble 9 = 27.3% of the total

time   |0                 6                 12                18                24                30       |
rank 0 |F0 F1 F2 F3 .  .  .  .  .  .  B0=== F4 B1=== F5 B2=== F6 B3=== F7 B4=== .  B5=== .  B6=== .  B7=== |  peak 4
rank 1 |.  F0 F1 F2 .  .  .  .  B0=== F3 B1=== F4 B2=== F5 B3=== F6 B4=== F7 B5=== .  B6=== .  B7=== .  .  |  peak 3
rank 2 |.  .  F0 F1 .  .  B0=== F2 B1=== F3 B2=== F4 B3=== F5 B4=== F6 B5=== F7 B6=== .  B7=== .  .  .  .  |  peak 2
rank 3 |.  .  .  F0 B0=== F1 B1=== F2 B2=== F3 B3=== F4 B4=== F5 B5=== F6 B6=== F7 B7=== .  .  .  .  .  .  |  peak 1
F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

$ plansim serve --answer "/api/run?plan=mt-nlg-530b" | cmp - <(plansim run mt-nlg-530b --json) && echo same
same

# And its refusals.
$ plansim serve --answer "/api/schedule?schedule=1f1b&pp=4"
400 plansim schedule: --microbatches is missing
? 3

$ plansim serve --answer "/api/schedule?schedule=1f2b&pp=4&microbatches=8"
400 plansim schedule: unknown schedule "1f2b"; did you mean "1f1b"?
? 3

$ plansim serve --answer "/api/run?plan=../../etc/passwd"
400 plan is "../../etc/passwd"; must be a number, or the name of something that is built in
? 3

$ plansim serve --answer "/api/run?plan=mt-nlg-530b&output=x"
400 unknown parameter "output"
? 3

$ plansim serve --answer "/api/run?plan=mt-nlg-530b&global-batch=1073741824"
413 --set /batch/global=1073741824: /batch/global: is 1073741824; makes 134217728 microbatches; at most 16777216 (PSIM_LIMIT_MICROBATCHES)
? 3

$ plansim serve --answer "/etc/passwd"
404 nothing is here; try / or /api/presets, /api/run, /api/schedule
? 3

$ plansim serve --port 70000
plansim serve: --port is 70000; must be at most 65535
? 2
