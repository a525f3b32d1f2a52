# Every lesson, word for word: its numbers and pictures come from runs.
$ plansim teach
Lessons, each a page whose numbers and pictures are simulated:

   1  one-microbatch     Why one microbatch leaves all but one device idle
   2  fill-and-drain     Fill and drain: what microbatches buy
   3  gpipe-bubble       The bubble of GPipe against the number of microbatches
   4  activation-memory  What GPipe and 1F1B keep in memory
   5  same-bubble        Why 1F1B does not shrink the bubble
   6  interleaving       Interleaving: several chunks a device
   7  zero-bubble        Splitting the backward: almost no bubble
   8  tensor-parallel    Tensor parallelism on NVLink and over InfiniBand
   9  layout-530b        The layout of a 530 B model on 2240 GPUs
  10  zero               ZeRO: why should every replica keep the optimizer?
  11  textbook-mistakes  Two mistakes found in many texts

"plansim teach 1" shows the first, "plansim teach 1 --ask" its question alone.

$ plansim teach 1
# Why one microbatch leaves all but one device idle

A model too large for one device is cut into K stages, one a device. Stage 1
needs what stage 0 hands on, so with a single batch in flight the stages take
turns. Forward takes 1 tick a stage here, backward 2, and K is 4:

    naive, 4 ranks, 1 microbatch: makespan 12 ticks, bubble 9 = 75.0% of the total

    time   |0                 6                 |
    rank 0 |F0 .  .  .  .  .  .  .  .  .  B0=== |  peak 1
    rank 1 |.  F0 .  .  .  .  .  .  B0=== .  .  |  peak 1
    rank 2 |.  .  F0 .  .  .  B0=== .  .  .  .  |  peak 1
    rank 3 |.  .  .  F0 B0=== .  .  .  .  .  .  |  peak 1
    F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

Read the picture by columns: in every column exactly one device works. Each
device is busy for 3 of 12 ticks and waits for the rest, 75.0% of the time. That
is (K-1)/K, and it does not depend on how fast the stages are: four devices do
the work of one. What was bought is memory, not speed.

## Question

Eight devices instead of four, still one batch at a time. What share of the time
does a device wait?

## Answer

87.5%: busy for 3 of 24 ticks. More devices make it worse. The way out is to cut
the batch, not the model: see "fill-and-drain".

$ plansim teach 2
# Fill and drain: what microbatches buy

Cut the batch into M microbatches, and device 1 can begin on the first of them
while device 0 works on the second. Four devices, four microbatches, all
forwards before all backwards, which is the order of GPipe:

    gpipe, 4 ranks, 4 microbatches: makespan 21 ticks, bubble 9 = 42.9% of the total

    time   |0                 6                 12                18       |
    rank 0 |F0 F1 F2 F3 .  .  .  .  .  .  .  .  .  B0=== B1=== B2=== B3=== |  peak 4
    rank 1 |.  F0 F1 F2 F3 .  .  .  .  .  .  B0=== B1=== B2=== B3=== .  .  |  peak 4
    rank 2 |.  .  F0 F1 F2 F3 .  .  .  B0=== B1=== B2=== B3=== .  .  .  .  |  peak 4
    rank 3 |.  .  .  F0 F1 F2 F3 B0=== B1=== B2=== B3=== .  .  .  .  .  .  |  peak 4
    F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

The pipeline fills along the left edge, a device a tick, and drains along the
right edge. In the middle there is a gap as well: the last device turns round at
once, the first one waits until the wave comes back. Every device works for 12
ticks and waits for 9. A single microbatch left 75.0% idle, four of them leave
42.9%.

Why 9? The first microbatch has to pass the K-1 other stages on its way down and
again on its way up, at 1 and 2 ticks each: (K-1) x (1 + 2) = 9 ticks.

## Question

Add a fifth microbatch. How many ticks longer does the step get, and how much of
that is waiting?

## Answer

3 ticks, from 21 to 24: the work of one microbatch on one device. None of it is
waiting: the gap is still 9 ticks. Fill and drain are paid once a step, however
many microbatches there are.

