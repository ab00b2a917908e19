"""Error messages when the library is missing, or is not the right one."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import run_python

from paysvc import _location
from paysvc._binary import Built, built
from paysvc._library import library as loaded


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


OTHER_MACHINES = {183: "aarch64", 62: "x86_64", 4711: "machine 4711"}


@pytest.mark.parametrize("number", [number for number, name in OTHER_MACHINES.items() if name != os.uname().machine])
def test_another_machine(tmp_path: Path, number: int) -> None:
    name = OTHER_MACHINES[number]
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


def pe(machine: int) -> bytes:
    """The head of a Windows library."""
    return (
        b"MZ".ljust(60, b"\0") + struct.pack("<I", 128) + bytes(64) + b"PE\0\0" + struct.pack("<H", machine) + bytes(64)
    )


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (pe(0x8664), Built("win32", "x86_64", 64)),
        (pe(0x14C), Built("win32", "i686", 32)),
        (pe(0xAA64), Built("win32", "aarch64", 64)),
        (pe(0x4711), Built("win32", "machine 0x4711", 0)),
        (b"\x7fELF\1\1".ljust(18, b"\0") + b"\x28\0", Built("linux", "armv7l", 32)),
        (b"\x7fELF\2\2".ljust(18, b"\0") + b"\0\x16", Built("linux", "s390x", 64)),
        (b"\xcf\xfa\xed\xfe", Built("darwin")),
        (b"MZ", None),
        (pe(0x8664)[:130], None),
        (b"MZ".ljust(60, b"\0") + b"\xff\xff\xff\xff", None),
        (b"\x7fELF", None),
        (b"", None),
    ],
)
def test_what_a_file_was_built_for(tmp_path: Path, head: bytes, expected: Built | None) -> None:
    (tmp_path / "library").write_bytes(head)
    assert built(str(tmp_path / "library")) == expected


# There is no Python for Windows or macOS where these tests run: what follows is decided by sys.platform alone.


@pytest.mark.parametrize(
    ("system", "name", "searched"),
    [
        ("linux", "libpaysvc.so", "libpaysvc.so.1"),
        ("win32", "paysvc.dll", "paysvc.dll"),
        ("darwin", "libpaysvc.dylib", "libpaysvc.dylib"),
    ],
)
def test_where_the_library_is_on_each_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str, name: str, searched: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(_location, "__file__", str(tmp_path / "_location.py"))
    monkeypatch.setenv("PAYSVC_LIBRARY", "C:\\till\\paysvc.dll")
    assert _location.path() == "C:\\till\\paysvc.dll"
    monkeypatch.delenv("PAYSVC_LIBRARY")
    assert _location.path() == searched
    (tmp_path / name).write_bytes(b"")
    assert _location.path() == str(tmp_path / name)


def test_why_a_dll_is_not_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    for name, head in (("python.exe", pe(0x8664)), ("paysvc.dll", pe(0x14C)), ("libpaysvc.so", b"\x7fELF".ljust(20))):
        (tmp_path / name).write_bytes(head)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python.exe"))
    failed = OSError("[WinError 193] %1 is not a valid Win32 application")

    def why(name: str) -> str:
        return _location.why(str(tmp_path / name), failed)

    assert why("paysvc.dll").endswith("paysvc.dll is built for i686 (32 bits), this Python runs on x86_64 (64 bits)")
    assert why("libpaysvc.so").endswith("libpaysvc.so is not a Windows DLL")
    assert why("none.dll").endswith("or name its folder with os.add_dll_directory()")
    # The same kind: the system's own words say it.
    (tmp_path / "paysvc.dll").write_bytes(pe(0x8664))
    assert why("paysvc.dll") == str(failed)
    # A program that has Python in it may not name one.
    monkeypatch.setattr(sys, "executable", "")
    assert why("paysvc.dll") == str(failed)


def test_this_python_and_its_library_are_of_one_kind() -> None:
    assert built(sys.executable) == built(loaded._name)
