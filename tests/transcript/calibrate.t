# What is not understood.
$ plansim calibrate --backend gpu
plansim calibrate: backend "gpu"; did you mean "cpu"?
? 2

$ plansim calibrate --suite gem
plansim calibrate: suite "gem"; did you mean "gemm"?
? 2

$ plansim calibrate --suite ''
plansim calibrate: suite ""; must be one of launch, bandwidth, gemm, memory, attention, memcpy, nccl
? 2

# A core has no fused attention, and a suite that the machine has not measures nothing.
$ plansim calibrate --budget 1s --suite attention -o $T/none.json 2>&1 | sed "s/: .* (cpu)/: this machine (cpu)/"; test -e $T/none.json || echo "no file"
suite attention: this machine (cpu) has nothing that it measures
no file

$ plansim calibrate --budget 3x
plansim calibrate: --budget 3x: must be a time from 1 s to 24 h, such as 3min
? 2

$ plansim calibrate mt-nlg-530b
plansim calibrate: PLAN "mt-nlg-530b" is what --log is about; nothing else needs it
? 2

$ plansim calibrate --backend rocm
plansim calibrate: backend "rocm"; must be one of cpu, cuda
? 2

$ plansim calibrate --log "step_time: 20 s"
plansim calibrate: --log needs PLAN, whose step the line tells; "plansim list plans" lists plans
? 2

$ for rest in "--log 1s/it" "--suite gemm" "-o a.json" --resume; do plansim calibrate --check b.json $rest; echo $?; done
plansim calibrate: --check and --log exclude each other
2
plansim calibrate: --check and --suite exclude each other
2
plansim calibrate: --check and --output exclude each other
2
plansim calibrate: --check and --resume exclude each other
2

$ for rest in "--backend cpu" "--suite gemm" "--budget 3min" --resume; do plansim calibrate mt-nlg-530b --log 60s/it $rest; echo $?; done
plansim calibrate: --log and --backend exclude each other
2
plansim calibrate: --log and --suite exclude each other
2
plansim calibrate: --log and --budget exclude each other
2
plansim calibrate: --log and --resume exclude each other
2

$ for file in "" -; do plansim calibrate --budget 1s --suite launch -o "$file"; echo $?; done
plansim calibrate: --output "": must be the name of a file
2
plansim calibrate: --output "-": must be the name of a file
2

$ plansim calibrate mt-nlg-530b --log 60s/it -o ""
plansim calibrate: --output "": must be the name of a file
? 2

$ plansim calibrate --check hardware/dgx-h100.json
hardware/dgx-h100.json: /calibration: missing; only a file that "plansim calibrate" wrote can be gone on with or checked
? 3

$ plansim calibrate --resume -o none.json
none.json: No such file or directory
? 4

# What is no file is not done away with, nor waited for.
$ cd $T; mkfifo pipe; plansim calibrate --budget 1s --suite launch -o pipe; test -p pipe && echo there
pipe: cannot write: it is no file; a calibration is kept in one, so that it can go on later
there

$ cd $T; timeout -k 1 5 plansim calibrate --budget 1s --suite launch -o pipe --resume
pipe: is no file, and a calibration is kept in one
? 3

$ cd $T; timeout -k 1 5 plansim calibrate --check pipe
pipe: is no file, and a calibration is kept in one
? 3

# A file that is there stays, and a calibration goes on only when it is asked to.
$ echo '{"schema": "plansim.plan/1"}' > plan.json; plansim calibrate --budget 1s --suite launch -o plan.json; grep -o plansim.plan/1 plan.json
plan.json: is there and is no calibration; name another file
plansim.plan/1

$ cd $T; plansim calibrate --budget 1s --suite launch -q -o real.json; plansim calibrate --budget 1s --suite launch -o real.json
real.json: holds a calibration; add --resume, or name another file
? 3

$ cd $T; ln -s real.json link.json; plansim calibrate --budget 1s --suite launch -q --resume -o link.json; test -L link.json && grep -o plansim.hardware/1 real.json
plansim.hardware/1

$ plansim calibrate --budget 1s --suite launch -o $T/none/c.json 2>&1 | sed "s:.*/none/:none/:"
none/c.json: cannot write: No such file or directory

# What was not measured is a guess and says so.
$ cd $T; plansim calibrate --budget 1s --suite launch -q -o launch.json; plansim run --model gpt2-xl --hardware launch.json --gpus 1 --global-batch 1 --precision fp32 | grep -E "no product|no stream" | sed "s/^ *[^(]*(/(/"; plansim show why step.breakdown_s.compute --model gpt2-xl --hardware launch.json --gpus 1 --global-batch 1 --precision fp32 | grep "dense peak" | sed "s/= .* \[/= ... [/"
(guess: no product was measured: 16 operations a cycle); moves
  - dense peak = ... [guess]: no product was measured: 16 operations a cycle

# One line of a log.
$ plansim calibrate mt-nlg-530b --log "iteration 20 | elapsed time per iteration (ms): 60100.0 | loss 2"
measured 60.1 s, predicted 51.91 s: efficiency 0.755 x 0.8277 = 0.6249

$ plansim calibrate mt-nlg-530b --log "loss 2.1"
no step time is found in the line; it needs one of "elapsed time per iteration (ms): 15100.0", "step_time: 15.1 s", "15.1s/it"
? 3

$ plansim calibrate mt-nlg-530b --log "step_time: 1 ms"
measured 0.001 s, predicted 51.91 s: no efficiency of the matrix products alone explains it
? 1

$ plansim calibrate mt-nlg-530b --log "step_time: 20 s" -o $T/never.json; test -e $T/never.json || echo "no file"
measured 20 s, predicted 51.91 s: no efficiency of the matrix products alone explains it: it would take 4.27 of the peak
no file

$ plansim calibrate mt-nlg-530b --log "60.1s/it" -q -o /dev/stdout | grep -A1 provenance | head -2
    "gemm": {"form": "tile", "efficiency": 0.62492285594439856, "efficiency_fp8": 0, "bandwidth_fraction": 0.8, "launch": "1.7 us", "k0": 82, "tile_c": 35, "wave_soft": 0.75, "misaligned": 1.45, "odd": 2.65, "batched_misaligned": 0.53, "provenance": "transferred", "source": "one step of 60.1 s in a training log, a factor of 0.8277 on 0.755"},
    "attention": [

# A measured product is taken before the formula, and so is what lies between two of them.
$ plansim show why step.breakdown_s.compute --model gpt2-xl --hardware dgx-a100-80gb --gpus 1 --global-batch 2 --set '/hardware/device/gemm/table=[{"precision": "bf16", "layout": "TN", "m": 1024, "n": 4800, "k": 1600, "output_bytes": 2, "time": "77 us"}, {"precision": "bf16", "layout": "TN", "m": 512, "n": 6400, "k": 1600, "output_bytes": 2, "time": "50 us"}, {"precision": "bf16", "layout": "TN", "m": 2048, "n": 6400, "k": 1600, "output_bytes": 2, "time": "200 us"}]' | grep -E "^  (qkv|fc1) +F"
  qkv                F         1   77.0   15.7   28.5   204 TFLOP/s  FLOP/s, measured
  fc1                F         1  100.0   21.0   36.9   210 TFLOP/s  FLOP/s, between measured
