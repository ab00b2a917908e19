"""The wheel, which has the library in it and works with every Python on this platform, and the sandbox's wheel."""

from __future__ import annotations

import os
import runpy
import shutil
import struct
import subprocess
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from helpers import PROJECT, run_python

from paysvc._library import library

PLATFORM = sysconfig.get_platform().replace("-", "_")
SANDBOX = PROJECT.parents[1] / "sandbox" / "python"
LICENCES = {"LICENSE-APACHE", "LICENSE-MIT", "LICENSE-THIRD-PARTY"}


def pe(machine: int) -> bytes:
    """The head of a Windows library."""
    return b"MZ".ljust(60, b"\0") + struct.pack("<I", 128) + bytes(64) + b"PE\0\0" + struct.pack("<H", machine)


def pip(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs pip: setuptools is the environment's own."""
    return run_python("-m", "pip", "--disable-pip-version-check", *arguments, environment=environment)


#: These options keep `pip wheel` off the network.
WHEEL = ("wheel", "--no-build-isolation", "--no-deps", "--no-index")


def build(folder: Path, *options: str, project: Path = PROJECT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Builds a wheel in that folder, from a copy, because setuptools writes files beside the sources."""
    source = folder / "source"
    others = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so")
    shutil.copytree(project / "src", source / "src", ignore=others, dirs_exist_ok=True)
    for name in ("pyproject.toml", "setup.py", "README.md", *LICENCES):
        shutil.copyfile(project / name, source / name)
    flags = (f"--config-settings=--build-option={it}" for it in options)
    return pip(*WHEEL, *flags, "-w", str(folder), str(source), **environment)


def wheel_in(folder: Path, ended: subprocess.CompletedProcess[str]) -> Path:
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return wheel_in(folder, build(folder))


def metadata_of(archive: zipfile.ZipFile, file: str) -> list[str]:
    (name,) = (name for name in archive.namelist() if name.endswith(f".dist-info/{file}"))
    return archive.read(name).decode().splitlines()


def test_it_is_for_any_python_on_this_platform_and_has_the_library_the_types_and_the_licences(wheel: Path) -> None:
    version = library.paysvc_version().decode()
    assert wheel.name == f"paysvc-{version}-py3-none-{PLATFORM}.whl"
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert {"paysvc/libpaysvc.so", "paysvc/py.typed", "paysvc/testing.py"} <= set(names)
    assert {name.rpartition("/licenses/")[2] for name in names if "/licenses/" in name} == LICENCES
    assert "Root-Is-Purelib: false" in metadata_of(archive, "WHEEL")
    lines = metadata_of(archive, "METADATA")
    # Its extra is the sandbox of its version.
    assert [line for line in lines if line.startswith(("Provides-Extra:", "Requires-Dist:"))] == [
        "Provides-Extra: sandbox", f'Requires-Dist: paysvc-sandbox=={version}; extra == "sandbox"'
    ]  # fmt: skip


@pytest.fixture(scope="module")
def packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel has been installed."""
    folder = tmp_path_factory.mktemp("packages")
    ended = pip("install", "--no-deps", "--no-index", "--target", str(folder), str(wheel))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


def test_it_works_after_installation(packages: Path) -> None:
    program = "import paysvc; print(paysvc.__file__, paysvc.__version__, paysvc._library.library._name)"
    ended = run_python("-c", program, cwd=packages, environment={"PAYSVC_LIBRARY": "", "PYTHONPATH": str(packages)})
    package, version = packages / "paysvc", library.paysvc_version().decode()
    assert ended.stdout.split() == [str(package / "__init__.py"), version, str(package / "libpaysvc.so")]


def test_a_program_that_pyinstaller_has_frozen_has_the_library(packages: Path, tmp_path: Path) -> None:
    program = tmp_path / "till.py"
    program.write_text("from paysvc import *\nfrom paysvc._library import library\nprint(AsyncClient, library._name)\n")
    alone = {"PAYSVC_LIBRARY": "", "PYTHONPATH": str(packages), "PYINSTALLER_CONFIG_DIR": str(tmp_path / "cache")}
    find = "from PyInstaller.depend.bindepend import get_python_library_path as path; path() or exit(1)"
    if run_python("-c", find, cwd=tmp_path, environment=alone).returncode != 0:
        pytest.skip("PyInstaller needs Python's shared library, such as Debian's libpython3.11")
    ended = run_python("-m", "PyInstaller", "--log-level=WARN", program, cwd=tmp_path, environment=alone)
    assert ended.returncode == 0, ended.stderr
    made = subprocess.run([tmp_path / "dist/till/till"], env={}, capture_output=True, text=True, check=True)
    # Not that of the packages.
    library = tmp_path / "dist/till/_internal/paysvc/libpaysvc.so"
    assert made.stdout == f"<class 'paysvc._async.AsyncClient'> {library}\n"


def test_a_wheel_of_another_platform_has_its_library(tmp_path: Path) -> None:
    dll = tmp_path / "made.bin"  # its kind is that of its contents
    dll.write_bytes(pe(0x8664))
    ended = build(tmp_path, "--plat-name=win_amd64", PAYSVC_LIBRARY=str(dll))
    made = wheel_in(tmp_path, ended)
    assert made.name.endswith("-py3-none-win_amd64.whl")
    archive = zipfile.ZipFile(made)
    assert archive.read("paysvc/paysvc.dll") == dll.read_bytes()
    assert "paysvc/libpaysvc.so" not in archive.namelist()


def elf(word: bytes, order: bytes, machine: bytes) -> bytes:
    return (b"\x7fELF" + word + order).ljust(18, b"\0") + machine


@pytest.mark.parametrize(
    ("head", "built", "fits", "other"),
    [
        (pe(0x8664), ("win32", "x86_64"), "win_amd64", "linux_x86_64"),
        (pe(0x14C), ("win32", "i686"), "win32", "win_amd64"),
        (pe(0xAA64), ("win32", "aarch64"), "win_arm64", "win_amd64"),
        (pe(0x4711), ("win32", "machine 0x4711"), "win_amd64", None),
        (elf(b"\2", b"\1", b">\0"), ("linux", "x86_64"), "manylinux2014_x86_64", "win_amd64"),
        (elf(b"\2", b"\1", b"\xb7\0"), ("linux", "aarch64"), "musllinux_1_2_aarch64", "linux_x86_64"),
        (elf(b"\1", b"\1", b"\3\0"), ("linux", "i686"), "linux_i686", "linux_x86_64"),
        (elf(b"\2", b"\2", b"\0\x16"), ("linux", "s390x"), "linux_s390x", "linux_i686"),
        (b"\xcf\xfa\xed\xfe", ("darwin", ""), "macosx_11_0_arm64", "linux_x86_64"),
    ],
)
def test_a_wheel_is_only_made_for_a_platform_that_its_library_fits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, head: bytes, built: tuple[str, str], fits: str, other: str | None
) -> None:
    (tmp_path / "library").write_bytes(head)
    monkeypatch.setenv("PAYSVC_LIBRARY", str(tmp_path / "library"))
    setup = runpy.run_path(str(PROJECT / "setup.py"))
    assert setup["built"]() == built
    setup["check"](fits)
    if other is not None:
        with pytest.raises(SystemExit, match=f"the wheel is tagged {other}: name its platform with --plat-name"):
            setup["check"](other)


@pytest.mark.parametrize("head", [pe(0x8664)[:130], b"MZ".ljust(60, b"\0") + b"\xff\xff\xff\xff", b"\x7fELF", b"MZ"])
def test_what_is_no_library_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, head: bytes) -> None:
    (tmp_path / "library").write_bytes(head)
    monkeypatch.setenv("PAYSVC_LIBRARY", str(tmp_path / "library"))
    with pytest.raises(SystemExit, match="library is not a shared library"):
        runpy.run_path(str(PROJECT / "setup.py"))["built"]()


