#!/usr/bin/env python3
"""Plants the faults of planted-faults.txt in a copy of the tree, one at a time: the tests must find each of them.

    planted-faults.py [--list | --check | --together] [NAME...]

NAME: only faults whose name or command contains one of these. --check: only whether each fault can still be planted.
--together: all of them are planted at once, and built once; for faults that no other one's tests can find. The copy
has a target folder of its own, where a second run finds what the first has built, and uses the library and the sandbox
that `make build` built. Exit status 1: a fault was not found, or could not be planted.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "planted-faults"
MEMBERS = r"fault file( find put)+( run)+"


def faults() -> list[dict[str, Any]]:
    """An entry has a line for each field, and ends with an empty line; each of its commands must find the fault."""
    text = (ROOT / "scripts/planted-faults.txt").read_text()
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    entries = []
    for block in re.split(r"\n{2,}", text.strip("\n")):
        names, values = zip(*(re.match(r"(\w+): ?(.*)", line).groups() for line in block.split("\n")))
        if not re.fullmatch(MEMBERS, " ".join(names)):
            raise SystemExit(f"not the fields {MEMBERS}: {block}")
        found = {name: [value for of, value in zip(names, values) if of == name] for name in names}
        entry = {"fault": values[0], "file": values[1], "changes": list(zip(found["find"], found["put"]))}
        entries += [{**entry, "run": run} for run in found["run"]]
    return entries


def planted(text: str, fault: dict[str, Any]) -> str:
    """The file with the fault."""
    for find, put in fault["changes"]:
        times = text.count(find)
        if times != 1:
            raise SystemExit(f"{fault['fault']}: {fault['file']} has {find!r} {times} times: planted-faults.txt")
        text = text.replace(find, put)
    return text


def committed() -> list[str]:
    """The files of the tree, uncommitted new ones included."""
    list_files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(list_files, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def copy_of_the_tree() -> Path:
    """A file that is the same keeps its time, so that it is not built again."""
    tree = TARGET / "tree"
    files = set(committed())
    for name in files:
        old, new = ROOT / name, tree / name
        if not new.exists() or new.read_bytes() != old.read_bytes():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(old, new)
            shutil.copymode(old, new)
    for path in list(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        if path.is_file() and not path.is_symlink() and name not in files and not name.startswith((".git/", "build/")):
            path.unlink()
    # Some tests ask git for the files of the tree.
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tree, check=True, capture_output=True)
    # The build's output, with the headers of the copy.
    shutil.rmtree(tree / "build", ignore_errors=True)
    include = tree / "build/include"
    include.mkdir(parents=True)
    for name in ("lib", "bin", "venv", "share", "tools"):
        if (ROOT / "build" / name).exists():
            (tree / "build" / name).symlink_to(ROOT / "build" / name)
    for header in [tree / "include/paysvc.h", *sorted((tree / "bindings/cpp").glob("*.hpp"))]:
        (include / header.name).symlink_to(header)
    return tree


def environment(tree: Path) -> dict[str, str]:
    """For the commands of Go and Python, the same as the tests of this repository set."""
    built = tree / "build"
    own = {
        "CARGO_TARGET_DIR": TARGET / "target",
        "GOFLAGS": "-buildvcs=false -count=1",
        "PKG_CONFIG_PATH": built / "lib/pkgconfig",
        "CGO_CFLAGS": f"-I{built / 'include'}",
        "CGO_LDFLAGS": f"-L{built / 'lib'}",
        "LD_LIBRARY_PATH": built / "lib",
        "PYTHONDONTWRITEBYTECODE": "1",
        # A copy is newer than what was built.
        "TEST_BUILD": built,
        "PAYSVC_LIBRARY": built / "lib/libpaysvc.so",
        "PAYSVC_SANDBOX": built / "bin/paysvc-sandbox",
    }
    return {**os.environ, **{name: str(value) for name, value in own.items()}}


def run(command: str, tree: Path) -> subprocess.CompletedProcess[str]:
    # In the words of planted-faults.txt.
    short = {
        "lib": "cargo test -q -p paysvc --lib --",
        "integration": "cargo test -q --workspace --test integration --",
        # The same with the library of the copy.
        "linked": 'try() { make -s try ONLY="$*"; }; try',
        # Not for the other tests: the documents' blocks use the package that they install.
        "pytest": "cd bindings/python && PYTHONPATH=$PWD/src "
        "../../build/venv/bin/python -m pytest -q -x -p no:cacheprovider",
        "go": 'cd bindings/go && "${GO:-go}" test -timeout 100s',
    }
    word, _, rest = command.partition(" ")
    command = f"{short.get(word, word)} {rest}"
    return subprocess.run(["sh", "-c", command], cwd=tree, env=environment(tree), capture_output=True, text=True)


def report(fault: dict[str, Any], sound: bool, ended: subprocess.CompletedProcess[str], began: float) -> bool:
    """Whether it was found."""
    # A program that does not compile is no evidence about the tests.
    built = not re.search(r"^error.*could not compile", ended.stdout + ended.stderr, re.MULTILINE)
    found = sound and ended.returncode != 0 and built
    why = "" if found or (sound and built) else " (does not compile)" if sound else " (the command fails without it)"
    took = f"{time.monotonic() - began:5.0f} s"
    print(f"{'found    ' if found else 'NOT FOUND'} {took}  {fault['fault']}: {fault['run']}{why}", flush=True)
    return found


def main(arguments: list[str]) -> int:
    options = {it for it in arguments if it.startswith("--")}
    names = [it for it in arguments if it not in options]
    chosen = [it for it in faults() if not names or any(name in it["fault"] + it["run"] for name in names)]
    if not options <= {"--list", "--check", "--together"} or not chosen:
        raise SystemExit(__doc__)
    for fault in chosen:
        planted((ROOT / fault["file"]).read_text(), fault)
    if "--list" in options:
        print("\n".join(f"{it['fault']}: {it['run']}" for it in chosen))
    if options & {"--list", "--check"}:
        print(f"{len(chosen)} faults")
        return 0
    tree = copy_of_the_tree()
    # A command that fails without the fault would find everything.
    sound = {command: run(command, tree).returncode == 0 for command in dict.fromkeys(it["run"] for it in chosen)}
    missed = []
    for group in [chosen] if "--together" in options else [[it] for it in chosen]:
        good = {it["file"]: (tree / it["file"]).read_text() for it in group}
        try:
            for fault in group:
                file = tree / fault["file"]
                file.write_text(planted(file.read_text(), fault))
            for fault in group:
                began = time.monotonic()
                if not report(fault, sound[fault["run"]], run(fault["run"], tree), began):
                    missed.append(fault["fault"])
        finally:
            for file, text in good.items():
                (tree / file).write_text(text)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} faults were found", *missed, sep="\n  not: ")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
