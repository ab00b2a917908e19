"""What is said when the library is not there, or not the right one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def told_on_import(library: Path | str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", "import paysvc"],
        env={**os.environ, "PAYSVC_LIBRARY": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    return ended.stderr.splitlines()[-1]


def test_missing(tmp_path: Path) -> None:
    told = told_on_import(tmp_path / "none.so")
    assert told.startswith("ImportError: libpaysvc cannot be loaded: ")
    assert "PAYSVC_LIBRARY name the library" in told


def test_no_library(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    assert told_on_import(tmp_path / "text.so").endswith("text.so is not a shared library of Linux")


@pytest.mark.parametrize(("number", "name"), [(183, "aarch64"), (62, "x86_64"), (4711, "machine 4711")])
def test_another_machine(tmp_path: Path, number: int, name: str) -> None:
    if name == os.uname().machine:
        pytest.skip("that is this machine")
    head = bytearray(Path(os.environ["PAYSVC_LIBRARY"]).read_bytes()[:64])
    head[18:20] = number.to_bytes(2, "little")
    (tmp_path / "other.so").write_bytes(head)
    told = told_on_import(tmp_path / "other.so")
    assert f"other.so is built for {name} (64 bits), this Python runs on {os.uname().machine}" in told


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("int paysvc_abi(void) { return 99; }", "has version 99 of the binary interface; this package needs 1"),
        ("int paysvc_abi(void) { return 1; }", "is older than this package, or no libpaysvc"),
        ("int other(void) { return 1; }", "is older than this package, or no libpaysvc"),
    ],
)
def test_another_library(tmp_path: Path, source: str, part: str) -> None:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    (tmp_path / "stub.c").write_text(source)
    library = tmp_path / "stub.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "stub.c"], check=True)
    assert part in told_on_import(library)
