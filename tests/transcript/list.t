# What is built in. Descriptions are the files' own.
$ plansim list
models
hardware
devices
plans
runtimes
schedules
formats

$ plansim list schedules
naive           one microbatch in the whole pipeline at a time; the baseline of every comparison
gpipe           all forwards, then all backwards; holds the activations of every microbatch
gpipe-lifo      GPipe with the backwards in reverse, as in the paper's figure; same time, same memory
1f1b            one forward, one backward in turn; the bubble of gpipe, at most p microbatches held
eager-1f1b      1f1b that runs further ahead to hide transfers; holds up to 2p-1 microbatches
interleaved     1f1b over v chunks a rank; a bubble v times smaller for v times the transfers
looped-bfs      gpipe over v chunks a rank; weights of a chunk are gathered once each way
zb-h1           weight gradients fill the bubble; a third of 1f1b's, p microbatches on every rank
zb-h2           no idle time between a rank's first and last operation, if F, I and W are equal
interleaved-zb  zb-h1 over v chunks a rank; a third of the bubble of interleaved
zb-v            no idle time inside a rank's own span, if F, I and W are equal; memory of 1f1b
v-half          two chunks in a V with about half the activations of 1f1b
v-min           two chunks in a V with about a third of the activations of 1f1b
dualpipe        microbatches from both ends, F of one with B of the other; weights twice
dualpipe-v      dualpipe folded to a V of two chunks a rank, F of one with B of the other
chimera         two replicas in opposite directions fill each other's idle times; weights twice
gems            one microbatch at a time, directions in turn; the least memory; weights twice
hanayo          two chunks a rank for each wave down the ranks and up; no second copy of weights
terapipe        gpipe over K slices of each sequence; a bubble K times smaller, all slices held
seq1f1b         1f1b over K slices of each sequence; bubble and memory shrink together
pipedream       1f1b without a flush: no bubble, stale weights, up to p versions of them
pipedream-2bw   1f1b without a flush, one update for m microbatches; two versions of the weights
bpipe           1f1b whose early ranks keep activations on late ones; about p/2 held on each
auto            searched for, to the stages' own times and free memory; never worse than any schedule of one replica with its chunks

$ plansim list schedules --names
naive
gpipe
gpipe-lifo
1f1b
eager-1f1b
interleaved
looped-bfs
zb-h1
zb-h2
interleaved-zb
zb-v
v-half
v-min
dualpipe
dualpipe-v
chimera
gems
hanayo
terapipe
seq1f1b
pipedream
pipedream-2bw
bpipe
auto

$ plansim list models --names
alexnet
amoebanet-d-18-256
bert-large
bloom-176b
gpipe-transformer
gpt-48-layers
gpt2-xl
gpt3-175b
llama-2-70b
llama-2-7b
llama-3-405b
llama-3-70b
llama-3-8b
megatron-lm-1.2b
megatron-lm-2.5b
megatron-lm-4.2b
megatron-lm-8.3b
mt-nlg-530b
narayanan-1.7b
narayanan-145.6b
narayanan-18.4b
narayanan-1t
narayanan-3.6b
narayanan-310.1b
narayanan-39.1b
narayanan-529.6b
narayanan-7.5b
narayanan-76.1b

$ plansim list plans --names
alexnet-two-gtx-580
bloom-176b
data-parallel-ring
gpipe-amoebanet-4
gpipe-transformer-16
gpt-48-layers-m32
gpt-48-layers-m8
gpt3-175b-one-gpu
megatron-lm-8.3b-512-v100
mt-nlg-530b
mt-nlg-530b-350-nodes
mt-nlg-530b-420-nodes
mt-nlg-530b-4480-gpus
naive-pipeline
narayanan-1.7b
narayanan-145.6b
narayanan-18.4b
narayanan-1t
narayanan-3.6b
narayanan-310.1b
narayanan-39.1b
narayanan-529.6b
narayanan-7.5b
narayanan-76.1b
pipedream-1f1b

$ plansim list runtimes --names
aleph-alpha-2023
deepspeed
deepspeed-2021
framework-free
framework-free-sgd
gpipe
ideal
llm-foundry-2023
megatron
megatron-2021
megatron-2022
nanotron
nemo
pytorch-fsdp
torchtitan

$ plansim list models -q

$ plansim list models | grep -c .
28

$ plansim list formats | grep -v ^png
text      the answer for people: verdict, step, bubble, memory, what to try next
json      every figure, for scripts; stable names, units in them
markdown  the table row of issue threads, and the line of a training log
chrome    a trace for Perfetto or chrome://tracing, with memory and arrows
ascii     a Gantt chart of characters, up to 200 columns wide
csv       the timeline, a row a task, for spreadsheets and pandas
svg       a picture for slides and papers: timeline, memory, where the step goes
html      one page with everything: zoom, hover, memory, sources; opens offline

# A preset, as it is understood.
$ plansim show model gpt2-xl
{
  "schema": "plansim.model/1",
  "name": "gpt2-xl",
  "about": "GPT-2 XL, 1.56B",
  "source": "Radford et al. 2019, table 2; published config of gpt2-xl",
  "transformer": {
    "layers": 48,
    "hidden": 1600,
    "heads": 25,
    "kv_heads": 25,
    "head_dim": 64,
    "ffn_hidden": 6400,
    "vocabulary": 50257,
    "sequence": 1024,
    "gated_mlp": false,
    "tied_embeddings": true,
    "causal": true,
    "biases": true,
    "dropout": true,
    "positions": "learned",
    "norm": "layernorm"
  }
}

$ plansim show model gpt2-xl --set /transformer/layers=2 | grep layers
    "layers": 2,

# Written whole or not at all.
$ plansim show model gpt2-xl -o $T/model.json && plansim show model $T/model.json | diff - $T/model.json

$ (cd $T && plansim show model gpt2-xl -o nosuch/model.json); echo $?; ls $T
nosuch/model.json: cannot write: No such file or directory
4
model.json