$ plansim teach 3
# The bubble of GPipe against the number of microbatches

The idle time of a step is fixed, the work grows with M, so the share of idle
time falls. K is 4:

    gpipe, 4 ranks, 8 microbatches: makespan 33 ticks, bubble 9 = 27.3% of the total

    time   |0                 6                 12                18                24                30       |
    rank 0 |F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  .  .  .  .  .  .  B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== |  peak 8
    rank 1 |.  F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  .  .  .  B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== .  .  |  peak 8
    rank 2 |.  .  F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== .  .  .  .  |  peak 8
    rank 3 |.  .  .  F0 F1 F2 F3 F4 F5 F6 F7 B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== .  .  .  .  .  .  |  peak 8
    F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

Two numbers go by the name of bubble, and texts mix them up. Here the gap is 9
ticks. Against the whole step of 33 ticks that is 27.3%, the share of time that
devices wait: (K-1)/(M+K-1). Against the 24 ticks of work it is 37.5%, what the
step takes longer than without a gap: (K-1)/M.

    M     idle, share of the step     longer than ideal
     1              75.0%                  300.0%
     2              60.0%                  150.0%
     4              42.9%                   75.0%
     8              27.3%                   37.5%
    16              15.8%                   18.8%
    32               8.6%                    9.4%

The paper on GPipe calls the bubble negligible when M is at least 4 K.

## Question

How many microbatches does K = 4 need, so that devices wait for at most a fifth
of the step?

## Answer

12: the simulator says 20.0%. From (K-1)/(M+K-1) = 1/5 follows M = 4 (K-1). And
at M = 4 K = 16 it is 15.8%: "negligible" is in the eye of who pays for the
devices.

$ plansim teach 4
# What GPipe and 1F1B keep in memory

A backward needs the activations of its forward, so they are kept from F to B.
GPipe runs all forwards first:

    gpipe, 4 ranks, 8 microbatches: makespan 33 ticks, bubble 9 = 27.3% of the total

    time   |0                 6                 12                18                24                30       |
    rank 0 |F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  .  .  .  .  .  .  B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== |  peak 8
    rank 1 |.  F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  .  .  .  B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== .  .  |  peak 8
    rank 2 |.  .  F0 F1 F2 F3 F4 F5 F6 F7 .  .  .  B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== .  .  .  .  |  peak 8
    rank 3 |.  .  .  F0 F1 F2 F3 F4 F5 F6 F7 B0=== B1=== B2=== B3=== B4=== B5=== B6=== B7=== .  .  .  .  .  .  |  peak 8
    F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

When the first B begins, all 8 microbatches are in memory, on every device
alike. With 32 of them it would be 32: the cure for the bubble is what fills the
memory.

1F1B lets a backward go first as soon as it can. A device takes only as many
forwards ahead as there are stages from it to the end, then one backward, one
forward, in turn:

    1f1b, 4 ranks, 8 microbatches: makespan 33 ticks, bubble 9 = 27.3% of the total

    time   |0                 6                 12                18                24                30       |
    rank 0 |F0 F1 F2 F3 .  .  .  .  .  .  B0=== F4 B1=== F5 B2=== F6 B3=== F7 B4=== .  B5=== .  B6=== .  B7=== |  peak 4
    rank 1 |.  F0 F1 F2 .  .  .  .  B0=== F3 B1=== F4 B2=== F5 B3=== F6 B4=== F7 B5=== .  B6=== .  B7=== .  .  |  peak 3
    rank 2 |.  .  F0 F1 .  .  B0=== F2 B1=== F3 B2=== F4 B3=== F5 B4=== F6 B5=== F7 B6=== .  B7=== .  .  .  .  |  peak 2
    rank 3 |.  .  .  F0 B0=== F1 B1=== F2 B2=== F3 B3=== F4 B4=== F5 B5=== F6 B6=== F7 B7=== .  .  .  .  .  .  |  peak 1
    F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

