# SPDX-License-Identifier: MIT
"""What users ask, put to the program, and what must hold in its answers.

    @case("bubble-of-four", "https://...", "How much of the step is idle?")
    def bubble_of_four(ask):
        answer = ask.run(plan(GPT_13B, "dgx-a100-80gb", pp=4, m=64))
        ask.holds("three of 67 slots idle", near(answer["pipeline.bubble_fraction"], 3 / 67, 0.1))

A case that the program does not meet yet says so in @falls_short(claim, why): that claim must fail,
and the test fails once it holds, so that the table stays true.
"""

import dataclasses
import json
import os
import re
import shlex
import subprocess
import tempfile

ALL = {}


@dataclasses.dataclass
class Case:
    name: str
    source: str
    asks: str
    answer: object
    short: dict = dataclasses.field(default_factory=dict)  # claim -> why it does not hold


def case(name, source, asks):
    def register(function):
        assert name not in ALL, name
        ALL[name] = Case(name, source, asks, function, getattr(function, "short", {}))
        return function
    return register


def falls_short(claim, why):
    def note(function):
        function.short = {**getattr(function, "short", {}), claim: why}
        return function
    return note


# -- Plans -------------------------------------------------------------------------------------

def gpt(layers, hidden, heads, vocabulary, sequence, **other):
    """A GPT, or with gated_mlp=True a Llama; the rest as models/README.md has it."""
    return {"transformer": {"layers": layers, "hidden": hidden, "heads": heads,
                            "vocabulary": vocabulary, "sequence": sequence, **other}}


def plan(model, hardware, *, tp=1, cp=1, pp=1, dp=1, micro=1, m=None, **other):
    """A plan of @m microbatches a replica; further members by name, as plans/README.md has them.

    A model's `at=8192` in @other is another sequence. Names of presets stay names.
    """
    made = {"schema": "plansim.plan/1", "name": "case", "model": model, "hardware": hardware,
            "gpus": tp * cp * pp * dp, "parallel": {"tensor": tp, "pipeline": pp, "data": dp},
            "batch": {"micro": micro, "global": micro * dp * (m or 1)}}
    if cp > 1:
        made["parallel"]["context"] = cp
    if "sequence_parallel" in other:
        made["parallel"]["sequence_parallel"] = other.pop("sequence_parallel")
    if isinstance(other.get("schedule"), str):
        name, _, chunks = other.pop("schedule").partition(":")
        made["schedule"] = {"name": name, **({"chunks": int(chunks)} if chunks else {})}
    return {**made, **other}


# -- Answers -----------------------------------------------------------------------------------

class Answer:
    """Exit code, words and figures of one command."""

    def __init__(self, command, done):
        self.command = command
        self.exit = done.returncode
        self.words = " ".join((done.stdout + done.stderr).split())
        self.figures = json.loads(done.stdout) if done.stdout.startswith("{") else {}

    def __getitem__(self, path):
        """answer["stages.0.peak_bytes"]"""
        value = self.figures
        for step in path.split("."):
            value = value[int(step) if isinstance(value, list) else step]
        return value

    def __str__(self):
        return f"{self.command}: exit {self.exit}: {self.words[:300]}"

    @property
    def fits(self):
        return self["verdict.fits"]

    def peaks(self):
        """What the framework's allocator holds at most, stage by stage, as people print it."""
        return [stage["peak_bytes"] - stage["communicators_bytes"] for stage in self["stages"]]

    def states(self, stage=0):
        """Weights, gradients and optimizer of a stage."""
        row = self["stages"][stage]
        return row["weights_bytes"] + row["gradients_bytes"] + row["optimizer_bytes"]

    def warns(self, code):
        return next((each for each in self["warnings"] if each["code"] == code), None)

    def fixes(self):
        return [each["change"] for each in self["verdict.fixes"]]

    def says(self, pattern):
        return re.search(pattern, self.words) is not None


class Ask:
    def __init__(self, program):
        self.program = program
        self.directory = tempfile.TemporaryDirectory()
        self.claims = []  # (claim, whether it holds, what was seen)

    def command(self, words):
        done = subprocess.run([self.program, *shlex.split(words)], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"},
                              timeout=60, check=False)
        return Answer(words, done)

    def file(self, name, content):
        path = os.path.join(self.directory.name, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        return path

    def run(self, what, words="--json"):
        """`plansim run` of a plan, or of a preset's name."""
        name = self.file("case.json", what) if isinstance(what, dict) else what
        return self.command(f"run {name} {words}")

    def holds(self, claim, good, seen=""):
        self.claims.append((claim, bool(good), f"{getattr(good, 'seen', '')} {seen}".strip()))


# -- What must hold ----------------------------------------------------------------------------

class Verdict:
    """A bool that says what it saw."""

    def __init__(self, good, seen):
        self.good, self.seen = good, seen

    def __bool__(self):
        return bool(self.good)


def near(value, wanted, within=1e-9):
    """@within is relative."""
    return Verdict(abs(value - wanted) <= within * abs(wanted),
                   f"{value:.6g}, {value / wanted - 1:+.1%} of {wanted:.6g}")


def between(low, value, high):
    return Verdict(low <= value <= high, f"{value:.6g}, wanted {low:.6g} to {high:.6g}")


def rising(*values):
    """Each is more than the one before."""
    return Verdict(all(a < b for a, b in zip(values, values[1:])),
                   ", ".join(f"{value:.6g}" for value in values))
