"""Figures of a warm call and of a look of our C program that do not depend on the load of the machine, and their limits.

As a program (make bench CHECK=1) it compares them with the committed figures in `instructions.json` and with the limits.
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
#: A larger change must be committed in `instructions.json`, with its reason.
TOLERANCE = 0.10
#: One write and at most two reads.
MOST_SYSTEM_CALLS = 3
HEAP_CALLS = 100
FRESH_CALLS = 100
#: In a 67 kB answer: a microsecond at 3 GHz, with one instruction a cycle.
MOST_INSTRUCTIONS_OF_A_LOOK = 3_000
#: Less than half of the response's values, so that each look is the first at its value.
LOOKS = 1_000


def limit() -> int:
    """The goal for the instructions of a call; BENCHMARKS.md says whether it is met."""
    return int(json.loads(COMMITTED.read_text())["limit"])


def measure(command: Command) -> dict[str, Any]:
    runs = [counts.heap(command, HEAP_CALLS * times) for times in (1, 2, 4)]
    once, twice = runs[1].allocations - runs[0].allocations, runs[2].allocations - runs[1].allocations
    return {
        "system calls": counts.system_calls(command),
        "instructions": round(counts.instructions(command)),
        # Per call, over N and then over 2N further calls: they differ if the number grows with the calls.
        "allocations": [round(once / HEAP_CALLS, 1), round(twice / HEAP_CALLS / 2, 1)],
        "allocated bytes": round((runs[2].bytes - runs[1].bytes) / HEAP_CALLS / 2),
        "live bytes": [run.live_bytes for run in runs],
    }


def faults(measured: dict[str, Any], committed: dict[str, Any]) -> list[str]:
    """What is wrong with the figures."""
    found = []
    known, now = committed["instructions"], measured["instructions"]
    if abs(now - known) > TOLERANCE * known:
        found.append(
            f"{now} instructions a call, {now / known - 1:+.0%} of the committed {known}: "
            f"if that is intended, write the figure and the reason into {COMMITTED.name}"
        )
    if sum(measured["system calls"].values()) > MOST_SYSTEM_CALLS + 0.01:
        found.append(f"more than {MOST_SYSTEM_CALLS} system calls a call: {measured['system calls']}")
    if len(set(measured["live bytes"])) != 1:
        found.append(f"live heap bytes grow with the number of calls: {measured['live bytes']}")
    first, second = measured["allocations"]
    if abs(first - second) > 0.1:
        found.append(f"allocations a call change with the number of calls: {first}, {second}")
    return found


def look(command: Command) -> int:
    """Instructions of one look in a 67 kB answer. A look that passed all values, or read the body, would take many times
    as many."""
    return round(counts.instructions(command, LOOKS))


def main() -> int:
    with server(build.server()) as running:
        ours = build.ours()
        measured = measure([ours, "post", running.url, FOLDER])
        fresh = round(counts.instructions([ours, "fresh", running.url, FOLDER], FRESH_CALLS))
        instructions = look([ours, "look", running.url, FOLDER])
    print(f"a warm call, checked and parsed: {json.dumps(measured)}")
    print(f"one look in a 67 kB answer: {instructions} instructions")
    print(f"a call on a new connection, its TLS session resumed: {fresh} instructions")
    committed = json.loads(COMMITTED.read_text())
    found = faults(measured, committed)
    if fresh > (1 + TOLERANCE) * committed["fresh"]:
        found.append(f"{fresh} instructions a call on a new connection; committed: {committed['fresh']}")
    if instructions > MOST_INSTRUCTIONS_OF_A_LOOK:
        found.append(f"more than {MOST_INSTRUCTIONS_OF_A_LOOK} instructions a look: {instructions}")
    for fault in found:
        print(f"bench: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
