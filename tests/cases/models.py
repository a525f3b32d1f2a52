# SPDX-License-Identifier: MIT
"""Models and machines that the cases name and plansim has no preset of."""

import json
import os

from asking import gpt

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

NEOX_20B = gpt(44, 6144, 64, 50432, 2048, positions="rotary", tied_embeddings=False)
NEOX_13B = gpt(40, 5120, 40, 50432, 2048, positions="rotary", tied_embeddings=False)
GPT_13B = gpt(40, 5120, 40, 51200, 2048)
GPT_40B = gpt(100, 5760, 48, 50304, 1024)
GPT_65B = gpt(80, 8192, 64, 50304, 2048)
GPT2_LARGE = gpt(36, 1280, 20, 50304, 1024)
LLAMA_13B = gpt(40, 5120, 40, 32000, 4096, ffn_hidden=13824, gated_mlp=True)
# The 64.24 B parameters of the thread: 70 B with a narrower MLP.
LLAMA_64B = gpt(80, 8192, 64, 32000, 1024, kv_heads=8, ffn_hidden=26240, gated_mlp=True)
FALCON_40B = gpt(60, 8192, 128, 65024, 2048, kv_heads=8, biases=False)
GLM_130B = gpt(70, 12288, 96, 150528, 2048, ffn_hidden=32768, gated_mlp=True, tied_embeddings=True)
MINICPM_2B = gpt(40, 2304, 36, 122753, 4096, ffn_hidden=5760, gated_mlp=True, tied_embeddings=True)
QWEN_7B = gpt(28, 3584, 28, 152064, 3000, kv_heads=4, ffn_hidden=18944, gated_mlp=True)
OLMO_1B = gpt(16, 2048, 16, 50304, 2048, ffn_hidden=8192, gated_mlp=True)
# Qi et al. 2024 and the thread: 6.2 B in 30 layers or, evenly, 32.
ZERO_BUBBLE_6B = gpt(32, 4096, 32, 50304, 1024)
CI_7B = gpt(32, 4096, 32, 131073, 8192, kv_heads=8, tied_embeddings=False)


def bert(layers, hidden, heads):
    return gpt(layers, hidden, heads, 30522, 512, causal=False)


def preset(kind, name):
    path = os.path.join(ROOT, *kind.split("/"), name + ".json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def bf16_adam(name):
    """A runtime whose optimizer keeps its two moments in 16 bits and no master weights."""
    runtime = preset("plans/runtimes", name)
    runtime.update(name=name + "-bf16-adam")
    runtime["bytes_per_parameter"] = {"weights": 2, "gradients": 2, "optimizer": 4,
                                      "optimizer_traffic": 16, "gradient_reduce": 2}
    return runtime
