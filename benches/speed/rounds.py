"""Candidates take turns: each is a process with an open connection, and one of them works at a time."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stage import environment

Command = Sequence["str | Path"]


class Worker:
    """A program that makes the number of calls that it is told, and prints how long they took."""

    def __init__(self, command: Command, cores: set[int]) -> None:
        self.command = command
        pin = ["taskset", "-c", ",".join(map(str, sorted(cores)))]
        self.process = subprocess.Popen(
            [*pin, *command], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, count: int) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # result() notices that the program ended
            self.process.stdin.write(f"{count}\n")
            self.process.stdin.flush()

    def result(self) -> tuple[int, int]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().split()
        if len(line) != 2:
            sys.exit(f"failed: {' '.join(map(str, self.command))}")
        return int(line[0]), int(line[1])

    def calls(self, count: int) -> tuple[int, int]:
        """Wall time and the process's CPU time, in ns."""
        self.start(count)
        return self.result()

    def end(self) -> None:
        self.process.communicate()


@contextlib.contextmanager
def worker(command: Command, cores: set[int]) -> Iterator[Worker]:
    it = Worker(command, cores)
    try:
        yield it
        it.end()
    finally:
        if it.process.poll() is None:
            it.process.kill()
            it.process.wait()


@dataclass
class Times:
    """Per call, in µs, one entry a round."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def interleave(
    commands: Mapping[str, Command],
    cores: set[int],
    rounds: int,
    calls: Mapping[str, int],
    warm_up: int,
    width: int = 1,
) -> dict[str, Times]:
    """In each round each candidate makes `calls` calls, after `warm_up` calls that are not measured. `width`: how many
    calls one count stands for."""
    times = {name: Times() for name in commands}
    with contextlib.ExitStack() as stack:
        workers = {name: stack.enter_context(worker(command, cores)) for name, command in commands.items()}
        for number in range(rounds):
            # Every other round in reverse, so that no candidate always follows the same one.
            for name in list(workers)[:: 1 if number % 2 else -1]:
                if warm_up:
                    workers[name].calls(warm_up)
                wall, cpu = workers[name].calls(calls[name])
                times[name].wall.append(wall / calls[name] / width / 1000)
                times[name].cpu.append(cpu / calls[name] / width / 1000)
    return times
