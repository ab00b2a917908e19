"""Where the package looks for the sandbox, and the distribution that brings it."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from helpers import PROJECT, run_python

DISTRIBUTION = PROJECT.parents[1] / "sandbox" / "python"
LICENCES = {"LICENSE-APACHE", "LICENSE-MIT", "LICENSE-THIRD-PARTY"}


def program(path: Path, text: str = "exit 3") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """The variables with which a copy of this package, far from the programs of this repository, finds no sandbox."""
    shutil.copytree(PROJECT / "src" / "paysvc", tmp_path / "packages" / "paysvc")
    (tmp_path / "till").mkdir()
    empty = {"PAYSVC_SANDBOX": "", "CARGO_TARGET_DIR": "", "PATH": str(tmp_path / "bin")}
    return {**empty, "PYTHONPATH": str(tmp_path / "packages")}


def find(folder: Path, environment: dict[str, str]) -> str:
    ended = run_python("-c", "from paysvc import sandbox; print(sandbox.find())", cwd=folder, environment=environment)
    return (ended.stdout + ended.stderr).splitlines()[-1]


def test_the_nearest_sandbox_is_found_first(tmp_path: Path, elsewhere: dict[str, str]) -> None:
    told = find(tmp_path / "till", elsewhere)
    assert told.startswith("paysvc.sandbox.SandboxNotFound: paysvc-sandbox was not found: ")
    assert "pip install 'paysvc[sandbox]'" in told
    # From the last place to the first.
    on_the_path = program(tmp_path / "bin" / "paysvc-sandbox")
    assert find(tmp_path / "till", elsewhere) == str(on_the_path)
    built = program(tmp_path / "build" / "bin" / "paysvc-sandbox")
    assert find(tmp_path / "till", elsewhere) == str(built)
    shutil.copytree(DISTRIBUTION / "src" / "paysvc_sandbox", tmp_path / "packages" / "paysvc_sandbox")
    installed = tmp_path / "packages" / "paysvc_sandbox" / "paysvc-sandbox"
    assert find(tmp_path / "till", elsewhere) == str(installed)
    given = program(tmp_path / "mine")
    assert find(tmp_path / "till", {**elsewhere, "PAYSVC_SANDBOX": str(given)}) == str(given)


def test_its_distribution_runs_the_program(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", *LICENCES):
        (source / name).write_bytes((DISTRIBUTION / name).read_bytes())
    shutil.copytree(DISTRIBUTION / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    pip = ("-m", "pip", "--disable-pip-version-check")
    tags = "--config-settings=--build-option=--plat-name=manylinux2014_x86_64.musllinux_1_1_x86_64"
    build = (*pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index", tags, "-w", tmp_path, source)
    ended = run_python(*build, environment={"PAYSVC_SANDBOX": ""})
    assert ended.returncode != 0
    assert "set PAYSVC_SANDBOX to the path of the program" in ended.stdout + ended.stderr
    shown = program(tmp_path / "built" / "paysvc-sandbox", 'echo "$*"; exit 7')
    ended = run_python(*build, environment={"PAYSVC_SANDBOX": str(shown)})
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (wheel,) = tmp_path.glob("paysvc_sandbox-*-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.rpartition("/licenses/")[2] for name in names if "/licenses/" in name} == LICENCES
    # It may be made for another processor than this one.
    install = ("install", "--no-deps", "--no-index", "--only-binary=:all:", "--platform", "manylinux2014_x86_64")
    ended = run_python(*pip, *install, "--target", tmp_path / "installed", wheel)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    environment = {"PYTHONPATH": str(tmp_path / "installed")}
    ended = run_python("-m", "paysvc_sandbox", "--seed", "1", environment=environment)
    assert (ended.returncode, ended.stdout) == (7, "--seed 1\n"), ended.stderr
    script = tmp_path / "installed" / "bin" / "paysvc-sandbox"
    ended = run_python(script, "--help", environment=environment)
    assert (ended.returncode, ended.stdout) == (7, "--help\n"), ended.stderr