The devices keep 4, 3, 2 and 1 microbatches at most. With 32 microbatches the
first one still keeps 4: the number no longer depends on M, only on K. The first
stage keeps the most, which is why it is often the first to run out of memory.

## Question

Only two microbatches on four stages. How many does the first device keep under
1F1B?

## Answer

2. There are no more: the peak is min(M, K - rank).

$ plansim teach 5
# Why 1F1B does not shrink the bubble

It looks busier, it is often sold as faster. Both orders on the same times:

    1f1b, 4 ranks, 8 microbatches: makespan 33 ticks, bubble 9 = 27.3% of the total

    time   |0                 6                 12                18                24                30       |
    rank 0 |F0 F1 F2 F3 .  .  .  .  .  .  B0=== F4 B1=== F5 B2=== F6 B3=== F7 B4=== .  B5=== .  B6=== .  B7=== |  peak 4
    rank 1 |.  F0 F1 F2 .  .  .  .  B0=== F3 B1=== F4 B2=== F5 B3=== F6 B4=== F7 B5=== .  B6=== .  B7=== .  .  |  peak 3
    rank 2 |.  .  F0 F1 .  .  B0=== F2 B1=== F3 B2=== F4 B3=== F5 B4=== F6 B5=== F7 B6=== .  B7=== .  .  .  .  |  peak 2
    rank 3 |.  .  .  F0 B0=== F1 B1=== F2 B2=== F3 B3=== F4 B4=== F5 B5=== F6 B6=== F7 B7=== .  .  .  .  .  .  |  peak 1
    F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

GPipe takes 33 ticks, 1F1B takes 33. The gaps have moved: GPipe waits once in
the middle, 1F1B a little before each backward of the tail. Their sum is 9 and 9
ticks. The first microbatch must travel down and up the other K-1 stages before
device 0 has all it needs, and no order of the same operations avoids that. What
1F1B saves is memory, 4 microbatches instead of 8; and memory saved may become a
larger M, which does shrink the bubble.

## Question

Let every transfer between devices take one tick. Which of the two is faster
now?

## Answer

GPipe: 39 ticks against 49 of 1F1B. With so few microbatches in flight, 1F1B has
none to spare that could cover the wire, and it waits for it again and again.
Running further ahead ("eager-1f1b") takes 39 ticks, for the price of memory.

$ plansim teach 6
# Interleaving: several chunks a device

Fill and drain cost K-1 stages of waiting. Make the stages shorter: give a
device not one long run of layers but v short ones, far apart in the model.
Device 0 has stages 0 and 4 of eight, device 1 has 1 and 5, and so on:

    interleaved, 4 ranks, 4 microbatches, 2 chunks a rank: makespan 33 ticks, bubble 9 = 27.3% of the total

    time   |0               4               8               12              16              20              24              28              32  |
    rank 0 |0F0 0F1 0F2 0F3 4F0 4F1 4F2 4F3 .   .   .   .   .   .   4B0==== .   4B1==== .   4B2==== .   4B3==== 0B0==== 0B1==== 0B2==== 0B3==== |  peak 8
    rank 1 |.   1F0 1F1 1F2 1F3 5F0 5F1 5F2 5F3 .   .   .   5B0==== .   5B1==== .   5B2==== .   5B3==== 1B0==== 1B1==== 1B2==== 1B3==== .   .   |  peak 8
    rank 2 |.   .   2F0 2F1 2F2 2F3 6F0 6F1 6F2 .   6B0==== 6F3 6B1==== .   6B2==== .   6B3==== 2B0==== 2B1==== 2B2==== 2B3==== .   .   .   .   |  peak 7
    rank 3 |.   .   .   3F0 3F1 3F2 3F3 7F0 7B0==== 7F1 7B1==== 7F2 7B2==== 7F3 7B3==== 3B0==== 3B1==== 3B2==== 3B3==== .   .   .   .   .   .   |  peak 5
    F forward, B backward, . idle; a cell is 1 tick; stage in front, microbatch behind; peak: chunks
    kept