def test_a_library_that_make_build_has_made_is_taken_while_it_is_current(tmp_path: Path) -> None:
    copy = tmp_path / "bindings" / "python"
    copy.mkdir(parents=True)
    (copy / "setup.py").write_bytes((PROJECT / "setup.py").read_bytes())
    source, built = tmp_path / "src" / "lib.rs", tmp_path / "build" / "lib" / "libpaysvc.so"

    def find() -> str:
        program = "import runpy; print(runpy.run_path('setup.py')['library']())"
        ended = run_python("-c", program, cwd=copy, environment={"PAYSVC_LIBRARY": "", "CARGO": "no-such-cargo"})
        return ended.stdout + ended.stderr

    assert "no checkout of libpaysvc here; set PAYSVC_LIBRARY to" in find()
    for file in (tmp_path / "Cargo.toml", source, built):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    assert find() == f"{built}\n"
    later = built.stat().st_mtime + 10
    os.utime(source, (later, later))
    for why in (f"{built} is older than {source}, run", f"{built} is not there, run"):
        told = find()
        assert told.startswith(f"paysvc: {why} `make build` to "), told
        assert "cargo compiles the library, which takes minutes\npaysvc: cargo was not found; set PAYSVC" in told
        built.unlink(missing_ok=True)


def test_a_wheel_can_be_made_of_the_source_package(wheel: Path, tmp_path: Path) -> None:
    make = f"from setuptools import build_meta; print(build_meta.build_sdist({str(tmp_path)!r}))"
    ended = run_python("-c", make, cwd=wheel.parent / "source")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (archive,) = tmp_path.glob("paysvc-*.tar.gz")
    with tarfile.open(archive) as made:
        assert {name.partition("/")[2] for name in made.getnames()} >= LICENCES
    again = zipfile.ZipFile(wheel_in(tmp_path / "made", pip(*WHEEL, "-w", str(tmp_path / "made"), str(archive))))
    assert {"paysvc/libpaysvc.so", "paysvc/py.typed"} <= set(again.namelist())


