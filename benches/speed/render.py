"""BENCHMARKS.md from the results."""

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
    """For the terminal."""
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
        f"Made by `make bench` on {results['date']}; not edited by hand. {met} of {of} figures with a target meet it. "
        "The ratio is ours / the peer's of one round; median, and in brackets the quartiles over the rounds.",
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
    parts += ["", "## A warm call in counts", "", *counted(results), "", "## How it is measured", "", *notes(results)]
    parts += ["", "## Machine and versions", ""]
    parts += [f"- {name}: {text}" for name, text in {**results["machine"], **results["versions"]}.items()]
    return "\n".join(parts) + "\n"


def counted(results: dict[str, Any]) -> list[str]:
    """Of the C programs of the first row: the difference of two runs, so that start-up cancels out."""
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
        f"| of one call | at most | ours | {peer} | verdict |",
        "|---|---|---|---|---|",
        f"| system calls (strace) | {warm.MOST_SYSTEM_CALLS} | {calls(ours)} | {calls(theirs)} | {verdict(few)} |",
        f"| instructions in user space (callgrind) | {limit:,} "
        f"| {ours['instructions']:,} | {theirs['instructions']:,} | {verdict(ours['instructions'] <= limit)} |",
        f"| live heap after N, 2N, 4N calls, bytes | equal | {same(ours)} | {same(theirs)} | {verdict(constant)} |",
        f"| allocations (bytes) | – | {ours['allocations'][1]:g} ({ours['allocated bytes']:,}) "
        f"| {theirs['allocations'][1]:g} ({theirs['allocated bytes']:,}) | |",
        "",
        "`make bench-check`, which `.ci/run` calls, fails when our instructions differ by more than "
        f"{warm.TOLERANCE:.0%} from `benches/speed/instructions.json`, on a fourth system call, and when the heap "
        "grows with the number of calls. Callgrind counts on the processor that valgrind offers, which has AES-NI and "
        "AVX2 but nothing newer, so encryption may weigh more in it than in the times.",
    ]


def same(of: dict[str, Any]) -> str:
    return " = ".join(f"{value:,}" for value in dict.fromkeys(of["live bytes"]))


def notes(results: dict[str, Any]) -> list[str]:
    seconds = sum(section["seconds"] for section in results["took"].values())
    load = max(section["load before"] for section in results["took"].values())
    return [
        "- One server (`benches/speed/rust/src/server.rs`) for all: TLS 1.3, kept connections, one fixed answer of the "
        "interface's form. Every program checks HTTP status, envelope and state of the payment; only the raw rustls "
        "socket looks at nothing.",
        f"- Candidates take turns within one run of {seconds / 60:.0f} minutes: each is a process that keeps its "
        "connection, and a round lets each make some calls after a few that do not count. The load of the machine "
        f"before a section was at most {load}.",
        "- Sequential work: client and server on one core, so the wall time of a call holds the server's part too. "
        f"{calls_of_threads()} First calls: from exec to exit, for Python with its interpreter.",
        f"- Trust: the system's roots and the benchmark's authority, {results['roots']} certificates, for everybody; "
        "libpaysvc reads the system's by itself, the peers get them in one file.",
        "- The encryption and key rows compare `paysvc_encrypt` (which also checks the JSON) and `paysvc_client_new` "
        "and `_free` (which also read a configuration) with the same work written with OpenSSL: text to context, and "
        "payload to the request body.",
        "- Memory is Rss, which does not depend on what else runs. Pss, given beside it, counts a page that processes "
        "share for each in part, so it changes with every other program that has OpenSSL in memory.",
        "- Size: the stripped library and whatever ldd shows for it beyond libc, on both sides.",
    ]


def calls_of_threads() -> str:
    if len(stage.CORES) == 1:
        return "64 threads: one core for all, there is no other."
    return "64 threads: the client on one core, the server on another."
