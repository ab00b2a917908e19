"""Builds a wheel with the shared library in it: the one that PAYSVC_LIBRARY names, else built by cargo."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[2]


def library() -> Path:
    given = os.environ.get("PAYSVC_LIBRARY")
    if given:
        return Path(given)
    if not (ROOT / "Cargo.toml").is_file():
        raise SystemExit("paysvc: no checkout of libpaysvc here; set PAYSVC_LIBRARY to the path of libpaysvc.so")
    cargo = shutil.which(os.environ.get("CARGO", "cargo"))
    if cargo is None:
        raise SystemExit("paysvc: cargo was not found; set PAYSVC_LIBRARY to the path of libpaysvc.so")
    archive = [cargo, "rustc", "--release", "--locked", "-p", "paysvc", "--lib", "--crate-type", "staticlib"]
    subprocess.run(archive, cwd=ROOT, check=True)
    metadata = subprocess.run(
        [cargo, "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    folder = Path(json.loads(metadata.stdout)["target_directory"], "release")
    subprocess.run(["sh", "scripts/link.sh", folder / "libpaysvc.a", folder / "linked"], cwd=ROOT, check=True)
    return folder / "linked" / "libpaysvc.so"


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        folder = Path(__file__).with_name("src") if self.editable_mode else Path(self.build_lib)
        shutil.copyfile(library(), folder / "paysvc" / "libpaysvc.so")


class PlatformWheel(bdist_wheel):
    """Tagged py3-none and the build platform, e.g. linux_x86_64: the library works with every version of Python.

    Set --plat-name for a library that was built against an older C library.
    """

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=BinaryDistribution, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
