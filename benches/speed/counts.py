"""Counts that do not depend on the load of the machine: system calls, instructions and heap of warm calls.

Each is the difference between two runs with different numbers of calls, so that start and end cancel out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass

from rounds import Command
from stage import BUILD, environment

#: A line of the summary of strace.
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
    """The report of the tool on a run with this number of calls."""
    full = [*tool, *map(str, command)]
    done = subprocess.run(full, env=environment(), input=f"{calls}\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(full)}\n{done.stderr}")
    return done.stderr


def system_calls(command: Command, calls: int = 500) -> dict[str, float]:
    """By name, per call; less than one in a hundred calls is noise."""

    def counted(calls: int) -> dict[str, int]:
        told = run(["strace", "-f", "-c"], command, calls)
        return {name: int(count) for count, name in STRACE.findall(told) if name != "total"}

    few, many = counted(calls), counted(2 * calls)
    each = {name: (count - few.get(name, 0)) / calls for name, count in many.items()}
    return {name: count for name, count in sorted(each.items()) if abs(count) >= 0.01}


def instructions(command: Command, calls: int = 500) -> float:
    """In user space, under callgrind, on the processor that valgrind simulates."""

    def counted(calls: int) -> int:
        told = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={BUILD / 'callgrind.out'}"], command, calls)
        found = COLLECTED.search(told)
        assert found is not None, told
        return int(found.group(1))

    return (counted(2 * calls) - counted(calls)) / calls


def heap(command: Command, calls: int) -> Heap:
    """The program frees nothing when it ends, so what is in use at exit is what its calls left allocated."""
    told = run(["valgrind", "--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"], command, calls)
    numbers = [int(text.replace(",", "")) for pattern in (TOTAL, IN_USE) for text in pattern.search(told).groups()]  # type: ignore[union-attr]
    return Heap(*numbers)


def version(tool: str) -> str:
    return subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
