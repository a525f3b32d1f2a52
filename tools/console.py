# SPDX-License-Identifier: MIT
"""Shell sessions written down: commands after "$ ", what they print below.

A line "..." in the expected output stands for any number of lines. A line that ends in a backslash
goes on with the next one. Commands of one session share a shell, a directory and "$?".
"""

import dataclasses
import os
import subprocess

MARK = "\x01end of command "


@dataclasses.dataclass
class Command:
    line: int  # in the file, from 1
    text: str
    expected: list
    exit: int | None = None  # None: nothing said
    actual: list = dataclasses.field(default_factory=list)
    actual_exit: int | None = None


def parse(lines, first_line=1):
    """The commands of a session; what stands before the first one is a comment."""
    commands = []
    going_on = False
    for number, line in enumerate(lines, first_line):
        if going_on:
            commands[-1].text += "\n" + line
            going_on = line.endswith("\\")
        elif line.startswith("$ "):
            commands.append(Command(number, line[2:], []))
            going_on = line.endswith("\\")
        elif commands:
            commands[-1].expected.append(line)
    return commands


def environment(program):
    """The program is found as "plansim"; nothing of the user's settings shows in the output."""
    env = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1", G_DEBUG="fatal-warnings")
    if program:
        env["PATH"] = os.path.dirname(os.path.abspath(program)) + os.pathsep + env["PATH"]
    return env


def run(commands, program, directory, timeout_s=120):
    """Runs the commands in one shell; standard error goes where standard output goes."""
    script = []
    for command in commands:
        script.append(command.text)
        script.append(f"plansim_status=$?; printf '{MARK}%d\\n' $plansim_status; "
                      "(exit $plansim_status)")
    shell = subprocess.run(["bash", "-c", "exec 2>&1\n" + "\n".join(script)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=directory,
                           env=environment(program), timeout=timeout_s, check=False)
    parts = shell.stdout.decode("utf-8", "replace").split(MARK)
    for index, command in enumerate(commands):
        text = parts[index] if index < len(parts) else ""
        if index > 0:  # the status of the command before stands first
            status, _, text = text.partition("\n")
            commands[index - 1].actual_exit = int(status) if status else None
        command.actual = text.split("\n")[:-1] if text.endswith("\n") else \
            (text.split("\n") if text else [])
    if commands and len(parts) > len(commands):
        commands[-1].actual_exit = int(parts[len(commands)].partition("\n")[0])


def matches(expected, actual):
    """Whether the lines are those expected, where "..." stands for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def describe(path, command, want_exit):
    """What differs, for people."""
    text = [f"{path}:{command.line}: $ {command.text}"]
    text += ["  - " + line for line in command.expected]
    text += ["  + " + line for line in command.actual[:20]]
    if len(command.actual) > 20:
        text.append(f"  + ... {len(command.actual) - 20} lines more")
    if command.actual_exit != want_exit:
        text.append(f"  exit {command.actual_exit}; expected {want_exit}")
    return "\n".join(text)