A chunk is half a stage, so the ramp is half as long: 9 ticks of waiting for 24
of work, against 18 for 24 without chunks. In general the bubble is (K-1)/(v M)
of the work. With M = 8:

    v = 1    37.5% longer than ideal
    v = 2    18.8%
    v = 4     9.4%

It is not free. Every chunk hands its activations on, so there are v times as
many transfers. And device 0 keeps more: at most 11 chunks, which are 5.5 of its
microbatches instead of 4.

## Question

By which factor does v = 2 raise the memory of activations on the first device,
with K = 4?

## Answer

1.38, which is 1 + (K-1)/(K v). With more chunks it falls again.

$ plansim teach 7
# Splitting the backward: almost no bubble

A backward does two things. I, the gradient of the inputs, is what the stage
before waits for. W, the gradient of the weights, nobody waits for until the
optimizer. So hand I on first, and keep W for the time when there is nothing
else to do:

    zb-h1, 4 ranks, 8 microbatches: makespan 27 ticks, bubble 3 = 11.1% of the total

    time   |0                 6                 12                18                24       |
    rank 0 |F0 F1 F2 F3 .  .  .  I0 W0 F4 I1 W1 F5 I2 W2 F6 I3 W3 F7 I4 W4 I5 W5 I6 W6 I7 W7 |  peak 4
    rank 1 |.  F0 F1 F2 .  .  I0 F3 I1 W0 F4 I2 W1 F5 I3 W2 F6 I4 W3 F7 I5 W4 I6 W5 I7 W6 W7 |  peak 4
    rank 2 |.  .  F0 F1 .  I0 F2 I1 F3 I2 W0 F4 I3 W1 F5 I4 W2 F6 I5 W3 F7 I6 W4 I7 W5 W6 W7 |  peak 4
    rank 3 |.  .  .  F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 F5 I5 W2 F6 I6 W3 F7 I7 W4 W5 W6 W7 |  peak 4
    F forward, I input gradient, W weight gradient, . idle; a cell is 1 tick; number: microbatch; peak:
    chunks kept

This is ZB-H1. 27 ticks instead of the 33 of 1F1B, a bubble of 3 instead of 9: a
third. The memory of the first device is the same, but the last one now keeps 4
as well, since activations stay until W.

ZB-H2 runs further ahead, up to 7 microbatches in memory, and no device waits
between its own first and last operation: 24 ticks of which 24 are work. The
step still takes 27 ticks, as the devices begin and end at different times. To
gain from it they must begin the next step at different times too, without a
common barrier, such as a check of the gradient norm over all of them.

## Question

W takes as long as I in these pictures. Let F, I and W take 10, 15 and 5 ticks:
the same sum, a shorter W. Is ZB-H1 better or worse?

## Answer

Worse: the step is 25.0% longer than ideal, against 12.5%. W is the filler, and
there is less of it: (K-1) x (F + I - W) ticks of waiting. In attention, I is
longer than W, so real models lie on this side.

$ plansim teach 8
# Tensor parallelism on NVLink and over InfiniBand

A pipeline cuts a model between its layers, tensor parallelism cuts the matrices
inside a layer. Each GPU then has a part of every sum, and twice a layer and
direction all of them must add up what they have: an all-reduce of the whole
activations, and nothing can go on until it is done.

From afar a tensor group is one device: it has no bubble. What it has is
communication. The 18.4 B model of Narayanan et al. on 256 A100, 8 to a node:
each GPU puts 0.19 TB through such sums in a step.

    tensor parallel      step    waits for all-reduces, share of the step
     4, in a node       8.1 s          0.7 s   8.5%  ###
     8, in a node       9.5 s          1.6 s  16.4%  #######
    16, two nodes      12.3 s          3.2 s  26.2%  ##########

In a node, NVLink carries 300 GB/s in one direction from each A100. Between
nodes, InfiniBand HDR carries 25 GB/s for each. A group of 16 spans two nodes,
and its sums go through the slow link.

