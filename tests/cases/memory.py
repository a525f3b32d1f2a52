# SPDX-License-Identifier: MIT
"""Does it fit, on which stage not, and which term decides?"""

from asking import between, case, falls_short, near, plan, rising
from models import (CI_7B, FALCON_40B, GPT2_LARGE, GPT_40B, LLAMA_64B, NEOX_13B, NEOX_20B,
                    bf16_adam, gpt)

DEEPSPEED = "https://github.com/deepspeedai/DeepSpeed/issues/"
MEGATRON = "https://github.com/NVIDIA/Megatron-LM/"


@case("ds-zero2-dp1-no-saving", DEEPSPEED + "237",
      "40 B parameters, tensor 8 on eight V100 of 32 GB, ZeRO 2: why no saving, and how many GPUs?")
def zero_2_alone(ask):
    def asked(recompute):
        return plan(GPT_40B, "azure-ndv2", tp=8, zero_stage=2, precision="fp16",
                    runtime="deepspeed", recompute=recompute)

    answer = ask.run(asked("none"))
    plain = ask.run({**asked("none"), "zero_stage": 0})
    ask.holds("does not fit, exit code 1", answer.exit == 1 and not answer.fits)
    ask.holds("ZeRO 2 saves nothing here", near(answer.states(), plain.states()))
    ask.holds("says that data 1 is why", "data 1" in answer.warns("zero-alone")["message"])
    ask.holds("and that replicas would help", "replicas" in answer.warns("zero-alone")["fix"])
    replicas = [int(change.split(",")[0].removeprefix("gpus="))
                for each in (answer, ask.run(asked("full")))
                for change in each.fixes() if "dp=" in change and "tp=" not in change]
    ask.holds("between full recomputation and none lie the maintainer's 48 GPUs",
              len(replicas) == 2 and replicas[1] <= 48 <= replicas[0], replicas)


@case("megatron-cp-equals-mbs", MEGATRON + "pull/7220",
      "Hidden 512 and a vocabulary of 50257: do two context ranks need what half the batch does?")
def context_equals_batch(ask):
    # Layers are not told; these few hardly count beside the logits.
    model = gpt(2, 512, 8, 50257, 1024)

    def asked(cp, micro):
        return ask.run(plan(model, "dgx-h100", cp=cp, dp=8 // cp, micro=micro, runtime="megatron",
                            precision="bf16"))

    whole, split, half = asked(1, 4), asked(2, 4), asked(1, 2)
    ask.holds("equal peaks, within 1 %", near(max(split.peaks()), max(half.peaks()), 0.01))
    ask.holds("2,048 tokens fewer save 1003 MiB, within 15 %",
              near((max(whole.peaks()) - max(split.peaks())) / 2 ** 20, 1002.6, 0.15))
    ask.holds("most of it logits", split["stages.0.logits_bytes"] >
              0.8 * (max(whole.peaks()) - max(split.peaks())), split["stages.0.logits_bytes"])


@case("neox-20b-fit-matrix", "https://github.com/EleutherAI/gpt-neox/issues/616",
      "GPT-NeoX-20B with ZeRO 1 and checkpointing: which of five layouts fit?")
def neox_20b(ask):
    layouts = [("azure-ndv2", 1, False), ("azure-ndv2", 2, False), ("dgx-a100-80gb", 1, False),
               ("dgx-a100-80gb", 2, False), ("dgx-a100-80gb", 4, True)]
    for hardware, pp, fits in layouts:
        answer = ask.run(plan(NEOX_20B, hardware, tp=2, pp=pp, m=4 * pp, zero_stage=1,
                              recompute="full", precision="fp16", runtime="deepspeed"))
        # 16 bytes a parameter, evenly over the GPUs, of a model of 20.6 B.
        ask.holds(f"tensor 2 x pipeline {pp} on {hardware}: {'fits' if fits else 'does not fit'}",
                  answer.fits == fits and answer.exit == (0 if fits else 1),
                  answer["verdict.worst_peak_bytes"])
        ask.holds(f"states of pipeline {pp} on {hardware} are 20.6 B x 16 B / {2 * pp}",
                  near(sum(answer.states(s) for s in range(pp)) / pp, 20.6e9 * 16 / (2 * pp), 0.01))


@case("neox-13b-8xa100", "https://github.com/EleutherAI/gpt-neox/issues/409",
      "13 B with tensor 8 on eight A100 of 40 GB, one sequence each: why out of memory?")
