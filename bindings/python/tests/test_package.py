"""The wheel: one for every Python on this platform, with the library in it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from paysvc._library import library

HERE = Path(__file__).resolve().parent.parent
PLATFORM = sysconfig.get_platform().replace("-", "_")


def pip(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Without the network: setuptools is the environment's own."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # From a copy: the checkout stays as it is.
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md"):
        (source / name).write_bytes((HERE / name).read_bytes())
    (source / "src" / "paysvc").mkdir(parents=True)
    for file in (HERE / "src" / "paysvc").iterdir():
        if file.suffix == ".py" or file.name == "py.typed":
            (source / "src" / "paysvc" / file.name).write_bytes(file.read_bytes())
    ended = pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", str(folder), str(source))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (found,) = folder.glob("*.whl")
    return found


def test_the_tag_says_any_python_on_this_platform(wheel: Path) -> None:
    version = library.paysvc_version().decode()
    assert wheel.name == f"paysvc-{version}-py3-none-{PLATFORM}.whl"


def test_the_library_and_the_types_are_in_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"paysvc/libpaysvc.so", "paysvc/py.typed", "paysvc/testing.py"} <= set(names)
    (metadata,) = (name for name in names if name.endswith("/WHEEL"))
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(metadata).decode()


def test_it_works_where_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    ended = pip("install", "--no-deps", "--no-index", "--target", str(tmp_path), str(wheel))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    program = "import paysvc; print(paysvc.__file__, paysvc.__version__, paysvc._library.library._name)"
    environment = {name: text for name, text in os.environ.items() if name != "PAYSVC_LIBRARY"}
    environment["PYTHONPATH"] = str(tmp_path)
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout
    package = tmp_path / "paysvc"
    version = library.paysvc_version().decode()
    assert told.split() == [str(package / "__init__.py"), version, str(package / "libpaysvc.so")]


def test_without_cargo_and_library_the_build_says_what_to_do(tmp_path: Path) -> None:
    copy = tmp_path / "bindings" / "python"
    copy.mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text("")
    (copy / "setup.py").write_bytes((HERE / "setup.py").read_bytes())
    command = [sys.executable, "-c", "import setuptools, runpy; setuptools.setup = lambda **_: None\n"
               "runpy.run_path('setup.py')['library']()"]  # fmt: skip
    environment = {**os.environ, "PAYSVC_LIBRARY": "", "CARGO": "no-such-cargo"}
    ended = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert "there is no cargo to build the library; let PAYSVC_LIBRARY name" in ended.stderr
    (tmp_path / "Cargo.toml").unlink()
    ended = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert "this is no checkout of libpaysvc" in ended.stderr
