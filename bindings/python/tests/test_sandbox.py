"""Where the package looks for the sandbox."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers import PROJECT, run_python

DISTRIBUTION = PROJECT.parents[1] / "sandbox" / "python"


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