def neox_13b(ask):
    asked = plan(NEOX_13B, "dgx-a100-40gb", tp=8, m=4, precision="fp16", runtime="deepspeed")
    answer = ask.run(asked)
    text = ask.run(asked, "")
    ask.holds("states are 13 B x 16 to 18 B / 8", between(26e9, answer.states(), 29.5e9))
    ask.holds("the verdict is called tight", answer.warns("memory-tight"))
    ask.holds("in the first line too", text.says(r"fits tightly in 41\.2 GB"))
    ask.holds("and the largest term is named", answer["verdict.binding_term"] == "optimizer"
              and "optimizer" in answer.warns("memory-tight")["message"])


@case("colossal-llama70b-32xa100", "https://github.com/hpcaitech/ColossalAI/issues/5068",
      "64 B on 32 A100 of 80 GB: three layouts ran out of memory; which of them had to?")
def colossal_64b(ask):
    def asked(**degrees):
        return ask.run(plan(LLAMA_64B, "dgx-a100-80gb", micro=1, m=2, recompute="full",
                            precision="fp16", runtime="deepspeed", **degrees))

    wide = asked(tp=4, dp=8, zero_stage=1)
    sharded = asked(tp=8, pp=2, dp=2, zero_stage=1)
    ask.holds("64.2 B parameters", near(wide["model.params_total"], 64.24e9, 0.01))
    ask.holds("tensor 4 x data 8: states alone are 88 GB", near(wide.states(), 88e9, 0.02))
    ask.holds("and do not fit", not wide.fits)
    ask.holds("tensor 8 x pipeline 2 x data 2 with ZeRO 1: states of about 40 GB",
              near(sharded.states(), 40e9, 0.05))
    ask.holds("fit, and not even tightly: what ran out was not a training step",
              sharded.fits and not sharded.warns("memory-tight"))


@case("megatron-llama-2gpu-4gpu", "https://github.com/alibaba/Megatron-LLaMA/issues/11",
      "Llama 7B, tensor 2, four sequences of 2048: why does it need four GPUs of 80 GB, not two?")
def llama_7b_on_two(ask):
    def asked(dp):
        return ask.run(plan("llama-2-7b", "hgx-a800", tp=2, dp=dp, micro=4, zero_stage=1),
                       "--json --set /model/transformer/sequence=2048")

    two, four = asked(1), asked(2)
    ask.holds("two GPUs: 18 bytes a parameter", near(two.states(), 6.74e9 * 18 / 2, 0.01))
    ask.holds("do not fit", not two.fits, two["verdict.worst_peak_bytes"])
    ask.holds("four halve the optimizer", near(two["stages.0.optimizer_bytes"],
                                               2 * four["stages.0.optimizer_bytes"]))
    ask.holds("and fit", four.fits, four["verdict.worst_peak_bytes"])


@case("megatron-gpt2-774m-v100", MEGATRON + "issues/525",
      "GPT-2 large on a V100 of 32 GB: by formula 23.3 GB, in fact more than 29.6 GiB. What is it?")
def gpt2_large(ask):
    # The batch is not told; four sequences are the first power of two that does not fit.
    def asked(flash):
        return ask.run(plan(GPT2_LARGE, "azure-ndv2", micro=4, m=2, precision="fp16",
                            runtime="megatron-2021", flash_attention=flash))

    unfused, fused = asked(False), asked(True)
    scores = 5 * 20 * 1024 ** 2 * 4 * 36
    ask.holds("unfused attention keeps 5 a s^2 bytes a sequence and layer",
              near(unfused["stages.0.activations_bytes"] - fused["stages.0.activations_bytes"],
                   scores, 0.02)) # and what lives while the backward runs
    ask.holds("which is what runs out", unfused["verdict.worst_peak_bytes"] >= 29.6 * 2 ** 30
              and not unfused.fits, unfused["verdict.worst_peak_bytes"])
    ask.holds("without it 23.3 GB are near", near(fused["verdict.worst_peak_bytes"], 23.3e9, 0.15))


@case("megatron-memory-tool-llama2-7b", MEGATRON + "pull/482",
      "Llama 2 7B: what does a memory report tell that was measured at 49.8 and 28.8 GB?")
