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
    """Runs pip, whose arguments keep it off the network: setuptools is the environment's own."""
    return run_python("-m", "pip", "--disable-pip-version-check", *arguments, environment=environment)


def build(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Builds a wheel in that folder."""
    # Built from a copy, because setuptools writes files beside the sources.
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", *LICENCES):
        (source / name).write_bytes((PROJECT / name).read_bytes())
    (source / "src" / "paysvc").mkdir(parents=True)
    for file in (PROJECT / "src" / "paysvc").iterdir():
        if file.suffix == ".py" or file.name == "py.typed":
            (source / "src" / "paysvc" / file.name).write_bytes(file.read_bytes())
    flags = [
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        *(f"--config-settings=--build-option={it}" for it in options),
    ]
    return pip("wheel", *flags, "-w", str(folder), str(source), **environment)


def wheel_in(folder: Path, ended: subprocess.CompletedProcess[str]) -> Path:
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return wheel_in(folder, build(folder))


def test_its_tag_is_any_python_on_this_platform(wheel: Path) -> None:
    version = library.paysvc_version().decode()
    assert wheel.name == f"paysvc-{version}-py3-none-{PLATFORM}.whl"


def test_it_has_the_library_the_types_and_the_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"paysvc/libpaysvc.so", "paysvc/py.typed", "paysvc/testing.py"} <= set(names)
    assert {name.rpartition("/licenses/")[2] for name in names if "/licenses/" in name} == LICENCES
    (metadata,) = (name for name in names if name.endswith("/WHEEL"))
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(metadata).decode()


def test_its_extra_is_the_sandbox_of_its_version(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
    lines = archive.read(metadata).decode().splitlines()
    found = [line for line in lines if line.startswith(("Provides-Extra:", "Requires-Dist:"))]
    version = library.paysvc_version().decode()
    assert found == ["Provides-Extra: sandbox", f'Requires-Dist: paysvc-sandbox=={version}; extra == "sandbox"']


def test_the_source_distribution_has_the_licences(wheel: Path, tmp_path: Path) -> None:
    ended = run_python("setup.py", "--quiet", "sdist", "--dist-dir", str(tmp_path), cwd=wheel.parent / "source")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as made:
        assert {name.partition("/")[2] for name in made.getnames()} >= LICENCES


def test_it_works_after_installation(wheel: Path, tmp_path: Path) -> None:
    ended = pip("install", "--no-deps", "--no-index", "--target", str(tmp_path), str(wheel))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    program = "import paysvc; print(paysvc.__file__, paysvc.__version__, paysvc._library.library._name)"
    ended = run_python("-c", program, cwd=tmp_path, environment={"PAYSVC_LIBRARY": "", "PYTHONPATH": str(tmp_path)})
    package = tmp_path / "paysvc"
    version = library.paysvc_version().decode()
    assert ended.stdout.split() == [str(package / "__init__.py"), version, str(package / "libpaysvc.so")]


def test_a_program_that_pyinstaller_has_frozen_has_the_library(wheel: Path, tmp_path: Path) -> None:
    packages, program = tmp_path / "packages", tmp_path / "till.py"
    ended = pip("install", "--no-deps", "--no-index", "--target", str(packages), str(wheel))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    program.write_text("from paysvc import *\nfrom paysvc._library import library\nprint(AsyncClient, library._name)\n")
    alone = {"PAYSVC_LIBRARY": "", "PYTHONPATH": str(packages), "PYINSTALLER_CONFIG_DIR": str(tmp_path / "cache")}
    find = "from PyInstaller.depend.bindepend import get_python_library_path as path; path() or exit(1)"
    if run_python("-c", find, cwd=tmp_path, environment=alone).returncode != 0:
        pytest.skip("PyInstaller needs Python's shared library, such as Debian's libpython3.11")
    ended = run_python("-m", "PyInstaller", "--log-level=WARN", program, cwd=tmp_path, environment=alone)
    assert ended.returncode == 0, ended.stderr
    shutil.rmtree(packages)
    made = subprocess.run([tmp_path / "dist/till/till"], env={}, capture_output=True, text=True, check=True)
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


@pytest.mark.parametrize(
    ("head", "tag", "fits"),
    [
        (0x8664, "win_amd64", True),
        (0x14C, "win32", True),
        (0xAA64, "win_arm64", True),
        (0x14C, "win_amd64", False),
        (0x8664, "linux_x86_64", False),
        (b"\2>", "linux_x86_64", True),
        (b"\2>", "manylinux2014_x86_64", True),
        (b"\2>", "musllinux_1_2_x86_64", True),
        (b"\2\xb7", "manylinux_2_17_aarch64", True),
        (b"\1\3", "linux_i686", True),
        (b"\1\x28", "linux_armv7l", True),
        (b"\2>", "win_amd64", False),
        (b"\2>", "linux_i686", False),
        (b"\2\xb7", "linux_x86_64", False),
    ],
)
def test_a_wheel_is_only_made_for_a_platform_that_its_library_fits(
    tmp_path: Path, head: int | bytes, tag: str, fits: bool
) -> None:
    if isinstance(head, int):
        text = pe(head)
    else:
        text = (b"\x7fELF" + head[:1] + b"\1").ljust(18, b"\0") + head[1:] + b"\0"
    (tmp_path / "library").write_bytes(text)
    program = "import runpy, sys; runpy.run_path('setup.py')['check'](sys.argv[1])"
    ended = run_python("-c", program, tag, cwd=PROJECT, environment={"PAYSVC_LIBRARY": str(tmp_path / "library")})
    assert (ended.returncode == 0) is fits, ended.stderr
    assert fits or f"but the wheel is tagged {tag}: name its platform with --plat-name" in ended.stderr


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (pe(0x8664), ("win32", "x86_64")),
        (pe(0x14C), ("win32", "i686")),
        (pe(0xAA64), ("win32", "aarch64")),
        (pe(0x4711), ("win32", "machine 0x4711")),
        (b"\x7fELF\1\1".ljust(18, b"\0") + b"\x28\0", ("linux", "armv7l")),
        (b"\x7fELF\2\2".ljust(18, b"\0") + b"\0\x16", ("linux", "s390x")),
        (b"\x7fELF\2\1".ljust(18, b"\0") + b"\x67\x12", ("linux", "machine 4711")),
        (b"\xcf\xfa\xed\xfe", ("darwin", "")),
        (b"MZ", None),
        (pe(0x8664)[:130], None),
        (b"MZ".ljust(60, b"\0") + b"\xff\xff\xff\xff", None),
        (b"\x7fELF", None),
        (b"", None),
    ],
)
def test_what_a_library_was_built_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, head: bytes, expected: tuple[str, str] | None
) -> None:
    (tmp_path / "library").write_bytes(head)
    monkeypatch.setenv("PAYSVC_LIBRARY", str(tmp_path / "library"))
    built = runpy.run_path(str(PROJECT / "setup.py"))["built"]
    if expected is None:
        with pytest.raises(SystemExit, match="library is not a shared library"):
            built()
    else:
        assert built() == expected


def test_the_build_says_what_to_do_without_cargo_and_library(tmp_path: Path) -> None:
    copy = tmp_path / "bindings" / "python"
    copy.mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text("")
    (copy / "setup.py").write_bytes((PROJECT / "setup.py").read_bytes())
    program = "import runpy; runpy.run_path('setup.py')['library']()"
    environment = {"PAYSVC_LIBRARY": "", "CARGO": "no-such-cargo"}
    ended = run_python("-c", program, cwd=copy, environment=environment)
    assert "cargo was not found; set PAYSVC_LIBRARY to" in ended.stderr
    (tmp_path / "Cargo.toml").unlink()
    ended = run_python("-c", program, cwd=copy, environment=environment)
    assert "no checkout of libpaysvc here" in ended.stderr


def test_a_library_that_make_build_has_made_is_taken_while_it_is_current(tmp_path: Path) -> None:
    copy = tmp_path / "bindings" / "python"
    copy.mkdir(parents=True)
    (copy / "setup.py").write_bytes((PROJECT / "setup.py").read_bytes())
    (tmp_path / "Cargo.toml").write_text("")
    (tmp_path / "src").mkdir()
    source, built = tmp_path / "src" / "lib.rs", tmp_path / "build" / "lib" / "libpaysvc.so"
    source.write_text("")
    built.parent.mkdir(parents=True)
    built.write_bytes(b"")
    program = "import runpy; print(runpy.run_path('setup.py')['library']())"
    environment = {"PAYSVC_LIBRARY": "", "CARGO": "no-such-cargo"}
    taken = run_python("-c", program, cwd=copy, environment=environment)
    assert (taken.stdout.strip(), taken.stderr) == (str(built), "")
    later = built.stat().st_mtime + 10
    os.utime(source, (later, later))
    compiles = "cargo compiles the library, which takes minutes\npaysvc: cargo was not found"
    for why in (f"{built} is older than {source}, run", f"{built} is not there, run"):
        told = run_python("-c", program, cwd=copy, environment=environment).stderr
        assert told.startswith(f"paysvc: {why} `make build` to "), told
        assert compiles in told
        built.unlink(missing_ok=True)


def test_a_wheel_can_be_made_of_the_source_package(tmp_path: Path) -> None:
    build(tmp_path)  # Leaves a copy of the sources.
    make = "from setuptools import build_meta; print(build_meta.build_sdist('..'))"
    ended = run_python("-c", make, cwd=tmp_path / "source")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    flags = ("--no-build-isolation", "--no-deps", "--no-index", "-w", str(tmp_path / "made"))
    ended = pip("wheel", *flags, str(next(tmp_path.glob("paysvc-*.tar.gz"))))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (made,) = (tmp_path / "made").glob("*.whl")
    assert {"paysvc/libpaysvc.so", "paysvc/py.typed"} <= set(zipfile.ZipFile(made).namelist())


def test_the_sandbox_has_a_wheel_that_runs_the_program(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", *LICENCES):
        (source / name).write_bytes((SANDBOX / name).read_bytes())
    shutil.copytree(SANDBOX / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    tags = "--config-settings=--build-option=--plat-name=manylinux2014_x86_64.musllinux_1_1_x86_64"
    make = ("wheel", "--no-build-isolation", "--no-deps", "--no-index", tags, "-w", str(tmp_path), str(source))
    ended = pip(*make, PAYSVC_SANDBOX="")
    assert ended.returncode != 0
    assert "set PAYSVC_SANDBOX to the path of the program" in ended.stdout + ended.stderr
    shown = tmp_path / "shown"
    shown.write_text('#!/bin/sh\necho "$*"; exit 7\n')
    shown.chmod(0o755)
    ended = pip(*make, PAYSVC_SANDBOX=str(shown))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (wheel,) = tmp_path.glob("paysvc_sandbox-*-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl")
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
