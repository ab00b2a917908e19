"""For which system and processor a shared library was built.

setup.py runs this file by itself, so it imports nothing from the package.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

#: Names of processors, as uname has them, by the numbers in ELF and in PE files.
_ELF = {
    3: "i686", 8: "mips", 20: "ppc", 21: "ppc64le", 22: "s390x", 40: "armv7l", 62: "x86_64", 183: "aarch64",
    243: "riscv64", 258: "loongarch64",
}  # fmt: skip
_PE = {0x14C: ("i686", 32), 0x1C4: ("armv7l", 32), 0x8664: ("x86_64", 64), 0xAA64: ("aarch64", 64)}
_MACH_O = {b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"}

#: The kinds of file, and their names in this package, by sys.platform.
KINDS = {"linux": "a Linux shared library", "win32": "a Windows DLL", "darwin": "a macOS dynamic library"}
NAMES = {"linux": "libpaysvc.so", "win32": "paysvc.dll", "darwin": "libpaysvc.dylib"}


class Built(NamedTuple):
    """What a file was built for. It may be a program, which has the same form."""

    system: str
    #: Empty where it is not looked at.
    machine: str = ""
    bits: int = 0


def built(path: str) -> Built | None:
    """None if the file is neither a library nor a program. Raises OSError if it cannot be read."""
    with open(path, "rb") as file:
        head = file.read(4096)
    if head[:4] == b"\x7fELF" and len(head) >= 20:
        (number,) = struct.unpack("<H" if head[5] == 1 else ">H", head[18:20])
        return Built("linux", _ELF.get(number, f"machine {number}"), {1: 32, 2: 64}.get(head[4], 0))
    if head[:2] == b"MZ" and len(head) >= 64:
        (at,) = struct.unpack("<I", head[60:64])
        if head[at : at + 4] == b"PE\0\0" and len(head) >= at + 6:
            (number,) = struct.unpack("<H", head[at + 4 : at + 6])
            return Built("win32", *_PE.get(number, (f"machine {number:#x}", 0)))
    if head[:4] in _MACH_O:
        return Built("darwin")
    return None