def memory_tool(ask):
    # The sequence is not told; of 2048 and 4096 only the first gives either figure, and both.
    pipelined = ask.run(plan("llama-2-7b", "hgx-h800", pp=2, dp=4, micro=2, m=256, zero_stage=1),
                        "--json --set /model/transformer/sequence=2048")
    wide = ask.run(plan("llama-2-7b", "hgx-h800", tp=8, micro=4, m=32, zero_stage=1),
                   "--json --set /model/transformer/sequence=2048")
    ask.holds("pipeline 2: 49.8 GB on the first stage, within 5 %",
              near(pipelined["stages.0.peak_bytes"], 49.8e9, 0.05))
    ask.holds("tensor 8: 28.8 GB, within 5 %", near(wide["stages.0.peak_bytes"], 28.8e9, 0.05))
    ask.holds("every stage is told, the last one lower",
              len(pipelined.peaks()) == 2 and rising(*reversed(pipelined.peaks())))


@case("megatron-recompute-worse", MEGATRON + "issues/1300",
      "Tensor 2 x pipeline 2: why does the first stage need more than the last, 79 against 71 GB?")
def first_more_than_last(ask):
    # The model is not told.
    answer = ask.run(plan("llama-2-7b", "dgx-a100-80gb", tp=2, pp=2, micro=4, m=8))
    first, last = answer["stages"]
    full = ask.run(plan("llama-2-7b", "dgx-a100-80gb", tp=2, pp=2, micro=4, m=8, recompute="full"))
    ask.holds("the first holds two microbatches, the last one",
              (first["in_flight_max"], last["in_flight_max"]) == (2, 1))
    ask.holds("so it needs more", rising(last["peak_bytes"], first["peak_bytes"]))
    ask.holds("in its activations", rising(last["activations_bytes"], first["activations_bytes"]))
    ask.holds("recomputation does not reach the logits, which are behind the layers",
              near(full["stages.1.logits_bytes"], last["logits_bytes"]))


@case("fp8-memory", "https://github.com/NVIDIA/TransformerEngine/issues/1429",
      "Does fp8 need less memory than 16 bits?")
def fp8_memory(ask):
    def asked(precision):
        return ask.run(plan("llama-3-8b", "dgx-h100", tp=2, dp=4, zero_stage=1,
                            precision=precision))

    wide, narrow = asked("bf16"), asked("fp8")
    for part in ("weights", "gradients", "optimizer"):
        ask.holds(f"{part} need what they need in bf16",
                  narrow[f"stages.0.{part}_bytes"] >= wide[f"stages.0.{part}_bytes"])
    ask.holds("and its copies of the weights come on top",
              rising(wide["stages.0.peak_bytes"], narrow["stages.0.peak_bytes"]))


@case("falcon40b-8xa100", "https://github.com/epfLLM/Megatron-LLM/issues/6",
      "Falcon 40B with tensor 8 on one node of A100 80 GB: out of memory at the first batch. Why?")
def falcon_40b(ask):
    answer = ask.run(plan(FALCON_40B, "dgx-a100-80gb", tp=8, m=8, recompute="full"))
    two = ask.run(plan(FALCON_40B, "dgx-a100-80gb", tp=8, dp=2, m=8, recompute="full",
                       zero_stage=1))
    ask.holds("41.8 B x 18 B / 8 = 94 GB of states", near(answer.states(), 94e9, 0.02))
    ask.holds("do not fit, whatever the batch", not answer.fits)
    ask.holds("more than one node is what is advised",
              answer.fixes() and int(answer.fixes()[0].split(",")[0].removeprefix("gpus=")) > 8,
              answer.fixes())
    ask.holds("two nodes with a distributed optimizer fit", two.fits,
              two["verdict.worst_peak_bytes"])


@case("automodel-70b-h100-vs-h200", "https://github.com/NVIDIA-NeMo/Automodel/pull/2673",
      "Llama 70B, pipeline 8 x FSDP 4, four sequences of 1024, Adam in bf16: H100 or H200?")
@falls_short("four microbatches: 52 GB of activations, within 10 %",
             "45 GB: what PyTorch keeps beyond the fused kernels' tensors is not all counted")
def h100_or_h200(ask):
    runtime = ask.file("bf16-adam.json", bf16_adam("torchtitan"))

    def asked(hardware, m):
        return ask.run(plan("llama-3-70b", hardware, pp=8, dp=4, micro=4, m=m, zero_stage=3,
                            runtime=runtime), "--json --set /model/transformer/sequence=1024")

    # The global batch is not told: as many microbatches as stages fill the pipeline.
    h100, h200 = asked("dgx-h100", 8), asked("hgx-h200", 8)
    ask.holds("17.5 GB of states", near(min(h100.states(s) for s in range(8)), 17.5e9, 0.05))
    ask.holds("not on 80 GB", not h100.fits, h100["verdict.worst_peak_bytes"])
    ask.holds("on 141 GB", h200.fits)
    ask.holds("the largest micro batch that fits on 80 GB is told", "micro_batch=2" in h100.fixes(),
              h100.fixes())
    ask.holds("four microbatches: 52 GB of activations, within 10 %",
              near(asked("dgx-h100", 4)["stages.0.activations_bytes"], 52e9, 0.1))


