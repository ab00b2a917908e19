"""Renders BENCHMARKS.md from the results."""

from __future__ import annotations

from typing import Any

import stage
import warm
from rows import Row, Spread, from_json


def number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def spread(of: Spread) -> str:
    if of.low == of.high:
        return number(of.median)
    return f"{number(of.median)} ({number(of.low)}–{number(of.high)})"


def ratio(row: Row) -> str:
    if row.rounds == 1:
        return f"**{row.ratio.median:.2f}**"
    return f"**{row.ratio.median:.2f}** ({row.ratio.low:.2f}–{row.ratio.high:.2f})"


def target(row: Row) -> str:
    if row.target is None:
        return "–"
    return f"{'≥' if row.at_least else '≤'} {row.target:.2f}"


def line(row: Row) -> str:
    """The row, for the terminal."""
    plain = ratio(row).replace("*", "")
    verdict = row.verdict().replace("*", "")
    return f"{row.work:51.51} {row.against:44.44} {row.figure:14} {target(row):7} {plain:18} {verdict}"


def page(results: dict[str, Any]) -> str:
    rows = [from_json(row) for section in results["rows"].values() for row in section]
    met = sum(row.verdict() == "met" for row in rows)
    of = sum(row.target is not None for row in rows)
    parts = [
        "# Benchmarks",
        "",
        f"Written by `make bench` on {results['date']}; do not edit. {met} of {of} figures with a target meet it. "
        "The ratio is ours / the peer's, taken in each round: the median and, in brackets, the quartiles of all rounds. "
        "The targets are goals of the project.",
        "",
        "![the ratios of the table below](BENCHMARKS.svg)",
        "",
        "| work | against | figure | target | ratio | ours | peer | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [row.work, row.against, f"{row.figure}, {row.unit}", target(row), ratio(row)]
        cells += [spread(row.ours), spread(row.theirs), row.verdict()]
        parts.append(f"| {' | '.join(cells)} |")
    parts += ["", "## Counts of a warm call", "", *counted(results), "", *journal_counts(results)]
    parts += ["", "## How it is measured", "", *notes(results)]
    parts += ["", "## Machine and versions", ""]
    parts += [f"- {name}: {text}" for name, text in {**results["machine"], **results["versions"]}.items()]
    return "\n".join(parts) + "\n"


def counted(results: dict[str, Any]) -> list[str]:
    """The counts of the C programs of the first row: the difference of two runs, so that the start cancels out."""
    ours, (peer, theirs) = results["warm"]["ours"], list(results["warm"].items())[1]
    limit = warm.limit()

    def calls(of: dict[str, Any]) -> str:
        each = ", ".join(f"{count:g} {name}" for name, count in of["system calls"].items())
        return f"{sum(of['system calls'].values()):g} ({each})"

    def verdict(good: bool) -> str:
        return "met" if good else "**missed**"

    constant = len(set(ours["live bytes"])) == 1
    few = sum(ours["system calls"].values()) <= warm.MOST_SYSTEM_CALLS + 0.01
    return [
        f"| per call | at most | ours | {peer} | verdict |",
        "|---|---|---|---|---|",
        f"| system calls (strace) | {warm.MOST_SYSTEM_CALLS} | {calls(ours)} | {calls(theirs)} | {verdict(few)} |",
        f"| instructions in user space (callgrind) | {limit:,} "
        f"| {ours['instructions']:,} | {theirs['instructions']:,} | {verdict(ours['instructions'] <= limit)} |",
        f"| live heap after N, 2N, 4N calls, bytes | equal | {same(ours)} | {same(theirs)} | {verdict(constant)} |",
        f"| allocations (bytes) | – | {ours['allocations'][1]:g} ({ours['allocated bytes']:,}) "
        f"| {theirs['allocations'][1]:g} ({theirs['allocated bytes']:,}) | |",
        "",
        "`make bench CHECK=1`, which `.ci/run` calls, fails if our instructions differ by more than "
        f"{warm.TOLERANCE:.0%} from `benches/speed/instructions.json`, if a call makes more than "
        f"{warm.MOST_SYSTEM_CALLS} system calls, or if the heap grows with the number of calls. Callgrind counts on the "
        "processor that valgrind simulates, which has AES-NI and AVX2 but no newer instructions, so encryption may "
        "have a larger share here than in the times.",
    ]


def journal_counts(results: dict[str, Any]) -> list[str]:
    """The most frequent ones by name, and syncs."""
    lines = []
    for what, calls in results["journal"].items():
        frequent = sorted((count, name) for name, count in calls.items() if count >= 1 or name == "fdatasync")
        named = ", ".join(f"{count:.1f} {name}" for count, name in reversed(frequent))
        lines.append(f"| {what} | {sum(calls.values()):.0f} | {named} |")
    return ["| with a journal, threads | system calls of each | by name |", "|---|---|---|", *lines]


def same(of: dict[str, Any]) -> str:
    return " = ".join(f"{value:,}" for value in dict.fromkeys(of["live bytes"]))


def notes(results: dict[str, Any]) -> list[str]:
    seconds = sum(section["seconds"] for section in results["took"].values())
    load = max(section["load before"] for section in results["took"].values())
    return [
        "- There is one server for all (`benches/speed/rust/src/server.rs`): TLS 1.3, kept-alive connections, and one "
        "fixed answer of the documented form. Every program checks HTTP status, envelope and state of the payment; only "
        "the raw rustls socket checks nothing.",
        f"- The programs take turns within one run of {seconds / 60:.0f} minutes. Each is a process that keeps its "
        "connection; in each round it makes some calls after a few that are not measured. The load of the machine "
        f"before a section was at most {load}.",
        "- Sequential calls: client and server share a core, so the wall time of a call includes the server's part. "
        f"{calls_of_threads()} First calls: from exec to exit; for Python this includes the interpreter.",
        f"- All programs trust the system's roots and the benchmark's own authority, {results['roots']} certificates. "
        "libpaysvc reads the system's roots by itself; the peers get all of them in one file.",
        "- The rows on encryption and keys compare `paysvc_encrypt` (which also checks the JSON), and "
        "`paysvc_client_new` and `_free` (which also read a configuration), with the same work written with OpenSSL: "
        "from text to context, and from payload to request body.",
        "- The rows on typed answers involve no network. A response is read again each time, and some of its fields are "
        "asked for. The peers read all fields into what their language offers: dicts in Python, structs in Go. Ours are "
        "made of the JSON that the library has made of the body, which is not measured again.",
        "- A call with a journal writes two rows: that it is about to be sent, which is durable before its first byte "
        "leaves, and what became of it, which is durable at the end of a refund and need not be for a charge. These rows "
        "compare it with our own call without one, and with one write of the disk's own, all in the same folder; a disk "
        "that syncs faster, or not at all, gives other ratios. A charge has a new order and an encrypted card, which the "
        "call without a journal encrypts, too.",
        "- Memory is Rss, which does not depend on other processes. Pss counts a shared page for each process in part, "
        "so it changes with every other program that has OpenSSL in memory.",
        "- Size is that of the stripped library and of all libraries that ldd shows for it, without libc's.",
    ]


def calls_of_threads() -> str:
    if len(stage.CORES) == 1:
        return "64 threads: one core for all, because there is only one."
    return "64 threads: the client has one core, the server another."
