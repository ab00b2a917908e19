"""Builds a wheel with the shared library in it: the one that PAYSVC_LIBRARY names, else that of `make build` if it is
current, else one that cargo builds.

PAYSVC_LIBRARY may name a library of another platform, for a wheel that is tagged for it with --plat-name.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
#: The checkout, if there is one. An unpacked source package may lie in a folder that has none above it.
ROOT = HERE.parent.parent
#: The library's name in the package, by system.
NAMES = {"linux": "libpaysvc.so", "win32": "paysvc.dll", "darwin": "libpaysvc.dylib"}
#: Names of processors, as uname has them, by the numbers in ELF and in PE files.
ELF = {
    3: "i686", 8: "mips", 20: "ppc", 21: "ppc64le", 22: "s390x", 40: "armv7l", 62: "x86_64", 183: "aarch64",
    243: "riscv64", 258: "loongarch64",
}  # fmt: skip
PE = {0x14C: "i686", 0x1C4: "armv7l", 0x8664: "x86_64", 0xAA64: "aarch64"}
MACH_O = {b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"}
#: The systems and processors of wheels' tags, by these names.
SYSTEMS = {"win": "win32", "macosx": "darwin", "linux": "linux", "manylinux": "linux", "musllinux": "linux"}
MACHINES = {"amd64": "x86_64", "arm64": "aarch64", "win32": "i686"}


def version() -> str:
    """The version of the package, which is also that of the sandbox that belongs to it."""
    generated = (HERE / "src" / "paysvc" / "_generated.py").read_text(encoding="utf-8")
    found = re.search(r'^VERSION = "(.+)"$', generated, re.MULTILINE)
    if found is None:
        raise SystemExit("paysvc: src/paysvc/_generated.py has no version")
    return found[1]


@functools.cache
def library() -> Path:
    given = os.environ.get("PAYSVC_LIBRARY")
    if given:
        return Path(given)
    if not (ROOT / "Cargo.toml").is_file():
        raise SystemExit("paysvc: no checkout of libpaysvc here; set PAYSVC_LIBRARY to the path of the shared library")
    built = ROOT / "build" / "lib" / "libpaysvc.so"
    why = outdated(built) if sys.platform == "linux" else f"`make build` makes none for {sys.platform}"
    if not why:
        return built
    print(f"paysvc: {why}: cargo compiles the library, which takes minutes", file=sys.stderr, flush=True)
    cargo = shutil.which(os.environ.get("CARGO", "cargo"))
    if cargo is None:
        raise SystemExit("paysvc: cargo was not found; set PAYSVC_LIBRARY to the path of the shared library")
    # Where there is a script that links the archive; cargo's own library has no symbol versions.
    linked = sys.platform == "linux"
    kind = "staticlib" if linked else "cdylib"
    crate = [cargo, "rustc", "--release", "--locked", "-p", "paysvc", "--lib", "--crate-type", kind]
    subprocess.run(crate, cwd=ROOT, check=True)
    metadata = subprocess.run(
        [cargo, "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    folder = Path(json.loads(metadata.stdout)["target_directory"], "release")
    if not linked:
        return folder / NAMES[sys.platform]
    subprocess.run(["sh", "scripts/link.sh", folder / "libpaysvc.a", folder / "linked"], cwd=ROOT, check=True)
    return folder / "linked" / "libpaysvc.so"


def outdated(built: Path) -> str:
    """Why this is not what `make build` makes of the sources as they are; "" if it is."""
    if not built.is_file():
        return f"{built} is not there, run `make build` to have it"
    sources = [ROOT / name for name in ("Cargo.toml", "Cargo.lock", "scripts/link.sh")]
    for folder in ("src", "spec/src"):
        sources += (ROOT / folder).rglob("*.rs")
    made = built.stat().st_mtime
    newer = (source for source in sources if source.exists() and source.stat().st_mtime > made)
    return next((f"{built} is older than {source}, run `make build` to renew it" for source in newer), "")


def built() -> tuple[str, str]:
    """The system and the processor that the library was built for; no processor where it is not looked at."""
    with library().open("rb") as file:
        head = file.read(4096)
    if head[:4] == b"\x7fELF" and len(head) >= 20:
        (number,) = struct.unpack("<H" if head[5] == 1 else ">H", head[18:20])
        return "linux", ELF.get(number, f"machine {number}")
    if head[:2] == b"MZ" and len(head) >= 64:
        (at,) = struct.unpack("<I", head[60:64])
        if head[at : at + 4] == b"PE\0\0" and len(head) >= at + 6:
            (number,) = struct.unpack("<H", head[at + 4 : at + 6])
            return "win32", PE.get(number, f"machine {number:#x}")
    if head[:4] in MACH_O:
        return "darwin", ""
    raise SystemExit(f"paysvc: {library()} is not a shared library")


def check(tag: str) -> None:
    """Refuses a wheel for another system or processor than its library's. `auditwheel show` checks the C library."""
    wanted = next((name for word, name in MACHINES.items() if tag.endswith(word)), tag)
    system, machine = built()
    fits = SYSTEMS.get(re.split(r"[\d_]", tag)[0]) == system and wanted.endswith(machine)
    if not fits and not machine.startswith("machine "):
        raise SystemExit(
            f"paysvc: {library()} is built for {system} {machine}, but the wheel is tagged {tag}: "
            "name its platform with --plat-name"
        )


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        folder = HERE / "src" if self.editable_mode else Path(self.build_lib)
        # An earlier build for another platform may have left its library.
        for name in NAMES.values():
            (folder / "paysvc" / name).unlink(missing_ok=True)
        shutil.copyfile(library(), folder / "paysvc" / NAMES[built()[0]])


class PlatformWheel(bdist_wheel):
    """Tagged py3-none and the build platform, e.g. linux_x86_64: the library works with every version of Python.

    Set --plat-name for a library that was built against an older C library, or for another platform.
    """

    def run(self) -> None:
        check(self.get_tag()[2])
        super().run()

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


if __name__ == "__main__":
    setup(
        version=version(),
        extras_require={"sandbox": [f"paysvc-sandbox=={version()}"]},
        distclass=BinaryDistribution,
        cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
    )