@case("ds-first-last-stage", DEEPSPEED + "1378",
      "A long pipeline of a layer a stage: why do first and last need a third more?")
def heavy_ends(ask):
    # The model is not told; its embedding has 0.46 of the bytes of a block: this width, tensor 4.
    asked = plan(gpt(12, 9216, 72, 50304, 1024, tied_embeddings=False), "azure-ndv2", tp=4, pp=12,
                 m=24, precision="fp16", runtime="deepspeed", recompute="full")
    answer = ask.run(asked)
    text = ask.run(asked, "")
    states = [answer.states(s) for s in range(12)]
    peaks = answer.peaks()
    ask.holds("the first holds 46 % more than the middle", near(states[0] / states[6], 1.46, 0.05))
    ask.holds("the last 53 %", near(states[11] / states[6], 1.53, 0.06))
    ask.holds("their peaks are a third above the middle's",
              between(1.3, min(peaks[0], peaks[11]) / peaks[6], 1.5))
    ask.holds("the advice is fewer layers than the ends have",
              text.says("stage 0 holds the embedding: .* fewer layers there")
              and text.says("stage 11 holds the LM head: .* fewer layers there"))


@case("nemo-r1-lora-decreasing", "https://github.com/NVIDIA-NeMo/Speech/issues/12930",
      "Ten stages of 7, 6, ... 6 layers: memory falls from stage to stage. Is that right?")
def staircase(ask):
    # Of the model (a mixture of experts, adapters alone trained) only the pipeline is replayed.
    asked = plan(gpt(61, 7168, 56, 129280, 2048), "dgx-a100-80gb", tp=8, pp=10, m=40,
                 recompute="full", layers_per_stage=[7] + [6] * 9)
    answer = ask.run(asked)
    text = ask.run(asked, "")
    # The last stage holds the head and its logits besides.
    falling = [stage["activations_bytes"] for stage in answer["stages"]]
    ask.holds("stage i of ten holds 10 - i microbatches",
              [stage["in_flight_max"] for stage in answer["stages"]] == list(range(10, 0, -1)))
    ask.holds("a falling staircase of activations", rising(*reversed(falling)))
    ask.holds("and of peaks, but for the head's stage", rising(*reversed(answer.peaks()[:9])))
    ask.holds("the table draws it", text.says(r"in flight .* microbatches 0 7 .* 9 6 .*"))
    ask.holds("the picture too", ask.run(asked, "-f svg").says("memory"))


@case("bridge-uneven-estimate", "https://github.com/NVIDIA-NeMo/Megatron-Bridge/pull/5077",
      "Eight layers as 1, 2, 2, 3: an estimate by the mean is a third too low. And yours?")
def heaviest_stage(ask):
    answer = ask.run(plan(gpt(8, 4096, 32, 51200, 2048), "dgx-a100-80gb", pp=4, m=8,
                          layers_per_stage=[1, 2, 2, 3]))
    mean = sum(answer.peaks()) / 4
    ask.holds("the verdict is of the heaviest stage",
              answer["verdict.worst_stage"] == 3
              and answer["verdict.worst_peak_bytes"] == answer["stages"][3]["peak_bytes"])
    ask.holds("far above the mean", mean < 0.75 * max(answer.peaks()), mean / max(answer.peaks()))


@case("mcore-ci-gpt3_7b_tp1_pp4_memory_speed-dgx_h100",
      "NVIDIA/Megatron-LM tests/functional_tests/test_cases/gpt/gpt3_7b_tp1_pp4_memory_speed",
      "7 B, pipeline 4 x data 2, a layer a chunk, on 8 H100: memory of the last stage, step time?")
def ci_7b(ask):
    answer = ask.run(plan(CI_7B, "dgx-h100", pp=4, dp=2, m=4, schedule="interleaved:8",
                          zero_stage=1),
                     "--json --set /runtime/kernels/fused_gradient_accumulation=false")
    ask.holds("24.5 to 24.8 GB of states, within 5 %",
              between(0.95 * 24.5e9, answer.states(3), 1.05 * 24.8e9))
    ask.holds("a peak of 60.7 GB, within 10 %", near(answer.peaks()[3], 60.72e9, 0.1))
    ask.holds("a step of 1.15 s, within 20 %", near(answer["step.time_s"], 1.15017, 0.2))
