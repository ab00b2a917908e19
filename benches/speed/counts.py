"""What a noisy machine cannot blur: system calls, instructions, and heap, of our C program's warm calls.

Each is the difference between a run of N and one of more calls, so that start-up and end cancel out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass

from rounds import Command
from stage import BUILD, environment

#: Reading its orders and printing its times is the program's own, once each run, and cancels out.
STRACE = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", re.MULTILINE)
COLLECTED = re.compile(r"Collected : (\d+)")
IN_USE = re.compile(r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks")
TOTAL = re.compile(r"total heap usage: ([\d,]+) allocs, [\d,]+ frees, ([\d,]+) bytes allocated")


@dataclass
class Heap:
    allocations: int
    bytes: int
    live_bytes: int
    live_blocks: int


def run(tool: list[str], command: Command, calls: int) -> str:
    """What the tool says of a run with so many calls."""
    full = [*tool, *map(str, command)]
    done = subprocess.run(full, env=environment(), input=f"{calls}\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(full)}\n{done.stderr}")
    return done.stderr


def system_calls(command: Command, calls: int = 500) -> dict[str, float]:
    """By name, per call; those that differ by less than one in a hundred calls are the noise of a run."""

    def counted(calls: int) -> dict[str, int]:
        told = run(["strace", "-f", "-c"], command, calls)
        return {name: int(count) for count, name in STRACE.findall(told) if name != "total"}

    few, many = counted(calls), counted(2 * calls)
    each = {name: (count - few.get(name, 0)) / calls for name, count in many.items()}
    return {name: count for name, count in sorted(each.items()) if abs(count) >= 0.01}


def instructions(command: Command, calls: int = 500) -> float:
    """In user space, under callgrind: on the processor that valgrind offers, which is not this machine's."""

    def counted(calls: int) -> int:
        told = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={BUILD / 'callgrind.out'}"], command, calls)
        found = COLLECTED.search(told)
        assert found is not None, told
        return int(found.group(1))

    return (counted(2 * calls) - counted(calls)) / calls


def heap(command: Command, calls: int) -> Heap:
    """The program frees nothing when it ends, so what is in use at exit is what the calls left alive."""
    told = run(["valgrind", "--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"], command, calls)
    numbers = [int(text.replace(",", "")) for pattern in (TOTAL, IN_USE) for text in pattern.search(told).groups()]  # type: ignore[union-attr]
    return Heap(*numbers)


def version(tool: str) -> str:
    return subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
