"""Where the library is found, and errors if it is missing or is not the right one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import run_python

from paysvc import _library


def error_on_import(library: Path) -> str:
    ended = run_python("-c", "import paysvc", environment={"PAYSVC_LIBRARY": str(library)})
    assert ended.returncode == 1
    return ended.stderr.splitlines()[-1]


def test_a_file_that_is_not_a_library(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("text")
    message = error_on_import(tmp_path / "text.so")
    assert message.startswith("ImportError: libpaysvc cannot be loaded: ")
    assert str(tmp_path / "text.so") in message
    assert "set PAYSVC_LIBRARY to the path of a library" in message


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
    monkeypatch.setattr(_library, "__file__", str(tmp_path / "_library.py"))
    monkeypatch.setenv("PAYSVC_LIBRARY", "C:\\till\\paysvc.dll")
    assert _library.path() == "C:\\till\\paysvc.dll"
    monkeypatch.delenv("PAYSVC_LIBRARY")
    assert _library.path() == searched
    (tmp_path / name).write_bytes(b"")
    assert _library.path() == str(tmp_path / name)


def test_the_error_says_what_to_do_on_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ImportError, match=r"or name its folder with os\.add_dll_directory\(\)$"):
        _library.load(str(tmp_path / "none.so"))
