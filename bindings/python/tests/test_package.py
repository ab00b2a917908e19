"""The wheel, which has the library in it and works with every version of Python on this platform."""

from __future__ import annotations

import subprocess
import sysconfig
import zipfile
from pathlib import Path

import pytest
from helpers import PROJECT, run_python

from paysvc._library import library

PLATFORM = sysconfig.get_platform().replace("-", "_")


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs pip, whose arguments keep it off the network: setuptools is the environment's own."""
    return run_python("-m", "pip", "--disable-pip-version-check", *arguments)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Built from a copy, because setuptools writes files beside the sources.
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md"):
        (source / name).write_bytes((PROJECT / name).read_bytes())
    (source / "src" / "paysvc").mkdir(parents=True)
    for file in (PROJECT / "src" / "paysvc").iterdir():
        if file.suffix == ".py" or file.name == "py.typed":
            (source / "src" / "paysvc" / file.name).write_bytes(file.read_bytes())
    ended = pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", str(folder), str(source))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (found,) = folder.glob("*.whl")
    return found


def test_its_tag_is_any_python_on_this_platform(wheel: Path) -> None:
    version = library.paysvc_version().decode()
    assert wheel.name == f"paysvc-{version}-py3-none-{PLATFORM}.whl"


def test_it_has_the_library_and_the_types(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"paysvc/libpaysvc.so", "paysvc/py.typed", "paysvc/testing.py"} <= set(names)
    (metadata,) = (name for name in names if name.endswith("/WHEEL"))
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(metadata).decode()


def test_it_works_after_installation(wheel: Path, tmp_path: Path) -> None:
    ended = pip("install", "--no-deps", "--no-index", "--target", str(tmp_path), str(wheel))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    program = "import paysvc; print(paysvc.__file__, paysvc.__version__, paysvc._library.library._name)"
    ended = run_python("-c", program, cwd=tmp_path, environment={"PAYSVC_LIBRARY": "", "PYTHONPATH": str(tmp_path)})
    package = tmp_path / "paysvc"
    version = library.paysvc_version().decode()
    assert ended.stdout.split() == [str(package / "__init__.py"), version, str(package / "libpaysvc.so")]


def test_the_build_says_what_to_do_without_cargo_and_library(tmp_path: Path) -> None:
    copy = tmp_path / "bindings" / "python"
    copy.mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text("")
    (copy / "setup.py").write_bytes((PROJECT / "setup.py").read_bytes())
    program = (
        "import setuptools, runpy; setuptools.setup = lambda **_: None\nrunpy.run_path('setup.py')['library']()"
    )
    environment = {"PAYSVC_LIBRARY": "", "CARGO": "no-such-cargo"}
    ended = run_python("-c", program, cwd=copy, environment=environment)
    assert "cargo was not found; set PAYSVC_LIBRARY to" in ended.stderr
    (tmp_path / "Cargo.toml").unlink()
    ended = run_python("-c", program, cwd=copy, environment=environment)
    assert "no checkout of libpaysvc here" in ended.stderr
