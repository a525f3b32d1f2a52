# SPDX-License-Identifier: MIT
"""Which plan, how many GPUs, which micro batch."""

from asking import case, rising

SEARCH = "search --model {model} --hardware {hardware} --gpus {gpus} --global-batch {batch} "


@case("colossal-llama70b-32gpus-2", "https://github.com/hpcaitech/ColossalAI/issues/5139",
      "Llama 2 70B on 32 A100 of 80 GB: two layouts ran out of memory. Which ones do not?")
def layouts_that_fit(ask):
    answer = ask.command(SEARCH.format(model="llama-2-70b", hardware="dgx-a100-80gb", gpus=32,
                                       batch=128) + "--json")
    best = answer["best"]
    grids = {(row["tp"], row["pp"], row["zero_stage"]) for row in answer["best"] + answer["front"]}
    whys = [row["why"] for row in answer["neighbours"]]
    ask.holds("there are some", best)
    ask.holds("ranked by rate", all(a["tokens_per_s"] >= b["tokens_per_s"]
                                    for a, b in zip(best, best[1:])))
    ask.holds("all of which fit", all(row["peak_bytes"] <= row["capacity_bytes"] for row in best))
    ask.holds("with a pipeline or fully sharded",
              all(pp > 1 or zero == 3 for _, pp, zero in grids), grids)
    ask.holds("those beside the best are told with the reason, memory among them",
              any(why.startswith("does not fit: ") for why in whys), whys)
    # Attention was not fused; DeepSpeed's is the nearest stack.
    for layout, zero in (("--tp 8 --pp 1 --dp 4", 2), ("--tp 4 --pp 2 --dp 4", 1)):
        asked = ask.command("run --model llama-2-70b --hardware dgx-a100-80gb --gpus 32 "
                            f"{layout} --zero {zero} --micro-batch 1 --global-batch 128 "
                            "--runtime deepspeed --json")
        ask.holds(f"{layout} --zero {zero} does not fit, for its activations",
                  not asked.fits and asked["verdict.binding_term"] == "activations")
        ask.holds("and what would help is named", asked.fixes())


@case("titan-70b-how-many", "https://github.com/pytorch/torchtitan/issues/770",
      "Llama 3.1 70B on H100: how many GPUs?")
def how_many(ask):
    words = SEARCH.format(model="llama-3-70b", hardware="dgx-h100", gpus="8..256", batch=512)
    answer = ask.command(words + "--tokens 1T --json")
    sizes = answer["sizing"]
    text = ask.command(words + "--tokens 1T")
    ask.holds("a row for each count that fits, of which 16 are the fewest",
              [row["gpus"] for row in sizes] == [16, 32, 64, 128, 256])
    ask.holds("days fall as GPUs grow", rising(*(row["days"] for row in reversed(sizes))))
    ask.holds("rate, days and cost are told", all(
        row[key] > 0 for row in sizes for key in ("tokens_per_s", "days", "usd")))
    ask.holds("in words too", text.says("8 none within the limits") and text.says("kUSD"))


@case("megatron-auto-mbs", "https://github.com/NVIDIA/Megatron-LM/issues/1849",
      "Can the micro batch be chosen for me?")
def micro_batch(ask):
    words = SEARCH.format(model="llama-3-8b", hardware="dgx-h100", gpus=8, batch=256)
    keep = "--keep tp=4 --keep pp=1 --keep zero=1 --keep recompute=none --schedule 1f1b:1 "
    answer = ask.command(words + keep + "--json")
    micros = {row["micro_batch"]: row for row in reversed(answer["best"])}
    text = ask.command(words + keep)
    ask.holds("the fastest is told", answer["best"][0]["micro_batch"] == max(
        answer["best"], key=lambda row: row["tokens_per_s"])["micro_batch"])
    ask.holds("the largest that fits is among them, and the next one is not",
              text.says(f"micro batch {2 * max(micros)} does not fit"), text)
    ask.holds("smaller ones stand beside it", len(micros) > 1, sorted(micros))
