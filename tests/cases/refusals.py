# SPDX-License-Identifier: MIT
"""What must be refused, or be answered in no uncertain terms; and what to do instead."""

from asking import case, near, plan, rising
from models import GPT_13B, GPT_65B, gpt

MEGATRON = "https://github.com/NVIDIA/Megatron-LM/issues/"


@case("megatron-80-layers-pp16-vp2", MEGATRON + "468",
      "80 layers, pipeline 16, chunks of two layers: a trainer built 64 of them. And you?")
def layers_lost(ask):
    answer = ask.run(plan(GPT_65B, "dgx-a100-80gb", pp=16, m=16, schedule="interleaved:2"))
    ask.holds("refused, exit code 3", answer.exit == 3 and not answer.figures)
    ask.holds("for 80 layers do not make 32 chunks",
              answer.says("80 layers do not divide over pipeline 16 x chunks 2 = 32 stages"),
              answer)
    ask.holds("and what would do is named", answer.says("nearest: 10 or 20 ranks"))


@case("megatron-40-layers-pp16", MEGATRON + "1303",
      "GPT 13B, 40 layers on 16 stages: a trainer lost 8 of them. What can be done?")
def uneven_13b(ask):
    even = ask.run(plan(GPT_13B, "dgx-a100-80gb", pp=16, m=64))
    uneven = ask.run(plan(GPT_13B, "dgx-a100-80gb", pp=16, m=64,
                          layers_per_stage=[3] * 8 + [2] * 8))
    ask.holds("refused as an even split", even.exit == 3 and even.says("40 layers do not divide"))
    ask.holds("an uneven one is offered, with its price",
              even.says(r"8 x 3, 8 x 2, whose fullest stage has 20 % more layers than the mean"),
              even)
    ask.holds("it runs with all layers", sum(uneven["plan.layers_per_stage"]) == 40)
    ask.holds("and says what the imbalance costs", uneven.says("the slowest has .* % more work"))
    ask.holds("in bubble", rising(uneven["pipeline.ideal_bubble_fraction"],
                                  uneven["pipeline.bubble_fraction"]))


@case("megatron-7-layers-pp2", MEGATRON + "381",
      "Seven layers on two stages, as 3 and 4?")
def three_and_four(ask):
    answer = ask.run(plan(gpt(7, 4096, 32, 51200, 2048), "dgx-a100-80gb", pp=2, m=64,
                          layers_per_stage=[3, 4]))
    slow, fast = answer["stages.1.busy_s"], answer["stages.0.busy_s"]
    ask.holds("simulated as asked", answer.exit == 0
              and [stage["layers"] for stage in answer["stages"]] == [3, 4])
    ask.holds("the slowest stage sets the pace: 64 microbatches of it and one fill",
              near(answer["step.time_s"], slow * (1 + 1 / 64), 0.02))
    ask.holds("while the other waits", rising(fast, slow))


@case("llama-fp16-7b-how-many", "https://github.com/deepspeedai/Megatron-DeepSpeed/issues/158",
      "Llama 7B, tensor 2 x pipeline 8: how many GPUs, and is it 17 GB on each?")
def llama_7b_on_16(ask):
    asked = plan("llama-2-7b", "dgx-a100-80gb", tp=2, pp=8, m=16)
    del asked["parallel"]["data"]
    for gpus in (8, 24):
        answer = ask.run({**asked, "gpus": gpus})
        ask.holds(f"{gpus} GPUs are refused, for multiples of 16",
                  answer.exit == 3 and answer.says("tensor 2 x pipeline 8 = 16 does not divide it"))
    answer = ask.run(asked)
    states = [answer.states(s) for s in range(8)]
    ask.holds("16 do", answer.exit == 0)
    ask.holds("18 B x 7 B / 16 of states on each, not 17 GB",
              near(sum(states) / 8, 6.74e9 * 18 / 16, 0.01), states)


@case("inference-sim-min-tp", "https://github.com/inference-sim/inference-sim/issues/624",
      "A model that cannot fit: does the tool warn and go on, or say what is needed?")
def says_no(ask):
    # The thread's model is a mixture of experts for inference; its manners are what is asked.
    asked = plan("llama-3-70b", "dgx-h100", tp=2)
    answer = ask.run(asked)
    text = ask.run(asked, "")
    fix = answer.fixes()[0] if answer.fixes() else ""
    degrees = dict(word.strip().split("=") for word in fix.split(",") if "=" in word)
    ask.holds("exit code 1", answer.exit == 1)
    ask.holds("the first line says no, and where", text.says("^DOES NOT FIT: .* on stage 0"))
    ask.holds("the breakdown is there", text.says("largest term is optimizer"))
    ask.holds("and the smallest change that fits", {"gpus", "tp", "pp", "dp"} <= set(degrees), fix)
    if degrees:
        changed = ask.run(plan("llama-3-70b", "dgx-h100", tp=int(degrees["tp"]),
                               pp=int(degrees["pp"]), dp=int(degrees["dp"]),
                               recompute=degrees.get("recompute", "none")))
        ask.holds("which does fit", changed.fits, changed)
