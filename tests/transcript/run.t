# A plan file, a preset by name, a plan of options: the same question three ways.
$ plansim run plans/mt-nlg-530b.json --json >$T/file.json

$ plansim run mt-nlg-530b --json | grep -v -e '"plans/mt-nlg-530b.json",' -e '"mt-nlg-530b",' -e digest >$T/a; grep -v -e '"plans/mt-nlg-530b.json",' -e '"mt-nlg-530b",' -e digest $T/file.json | diff - $T/a

$ plansim run --model gpt2-xl --hardware dgx-a100-80gb --gpus 8 --micro-batch 1 --global-batch 64 -q

# The verdict is the exit code, and it is said in the first line.
$ plansim run gpt3-175b-one-gpu -q
? 1

$ plansim run gpt3-175b-one-gpu | head -1 | cut -d';' -f1
DOES NOT FIT: gpt3-175b-one-gpu needs 2.81 TB of 84.1 GB on stage 0

$ plansim check mt-nlg-530b -q

$ plansim check mt-nlg-530b --recompute none -q
? 1

# Where it goes.
$ plansim run mt-nlg-530b --json -o $T/out.json && cmp $T/out.json $T/file.json; ls $T
a
file.json
out.json

$ plansim run mt-nlg-530b -q --timeline $T/t.csv --trace $T/t.json && head -1 $T/t.csv && python3 -c 'import json,sys; print(sorted({e["ph"] for e in json.load(open(sys.argv[1]))["traceEvents"]}))' $T/t.json
rank,stage,chunk,microbatch,op,stream,start_s,dur_s
['C', 'M', 'X', 'f', 's']

$ plansim run mt-nlg-530b --json -o /nosuch/x
/nosuch/x: cannot write: No such file or directory
? 4

# JSON is JSON, whatever is asked.
$ plansim run mt-nlg-530b --json | python3 -c 'import json,sys; r=json.load(sys.stdin); print(r["schema_version"], r["verdict"]["fits"], len(r["stages"]), abs(sum(r["step"]["breakdown_s"].values()) - r["step"]["time_s"]) < 1e-9)'
1 True 35 True

# The same bytes twice, and by the event loop.
$ plansim run naive-pipeline --json >$T/1; plansim run naive-pipeline --json | cmp - $T/1

$ plansim run pipedream-1f1b --event-loop --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["step"]["time_s"])' >$T/e; plansim run pipedream-1f1b --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["step"]["time_s"])' | diff - $T/e

# Plans that contradict themselves: exit 3, nothing on standard output.
$ plansim run plans/mt-nlg-530b.json --tp 4
plans/mt-nlg-530b.json:9:11: /gpus: is 2240; tensor 4 x pipeline 35 x data 8 = 1120; nearest: gpus 1120, or data 16
? 3

$ plansim run plans/mt-nlg-530b.json --tp 4 2>/dev/null
? 3

$ plansim run mt-nlg-530b --global-batch 1921
--set /batch/global=1921: /batch/global: is 1921; 8 replicas x microbatches of 1 = 8 do not divide it; nearest: 1920 or 1928
? 3

$ plansim run mt-nlg-530b --schedule gpip
--set /schedule/name="gpip": /schedule/name: is "gpip"; must be one of naive, gpipe, gpipe-lifo, 1f1b, eager-1f1b, interleaved, looped-bfs, zb-h1, zb-h2, interleaved-zb, zb-v, v-half, v-min, dualpipe, dualpipe-v, chimera, gems, hanayo, terapipe, seq1f1b, pipedream, pipedream-2bw, bpipe, auto; did you mean "gpipe"?
? 3

$ plansim run mt-nlg-530b --set /batch/micor=2
--set /batch/micor=2: /batch/micor: unknown; must be one of micro, global
? 3

$ plansim run mt-nlg-530b --set /hardware/device/memory/total=80
--set /memory/total=80: /memory/total: is 80; a quantity needs its unit, such as "80 GiB"
? 3

$ plansim run mt-nlg-530b --recompute fulll
--set /recompute="fulll": /recompute: is "fulll"; must be one of none, selective, full; did you mean "full"?
? 3

$ plansim run mt-nlg-530b --model llama-3-8bb
--set /model="llama-3-8bb": /model: no model "llama-3-8bb"; did you mean "llama-3-8b"?
? 3

