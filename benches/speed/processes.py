"""What a whole process costs: its first call, its memory, and the libraries that it loads."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

from build import run
from programs import Programs
from rounds import Command, interleave, worker
from rows import Row
from stage import BUILD, CORES, ONE, ROOT, Server

#: Part of the C library, so every program has them.
OF_LIBC = re.compile(r"/(ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libresolv\.|libutil\.)")


class Processes:
    def __init__(self, programs: Programs, server: Server, quick: bool) -> None:
        self.programs, self.server, self.quick = programs, server, quick

    def first(self) -> list[Row]:
        """From exec to exit: loading, roots, handshake and one call; for Python also its interpreter."""
        self.server.pin(ONE)
        requests, program = next(iter(self.programs.python_peers.items()))
        peers = {
            "C": ({"ours": self.programs.c} | self.programs.libcurls, 0.4),
            "Python": ({"ours": self.programs.python, requests: program}, 0.3),
        }
        rows = []
        for language, (programs, target) in peers.items():
            launch, command = self.programs.launch, self.server.command
            commands: dict[str, Command] = {name: [launch, *command(of, "first")] for name, of in programs.items()}
            rounds = 3 if self.quick else 30
            # The first round fills the caches of files and, for Python, of compiled modules.
            times = interleave(commands, ONE, rounds, {name: 1 for name in commands}, 1)
            for peer in list(programs)[1:]:
                work, ms = f"{language}, first call of a process", 1000.0
                for figure, ours, theirs in (
                    ("wall", times["ours"].wall, times[peer].wall),
                    ("client CPU", times["ours"].cpu, times[peer].cpu),
                ):
                    ours, theirs = [us / ms for us in ours], [us / ms for us in theirs]
                    rows.append(Row.of(work, peer, figure, "ms", ours, theirs, target))
        return rows

    def memory(self) -> list[Row]:
        """Rss, which does not depend on other processes, and Pss, which counts a shared page for each process in part, and
        so changes with every other program that has OpenSSL in memory."""
        self.server.pin(set(CORES))
        rows = []
        works = {"post": "memory of an idle client, one call made", "threads": "memory of 64 busy threads"}
        for mode, work in works.items():
            pss, rss = {}, {}
            programs = {"ours": self.programs.c} | self.programs.libcurls
            for name, program in programs.items():
                rounds = [self.held(program, mode) for _ in range(2 if self.quick else 5)]
                pss[name], rss[name] = [p for p, _ in rounds], [r for _, r in rounds]
            for peer in self.programs.libcurls:
                rows.append(Row.of(work, peer, "Rss", "kB", rss["ours"], rss[peer], 0.6))
                rows.append(Row.of(work, peer, "Pss", "kB", pss["ours"], pss[peer], None))
        return rows

    def held(self, program: list[str], mode: str) -> tuple[int, int]:
        """Pss and Rss in kB: idle after one call, or during calls."""
        with worker(self.server.command(program, mode, delayed=mode == "threads"), set(CORES)) as it:
            it.calls(2)
            if mode == "threads":
                it.start(50)  # takes a second; the memory is read after half of it
                time.sleep(0.5)
            text = Path(f"/proc/{it.process.pid}/smaps_rollup").read_text()
            if mode == "threads":
                it.result()
        found = dict(re.findall(r"^(Pss|Rss):\s+(\d+) kB$", text, re.MULTILINE))
        return int(found["Pss"]), int(found["Rss"])

    def size(self) -> list[Row]:
        stripped = BUILD / "libpaysvc.stripped.so"
        shutil.copy(ROOT / "build/lib/libpaysvc.so", stripped)
        run("strip", "--strip-unneeded", stripped)
        ours = loaded_by(stripped)
        curl = re.search(r"libcurl\.so\.4 => (\S+)", run("ldd", self.programs.libcurl_of_the_system()))
        assert curl is not None, "the peer's program is not linked to libcurl.so.4"
        theirs = loaded_by(Path(curl.group(1)))
        against = f"{next(iter(self.programs.libcurls))} and the {len(theirs) - 1} libraries it loads"
        sizes = [sum(path.stat().st_size for path in paths) / 1024 for paths in (ours, theirs)]
        work = "size: stripped .so and what it loads beyond libc"
        return [Row.of(work, against, "files", "kB", [sizes[0]], [sizes[1]], 0.5)]


def loaded_by(library: Path) -> list[Path]:
    """The library and all libraries that ldd shows for it, at any depth, without libc's."""
    told = run("ldd", library)
    assert "not found" not in told, told
    others = re.findall(r"=> (/\S+)", told)
    return [library.resolve(), *(Path(path).resolve() for path in others if not OF_LIBC.search(path))]
