#!/usr/bin/env python3
"""The benchmark (make bench): measures ours and the peers in one run, and writes table and picture.

    run.py [--quick] [--resume] [SECTION...]

What was measured is in build/bench/results.json. --quick: few rounds, and the table and the picture go there too. --resume: continues a run that
was interrupted, from build/bench/progress.json. With sections: only these, and no files are written.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import counts
import picture
import programs
import render
import rows
import stage
import warm
from calls import THREADS_WITH_JOURNAL, Calls
from processes import Processes

PROGRESS = stage.BUILD / "progress.json"


def machine() -> dict[str, str]:
    cpu = next(
        (line.split(": ", 1)[1] for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "?"
    )
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**30
    return {
        "processor": f"{cpu}, {len(stage.CORES)} cores for us, {memory} GiB",
        "system": f"{system}, Linux {platform.release()}",
    }


def warm_calls(candidates: programs.Programs, server: stage.Server) -> dict[str, Any]:
    """Ours and the system's libcurl."""
    name, libcurl = next(iter(candidates.libcurls.items()))
    return {of: warm.measure(server.command(it, "post")) for of, it in (("ours", candidates.c), (name, libcurl))}


def with_journal(candidates: programs.Programs, server: stage.Server) -> dict[str, dict[str, float]]:
    """The system calls of our charge and our refund with a journal, by how many threads make them."""
    found = {}
    for what, mode in (("charge", "journal-encrypted"), ("refund", "journal")):
        for threads in (1, *THREADS_WITH_JOURNAL):
            name = mode if threads == 1 else f"{mode}-threads-{threads}"
            counted = counts.system_calls(server.command(candidates.c, name), 320 // threads)
            found[f"{what}, {threads}"] = {name: count / threads for name, count in counted.items()}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("sections", nargs="*")
    chosen = parser.parse_args()
    candidates = programs.all_of_them()
    results: dict[str, Any] = {"quick": chosen.quick, "rows": {}, "took": {}}
    if chosen.resume and PROGRESS.exists():
        results = json.loads(PROGRESS.read_text())
        if results["quick"] != chosen.quick:
            parser.error("the interrupted run was not of this length: it was with --quick, or this is")
        print(f"continues after: {', '.join(results['took']) or 'nothing'}")
    with stage.server(candidates.server) as server:
        calls = Calls(candidates, server, chosen.quick)
        processes = Processes(candidates, server, chosen.quick)
        sections: dict[str, Callable[[], list[rows.Row]]] = {
            "plain": calls.plain,
            "fresh": calls.fresh,
            "encrypted": calls.encrypted,
            "encryption": calls.encryption,
            "key": calls.key,
            "looks": calls.looks,
            "python": calls.python,
            "go": calls.go,
            "small gets": calls.small_gets,
            "answers": calls.answers,
            "threads": calls.threads,
            "journal": calls.journal,
            "first": processes.first,
            "memory": processes.memory,
            "size": processes.size,
        }
        unknown = set(chosen.sections) - set(sections)
        if unknown:
            parser.error(f"no such section: {', '.join(sorted(unknown))}; there are {', '.join(sections)}")
        results["date"] = datetime.date.today().isoformat()
        results["machine"], results["versions"] = machine(), candidates.versions
        results["versions"] |= {"valgrind": counts.version("valgrind"), "strace": counts.version("strace")}
        results["roots"] = stage.roots()
        for name, section in sections.items():
            if name in results["took"] or (chosen.sections and name not in chosen.sections):
                continue
            started, load = time.monotonic(), os.getloadavg()[0]
            found = section()
            results["rows"][name] = [rows.to_json(row) for row in found]
            results["took"][name] = {"seconds": round(time.monotonic() - started, 1), "load before": round(load, 2)}
            PROGRESS.write_text(json.dumps(results))
            for row in found:
                print(render.line(row), flush=True)
        if "warm" not in results and not chosen.sections:
            results["warm"] = warm_calls(candidates, server)
            PROGRESS.write_text(json.dumps(results))
        if "journal" not in results and (not chosen.sections or "journal" in chosen.sections):
            results["journal"] = with_journal(candidates, server)
            print("\n".join(render.journal_counts(results)))
            PROGRESS.write_text(json.dumps(results))
    if chosen.sections:
        return 0
    found_faults = warm.faults(results["warm"]["ours"], json.loads(warm.COMMITTED.read_text()))
    for fault in found_faults:
        print(f"bench: {fault}", file=sys.stderr)
    data, shown = stage.BUILD / "results.json", stage.BUILD if chosen.quick else stage.ROOT
    data.write_text(json.dumps(results, indent=1) + "\n")
    (shown / "BENCHMARKS.md").write_text(render.page(results))
    (shown / "BENCHMARKS.svg").write_text(picture.draw(results))
    PROGRESS.unlink(missing_ok=True)
    print(f"written: {data}, {shown / 'BENCHMARKS.md'}, {shown / 'BENCHMARKS.svg'}")
    return 1 if found_faults else 0


if __name__ == "__main__":
    sys.exit(main())