## Question

Take Megatron-Turing NLG 530B with tensor groups of 8, 51.9 s a step. Pull the
NVLinks out, so that each GPU reaches all others through its own InfiniBand
card. How long does a step take?

## Answer

82.4 s, 1.59 times as long: the all-reduces take 29.1 s instead of 3.5 s. Hence
the rule: tensor parallelism up to the size of a node, pipelines across nodes,
whose transfers are small and wait for one neighbour only.

$ plansim teach 9
# The layout of a 530 B model on 2240 GPUs

Megatron-Turing NLG has 530 B parameters. In 16 bits the weights alone are 1.06
TB, with gradients and Adam far more, and a GPU has 84.1 GB to use. How do they
fit?

- Tensor parallel 8: a node of 8 GPUs with NVLink holds a layer together.
- Pipeline parallel 35: 105 layers, 3 a stage, on 35 nodes. That is one replica,
  280 GPUs.
- Data parallel 8: 8 replicas share the batch of 1920, 240 microbatches each.

With so many microbatches no cell of the picture has room for its number, so
here is the shape with 35 stages in small, 5 stages and 20 microbatches:

    1f1b, 5 ranks, 20 microbatches: makespan 72 ticks, bubble 12 = 16.7% of the total

    time   |0               16              32              48              64      |
    rank 0 |FFFFF........B0FB1FB2FB3FB4FB5FB6FB7FB8FB9FBBFBBFBBFBBFBBFBB.BB.BB.BB.BB|  peak 5
    rank 1 |.FFFF......B0FB1FB2FB3FB4FB5FB6FB7FB8FB9FBBFBBFBBFBBFBBFBBFBB.BB.BB.BB..|  peak 4
    rank 2 |..FFF....B0FB1FB2FB3FB4FB5FB6FB7FB8FB9FBBFBBFBBFBBFBBFBBFBBFBB.BB.BB....|  peak 3
    rank 3 |...FF..B0FB1FB2FB3FB4FB5FB6FB7FB8FB9FBBFBBFBBFBBFBBFBBFBBFBBFBB.BB......|  peak 2
    rank 4 |....FB0FB1FB2FB3FB4FB5FB6FB7FB8FB9FBBFBBFBBFBBFBBFBBFBBFBBFBBFBB........|  peak 1
    F forward, B backward, . idle; a column is 1 tick; number: microbatch; peak: chunks kept

The first stage keeps the most activations, 35 microbatches of them. On its
GPUs:

    weights            4.1 GB
    gradients          8.2 GB
    Adam              24.7 GB
    activations       11.3 GB
    peak, in all      51.7 GB  of 84.1 GB

A step takes 51.9 s, 109 TFLOP/s a GPU; the paper measured 60.1 s. Devices wait
for 15.9% of it. The formula (K-1)/(M+K-1) says 12.4%, but it knows neither of
the head of the last stage nor of the wires.

All of that with recomputation: a stage keeps its inputs and runs each forward
once more before the backward. Without it the first stage would need 137.9 GB.

## Question

Twice as many GPUs, twice as many replicas, the same batch. Does a step take
half as long?

## Answer

No: 29.2 s, 1.78 times as fast. Each replica has only 120 microbatches left, so
the share of the bubble rises to 24.6%.

$ plansim teach 10
# ZeRO: why should every replica keep the optimizer?

Data parallel replicas hold the same weights and the same Adam state, each all
of it. That is 32 copies here, of a model of 1.65 billion parameters. ZeRO keeps
one and gives each replica 1/32 to look after. Stage 1 shares the optimizer out,
stage 2 the gradients as well, stage 3 even the weights:

    ZeRO     weights   gradients        Adam   in all
     0        3.3 GB      3.3 GB     19.8 GB   ########################################
     1        3.3 GB      3.3 GB      0.6 GB   ###########
     2        3.3 GB      0.1 GB      0.6 GB   ######
     3        0.1 GB      0.1 GB      0.6 GB   #

