"""Time per call: rows whose candidates take turns."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

import build
from programs import Programs
from rounds import Command, Times, interleave
from rows import Row
from stage import DELAY_MS, FOLDER, ONE, OTHER, Server

THREADS = 64
THREADS_WITH_JOURNAL = (8, 32)


class Calls:
    def __init__(self, programs: Programs, server: Server, quick: bool) -> None:
        self.programs, self.server, self.quick = programs, server, quick

    def commands(self, mode: str, programs: dict[str, list[str]], delayed: bool = False) -> dict[str, Command]:
        return {name: self.server.command(program, mode, delayed) for name, program in programs.items()}

    def sequential(
        self, mode: str, programs: dict[str, list[str]], calls: int, rounds: int, slow: Sequence[str] = ()
    ) -> dict[str, Times]:
        """`slow`: candidates that make a tenth of the calls, to keep a round short."""
        self.server.pin(ONE)
        rounds = 5 if self.quick else rounds
        counts = {name: max(1, calls // 10 if name in slow else calls) for name in programs}
        return interleave(self.commands(mode, programs), ONE, rounds, counts, max(1, min(counts.values()) // 10))

    def plain(self) -> list[Row]:
        work = "C, HTTPS POST of 700 bytes, checked and parsed"
        peers = self.programs.libcurls | {"raw rustls socket": self.programs.raw}
        times = self.sequential("post", {"ours": self.programs.c} | peers, 500, 60)
        targets = {peer: 1.4 if peer.startswith("raw") else 0.75 for peer in peers}
        return [row for peer, target in targets.items() for row in both(work, peer, times, target)]

    def fresh(self) -> list[Row]:
        """A connection for each call, as for requests that move money."""
        times = self.sequential("fresh", {"ours": self.programs.c} | self.programs.libcurls, 40, 30)
        work = "C, the same on a new connection each"
        return [row for peer in self.programs.libcurls for row in both(work, peer, times, 0.75)]

    def encrypted(self) -> list[Row]:
        times = self.sequential("encrypted", {"ours": self.programs.c} | self.programs.libcurls, 200, 60)
        work, peers = "C, encrypted POST, 4096-bit key", self.programs.libcurls
        return [row for peer in peers for row in both(work, f"{peer} + EVP_PKEY_encrypt", times, 0.85, peer)]

    def encryption(self) -> list[Row]:
        return self.beside_openssl("encrypt", "encryption alone, to the request body", "EVP_PKEY_encrypt", 100, 0.95)

    def key(self) -> list[Row]:
        return self.beside_openssl("key", "key text to usable key", "EVP_PKEY_fromdata", 60, 1.0)

    def beside_openssl(self, mode: str, work: str, function: str, rounds: int, target: float) -> list[Row]:
        debian, program = next(iter(self.programs.libcurls.items()))
        times = self.sequential(mode, {"ours": self.programs.c, debian: program}, 200, rounds)
        return both(work, f"{self.programs.versions['OpenSSL']} {function}", times, target, debian)

    def looks(self) -> list[Row]:
        """Looks in one answer. A round takes each of its 2,500 values once."""
        name, program = next(iter(self.programs.libcurls.items()))
        times = self.sequential("look", {"ours": self.programs.c, name: program}, 25_000, 60)
        for found in times.values():
            found.wall = [us * 1000 for us in found.wall]
        ours, theirs = times["ours"].wall, times[name].wall
        return [Row.of("C, one look in a 67 kB answer", "cJSON, parsed before", "wall", "ns", ours, theirs, 1.0)]

    def python(self) -> list[Row]:
        peers = {name: 0.8 if name.startswith("pycurl") else 0.25 if name.startswith("httpx") else 0.15
                 for name in self.programs.python_peers}  # fmt: skip
        slow = [name for name in peers if not name.startswith("pycurl")]
        programs = {"ours": self.programs.python} | self.programs.python_peers
        times = self.sequential("encrypted", programs, 300, 40, slow)
        work = "Python, encrypted POST"
        return [
            row for peer, target in peers.items() for row in both(work, f"{peer} + cryptography", times, target, peer)
        ]

    def go(self) -> list[Row]:
        peer = "net/http + crypto/rsa"
        times = self.sequential("encrypted", {"ours": self.programs.go, peer: self.programs.nethttp}, 200, 50)
        return both("Go, encrypted POST", f"{self.programs.versions['Go']} {peer}", times, 0.5, peer)

    def small_gets(self) -> list[Row]:
        """What a language adds to a call: Go beside its own client, with one P and with one for each core, and asyncio beside threads."""
        go, peer = self.programs.versions["Go"], "net/http"
        programs = {"ours": self.programs.go, peer: self.programs.nethttp}
        rounds, rows = 5 if self.quick else 40, []
        self.server.pin(ONE | OTHER)
        for what, environment in (("GOMAXPROCS=1", ["env", "GOMAXPROCS=1"]), ("all cores", [])):
            commands = self.commands("get", {name: environment + program for name, program in programs.items()})
            times = interleave(commands, ONE | OTHER, rounds, dict.fromkeys(programs, 300), 30)
            rows += both(f"Go, small GET, {what}", f"{go} {peer}", times, 1.1, peer)
        self.server.pin(ONE)
        threads = "the same without asyncio"
        commands = self.modes({"ours": "async", threads: "threads"}, self.programs.python_get)
        times = interleave(commands, ONE, rounds, dict.fromkeys(commands, 200), 20)
        return rows + both("Python, small GET, asyncio", threads, times, 3.0)

    def answers(self) -> list[Row]:
        """Reading answers, without a network."""
        against = f"{self.programs.versions['Python']} json.loads, amounts as Decimal"
        in_go = f"{self.programs.versions['Go']} encoding/json, the service's fields"
        rows = []
        for mode, work, calls, target in (
            ("payment", "Python, typed answer to a payment, three fields", 2000, 1.5),
            ("history", "Python, typed answer of 67 kB, its last element", 40, 2.0),
        ):
            times = self.sequential(mode, self.programs.python_readers, calls, 30)
            rows.append(Row.of(work, against, "wall", "µs", times["ours"].wall, times["theirs"].wall, target))
        for mode, work, calls in (
            ("payment", "Go, typed answer to a payment, all fields", 2000),
            ("history", "Go, typed answer of 67 kB, all fields", 40),
        ):
            ours, theirs = self.read_in_go(mode, calls)
            rows.append(Row.of(work, in_go, "wall", "µs", ours, theirs, 2.0))
        return rows

    def read_in_go(self, mode: str, calls: int) -> tuple[list[float], list[float]]:
        """The benchmark of the Go package, whose readers follow each other in each process."""
        chosen = [f"-test.bench=^BenchmarkAnswer$/^{mode}$", f"-test.benchtime={calls}x", "-test.run=^$", "-test.cpu=1"]
        pin = ["taskset", "-c", str(*ONE)]
        found: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(5 if self.quick else 30):
            printed = build.run(*pin, *self.programs.go_answers, *chosen, BENCH_STAGE=str(FOLDER))
            for name, ns in re.findall(r"^BenchmarkAnswer/\w+/(\w+)\s+\d+\s+([\d.]+) ns/op", printed, re.MULTILINE):
                found[name].append(float(ns) / 1000)
        return found["ours"], found["theirs"]

    def threads(self) -> list[Row]:
        self.server.pin(OTHER)
        gos = f"{self.programs.versions['Go']} net/http, raised pool"
        peers = {f"{name}, one handle a thread": program for name, program in self.programs.libcurls.items()}
        peers[gos] = self.programs.nethttp
        commands = self.commands("threads", {"ours": self.programs.c} | peers, delayed=True)
        count = 10 if self.quick else 25
        times = interleave(commands, ONE, 3 if self.quick else 15, {name: count for name in commands}, 3, width=THREADS)
        work = f"{THREADS} threads on one client, answers after {DELAY_MS} ms"
        rate = {name: [1e6 / wall for wall in times[name].wall] for name in times}
        rows = []
        for peer in peers:
            rows.append(Row.of(work, peer, "calls a second", "/s", rate["ours"], rate[peer], 1.0, at_least=True))
            rows.append(Row.of(work, peer, "client CPU", "µs", times["ours"].cpu, times[peer].cpu, 0.8))
        return rows

    def modes(self, modes: dict[str, str], program: list[str], delayed: bool = False) -> dict[str, Command]:
        """A program in different modes."""
        return {name: self.server.command(program, mode, delayed) for name, mode in modes.items()}

    def journal(self) -> list[Row]:
        """What is durable before the first byte leaves, and after the response: beside a call without it, and the disk."""
        plain, disk = "the same without a journal", "4 kB written and fdatasync, same folder"
        alone = "one thread with a journal"
        rows, rounds = [], 3 if self.quick else 15
        for what, mode, without in (("charge", "journal-encrypted", "encrypted-"), ("refund", "journal", "")):
            self.server.pin(ONE)
            commands = self.modes({"ours": mode, plain: without.rstrip("-") or "post", disk: "sync"}, self.programs.c)
            times = interleave(commands, ONE, 2 * rounds, dict.fromkeys(commands, 50), 5)
            work = f"C, {what} with a journal"
            rows += both(work, plain, times, None)
            rows.append(Row.of(work, disk, "wall", "µs", times["ours"].wall, times[disk].wall, None))
            rows.append(Row.of(work, disk, "client CPU", "µs", times["ours"].cpu, times[disk].cpu, None))
            self.server.pin(OTHER)
            for threads in THREADS_WITH_JOURNAL:
                modes = {"ours": f"{mode}-threads-{threads}", plain: f"{without}threads-{threads}"}
                commands = self.modes(modes, self.programs.c)
                times = interleave(commands, ONE, rounds, dict.fromkeys(commands, 10), 2, threads)
                rate = {name: [1e6 / wall for wall in times[name].wall] for name in times}
                work = f"{threads} threads on one client, {what} with a journal"
                rows.append(Row.of(work, plain, "calls a second", "/s", rate["ours"], rate[plain], None, at_least=True))
                rows.append(Row.of(work, plain, "client CPU", "µs", times["ours"].cpu, times[plain].cpu, None))
            modes = {"ours": f"{mode}-threads-{threads}", alone: mode}
            commands = self.modes(modes, self.programs.c, delayed=True)
            times = interleave(commands, ONE, rounds, dict.fromkeys(commands, 10), 2)
            ours = [threads * 1e6 / wall for wall in times["ours"].wall]
            theirs = [1e6 / wall for wall in times[alone].wall]
            work += f", answers after {DELAY_MS} ms"
            rows.append(Row.of(work, alone, "calls a second", "/s", ours, theirs, 24.0, at_least=True))
        return [dataclasses.replace(row, is_cost=row.target is None) for row in rows]


def both(work: str, against: str, times: dict[str, Times], target: float | None, peer: str | None = None) -> list[Row]:
    ours, theirs = times["ours"], times[peer or against]
    return [
        Row.of(work, against, "wall", "µs", ours.wall, theirs.wall, target),
        Row.of(work, against, "client CPU", "µs", ours.cpu, theirs.cpu, target),
    ]
