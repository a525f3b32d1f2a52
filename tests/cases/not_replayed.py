# SPDX-License-Identifier: MIT
"""Cases that are not put to plansim, and why."""

EXPERTS = "a mixture of experts, which plansim refuses"

NOT_REPLAYED = {
    "megatron-mixtral-16xh100": EXPERTS,
    "hf-zero3-no-scaling": "states in the host's memory, which plansim does not model",
    "nemotron3-super-256k": EXPERTS,
    "swift-235b-lora-910b": EXPERTS + "; adapters alone are trained; no such device",
    "megatron-moe-activation-ep": EXPERTS,
    "megatron-moe-report-gap": EXPERTS,
    "deepep-early-oom": EXPERTS,
}
