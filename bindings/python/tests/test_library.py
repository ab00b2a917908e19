"""Error messages when the library is missing, or is not the right one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from helpers import run_python


def error_on_import(library: Path) -> str:
    ended = run_python("-c", "import paysvc", environment={"PAYSVC_LIBRARY": str(library)})
    assert ended.returncode == 1
    return ended.stderr.splitlines()[-1]


def test_missing(tmp_path: Path) -> None:
    message = error_on_import(tmp_path / "none.so")
    assert message.startswith("ImportError: libpaysvc cannot be loaded: ")
    assert "set PAYSVC_LIBRARY to the path of the library" in message


def test_a_file_that_is_not_a_library(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("text")
    assert error_on_import(tmp_path / "text.so").endswith("text.so is not a Linux shared library")


@pytest.mark.parametrize(("number", "name"), [(183, "aarch64"), (62, "x86_64"), (4711, "machine 4711")])
def test_another_machine(tmp_path: Path, number: int, name: str) -> None:
    if name == os.uname().machine:
        pytest.skip("this machine is one")
    head = bytearray(Path(os.environ["PAYSVC_LIBRARY"]).read_bytes()[:64])
    head[18:20] = number.to_bytes(2, "little")
    (tmp_path / "other.so").write_bytes(head)
    message = error_on_import(tmp_path / "other.so")
    assert f"other.so is built for {name} (64 bits), this Python runs on {os.uname().machine}" in message


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("int paysvc_abi(void) { return 99; }", "has version 99 of the binary interface; this package needs 1"),
        ("int paysvc_abi(void) { return 1; }", "is older than this package, or not libpaysvc"),
        ("int other(void) { return 1; }", "is older than this package, or not libpaysvc"),
    ],
)
def test_another_library(tmp_path: Path, source: str, part: str) -> None:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    (tmp_path / "stub.c").write_text(source)
    library = tmp_path / "stub.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "stub.c"], check=True)
    assert part in error_on_import(library)
