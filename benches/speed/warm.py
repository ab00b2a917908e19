"""The figures of a warm call of our C program that no noise can blur, and what they must be.

As a program (make bench-check) it holds them against what is committed: `instructions.json`, and issue 6's limits.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import build
import counts
from rounds import Command
from stage import FOLDER, HERE, server

COMMITTED = HERE / "instructions.json"
#: A change of more than this must be explained beside the committed figure.
TOLERANCE = 0.10
#: One write and at most two reads.
MOST_SYSTEM_CALLS = 3
HEAP_CALLS = 100


def limit() -> int:
    """Issue 6's; BENCHMARKS.md says whether it is met."""
    return int(json.loads(COMMITTED.read_text())["limit"])


def measure(command: Command) -> dict[str, Any]:
    runs = [counts.heap(command, HEAP_CALLS * times) for times in (1, 2, 4)]
    once, twice = runs[1].allocations - runs[0].allocations, runs[2].allocations - runs[1].allocations
    return {
        "system calls": counts.system_calls(command),
        "instructions": round(counts.instructions(command)),
        # Of N calls, and of as many again, twice over: a number that grows with the calls would differ.
        "allocations": [round(once / HEAP_CALLS, 1), round(twice / HEAP_CALLS / 2, 1)],
        "allocated bytes": round((runs[2].bytes - runs[1].bytes) / HEAP_CALLS / 2),
        "live bytes": [run.live_bytes for run in runs],
    }


def faults(measured: dict[str, Any], committed: dict[str, Any]) -> list[str]:
    """What of it must not be."""
    found = []
    known, now = committed["instructions"], measured["instructions"]
    if abs(now - known) > TOLERANCE * known:
        found.append(
            f"{now} instructions a call, {now / known - 1:+.0%} of the committed {known}: "
            f"if that is meant, write it and why into {COMMITTED.name}"
        )
    if sum(measured["system calls"].values()) > MOST_SYSTEM_CALLS + 0.01:
        found.append(f"more than {MOST_SYSTEM_CALLS} system calls a call: {measured['system calls']}")
    if len(set(measured["live bytes"])) != 1:
        found.append(f"live heap bytes grow with the number of calls: {measured['live bytes']}")
    first, second = measured["allocations"]
    if abs(first - second) > 0.1:
        found.append(f"allocations a call change with the number of calls: {first}, {second}")
    return found


def main() -> int:
    with server(build.server()) as running:
        measured = measure([build.ours(), "post", running.url, FOLDER])
    print(f"a warm call, checked and parsed: {json.dumps(measured)}")
    found = faults(measured, json.loads(COMMITTED.read_text()))
    for fault in found:
        print(f"bench-check: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