def test_the_sandbox_has_a_wheel_that_runs_the_program(tmp_path: Path) -> None:
    tags = "--plat-name=manylinux2014_x86_64.musllinux_1_1_x86_64"
    ended = build(tmp_path, tags, project=SANDBOX, PAYSVC_SANDBOX="")
    assert ended.returncode != 0
    assert "set PAYSVC_SANDBOX to the path of the program" in ended.stdout + ended.stderr
    shown = tmp_path / "shown"
    shown.write_text('#!/bin/sh\necho "$*"; exit 7\n')
    shown.chmod(0o755)
    wheel = wheel_in(tmp_path, build(tmp_path, tags, project=SANDBOX, PAYSVC_SANDBOX=str(shown)))
    assert wheel.name.startswith("paysvc_sandbox-")
    assert wheel.name.endswith("-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.rpartition("/licenses/")[2] for name in names if "/licenses/" in name} == LICENCES
    # It may be made for another processor than this one.
    install = ("install", "--no-deps", "--no-index", "--only-binary=:all:", "--platform", "manylinux2014_x86_64")
    ended = pip(*install, "--target", str(tmp_path / "installed"), str(wheel))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    environment = {"PYTHONPATH": str(tmp_path / "installed")}
    ended = run_python("-m", "paysvc_sandbox", "--seed", "1", environment=environment)
    assert (ended.returncode, ended.stdout) == (7, "--seed 1\n"), ended.stderr
    script = tmp_path / "installed" / "bin" / "paysvc-sandbox"
    ended = run_python(script, "--help", environment=environment)
    assert (ended.returncode, ended.stdout) == (7, "--help\n"), ended.stderr