$ echo '{"schema": "plansim.plan/1", "name": "x",' >$T/bad.json; cd $T; plansim run ./bad.json
./bad.json:2:1: end of the text; expected a key in double quotes
? 3

$ printf '\xff' >bad.json; plansim run ./bad.json
./bad.json:1:1: byte 0xff is not UTF-8; expected UTF-8 text
? 3

# A model beside the plan, named from elsewhere.
$ mkdir sub; plansim show model gpt2-xl -o m.json; plansim show plan gpt-48-layers-m8 -o sub/p.json; plansim check sub/p.json -q --model m.json; echo $?
0

# Interrupted: 130, and no file is left.
$ (trap - INT; exec timeout -s INT --preserve-status 0.3 plansim run mt-nlg-530b-4480-gpus --unfold -q -o u.txt 2>/dev/null); echo $?; ls
130
1
a
bad.json
e
file.json
m.json
out.json
sub
t.csv
t.json

# Full recomputation of some layers of each stage, or of four from one input.
$ for s in /recompute_layers=0 /recompute_layers=4 /recompute_layers=8 /recompute_group=4; do plansim run --model llama-2-7b --hardware dgx-a100-80gb --gpus 8 --pp 4 --dp 2 --global-batch 64 --recompute full --set $s | sed -n 1p; done
command-line: 7.83 s a step (6.67 s to 8.99 s), 193 TFLOP/s a GPU, fits in 84.1 GB (peak 51.9 GB on stage 0)
command-line: 9.02 s a step (7.69 s to 10.4 s), 194 TFLOP/s a GPU, fits in 84.1 GB (peak 44.0 GB on stage 0)
command-line: 10.2 s a step (8.71 s to 11.7 s), 196 TFLOP/s a GPU, fits in 84.1 GB (peak 35.8 GB on stage 3)
command-line: 10.2 s a step (8.71 s to 11.7 s), 196 TFLOP/s a GPU, fits in 84.1 GB (peak 37.3 GB on stage 3)

# --set changes what the other options name, wherever it stands.
$ for a in '--schedule interleaved:2 --set /schedule/group=8' '--set /schedule/group=8 --schedule interleaved:2'; do plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 2 --pp 4 --global-batch 64 $a --json | grep '^    "time_s"'; done
    "time_s": 4.075663677474,
    "time_s": 4.075663677474,

# Weights in fp32 are their own master copy, in the arithmetic as in the table.
$ for p in bf16 fp32; do plansim run --model llama-3-8b --hardware dgx-h100 --gpus 16 --tp 2 --pp 4 --global-batch 64 --precision $p | grep -A1 'of fp32 weights'; done
  8.03 B parameters x 4 B = 32.1 GB of fp32 weights; x 12 B = 96.4 GB of Adam state (fp32 master
    copy and two moments); one h100-sxm5-80gb has 85.5 GB
  8.03 B parameters x 4 B = 32.1 GB of fp32 weights; x 8 B = 64.2 GB of Adam state (two moments);
    one h100-sxm5-80gb has 85.5 GB

$ plansim run mt-nlg-530b --measured-tflops 0
plansim run: --measured-tflops: is 0; must be more than 0
? 2

$ plansim run mt-nlg-530b --measured-tflops 113 --measured-step 60.1s
plansim run: --measured-step and --measured-tflops say the same; give one
? 2

# Slices of few tokens wait for the host.
$ for k in 1 4 128; do plansim run --model llama-3-8b --hardware dgx-h100 --micro-batch 1 --global-batch 16 --tp 2 --pp 4 --dp 1 --schedule seq1f1b --set /schedule/slices=$k --set /model/transformer/sequence=2048 | head -1; done
command-line: 609 ms a step (497 ms to 721 ms), 324 TFLOP/s a GPU, fits in 83.7 GB (peak 27.8 GB on stage 0)
command-line: 699 ms a step (571 ms to 826 ms), 283 TFLOP/s a GPU, fits in 83.7 GB (peak 24.4 GB on stage 0)
command-line: 19.3 s a step (15.8 s to 22.8 s), 10.2 TFLOP/s a GPU, fits in 83.7 GB (peak 23.9 GB on stage 3)