Adam in mixed precision is 12 of the 16 bytes of a parameter, a master copy and
two moments in fp32, so stage 1 takes away most. It does so for nothing: an
all-reduce of the gradients is a reduce-scatter and an all-gather anyway, and
between the two each replica updates its own part. 3584.0 ms a step against
3634.9 ms: even a little less, as each replica updates 32 times less. Stage 3
fetches the weights of each layer just before use, once forward and once
backward.

## Question

The 530 B plan has 8 replicas and 24.7 GB of Adam state on a GPU of the first
stage. What does ZeRO stage 1 leave of it?

## Answer

3.1 GB, an eighth. ZeRO divides by the number of replicas, no more: one replica
alone saves nothing.

$ plansim teach 11
# Two mistakes found in many texts

The first: 1F1B drawn without its waits. A picture often shown lists what each
device does, one cell after another, as if that were time:

    GPU 0   F0 F1 F2 F3 B0 F4 B1 F5 B2 ...
    GPU 1      F0 F1 F2 B0 F3 B1 F4 B2 ...

The order is right, for four devices. The times are not. B0 cannot follow F3 at
once on GPU 0: microbatch 0 has to pass three other devices down and up first.
On the clock it is

    1f1b, 4 ranks, 8 microbatches: makespan 33 ticks, bubble 9 = 27.3% of the total

    time   |0                 6                 12                18                24                30       |
    rank 0 |F0 F1 F2 F3 .  .  .  .  .  .  B0=== F4 B1=== F5 B2=== F6 B3=== F7 B4=== .  B5=== .  B6=== .  B7=== |  peak 4
    rank 1 |.  F0 F1 F2 .  .  .  .  B0=== F3 B1=== F4 B2=== F5 B3=== F6 B4=== F7 B5=== .  B6=== .  B7=== .  .  |  peak 3
    rank 2 |.  .  F0 F1 .  .  B0=== F2 B1=== F3 B2=== F4 B3=== F5 B4=== F6 B5=== F7 B6=== .  B7=== .  .  .  .  |  peak 2
    rank 3 |.  .  .  F0 B0=== F1 B1=== F2 B2=== F3 B3=== F4 B4=== F5 B5=== F6 B6=== F7 B7=== .  .  .  .  .  .  |  peak 1
    F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept

and GPU 0 is idle for 9 of 33 ticks. Whoever reads the list as a clock concludes
that 1F1B has no bubble. The list hides one thing more: it begins with 4
forwards because there are 4 devices. With 8 devices it begins with 8.

The second: 900 GB/s between A100s. That is the NVLink of H100, both directions
added. An A100 has 600 GB/s in both directions, which is 300 GB/s each way, and
an all-reduce sends each way. For the 530 B plan, a GPU's wait for tensor
parallel sums in a step:

    data sheet 900 GB/s, taken as one way    1.8 s
    300 GB/s each way, the same formula      3.6 s
    as measured on A100 nodes                3.5 s

## Question

How much of the 51.9 s step would the wrong figure hide?

## Answer

1.7 s or 3.3%: not much in so wide a model, more in a narrow one, whose sums
shrink less than its work. A figure for a link needs three words: which
generation, how many directions, measured or printed.

# The question alone; a name instead of a number.
$ plansim teach interleaving --ask
# Interleaving: several chunks a device

## Question

By which factor does v = 2 raise the memory of activations on the first device,
with K = 4?

# The picture as a file.
$ plansim teach fill-and-drain --quiet --svg "$T/lesson.svg" && grep -c "</svg>" "$T/lesson.svg"
1

$ plansim teach bubbles
no lesson "bubbles"; "plansim teach" lists the 11 there are
? 3

$ plansim teach 1 2
plansim teach: "2" is one word too many; expected [LESSON]
? 2

$ plansim teach --ask
plansim teach: --ask needs a LESSON; "plansim teach" lists them
? 2

$ plansim teach --svg x.svg
plansim teach: --svg needs a LESSON; "plansim teach" lists them
? 2
