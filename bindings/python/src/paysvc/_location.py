"""Where the shared library is on each system, and why one cannot be loaded."""

from __future__ import annotations

import os
import sys

from ._binary import KINDS, NAMES, Built, built
from ._generated import ABI


def hook_dirs() -> list[str]:
    """The folder of this package, where PyInstaller finds hook-paysvc.py."""
    return [os.path.dirname(os.path.abspath(__file__))]


def path() -> str:
    """The library that PAYSVC_LIBRARY names, else the one in this package, else a name that the system searches for."""
    given = os.environ.get("PAYSVC_LIBRARY")
    if given:
        return given
    name = NAMES.get(sys.platform, NAMES["linux"])
    own = os.path.join(hook_dirs()[0], name)
    if os.path.exists(own):
        return own
    # Only on Linux does an installed library have the version of its interface in its name.
    return name if sys.platform in ("win32", "darwin") else f"{name}.{ABI}"


def why(path: str, error: OSError) -> str:
    """Why the library cannot be loaded, for a person."""
    system = sys.platform if sys.platform in KINDS else "linux"
    try:
        library = built(path)
    except OSError:
        told = f"{error}. Install this package from a wheel, or set PAYSVC_LIBRARY to the path of the library"
        # Windows searches neither PATH nor the current folder for it.
        return told + (", or name its folder with os.add_dll_directory()" if system == "win32" else "")
    if library is None or library.system != system:
        return f"{path} is not {KINDS[system]}"
    ours = _running()
    if ours is not None and library[1:] != ours[1:]:
        its, own = (f"{it.machine} ({it.bits} bits)" for it in (library, ours))
        return f"{path} is built for {its}, this Python runs on {own}"
    return str(error)  # For example that the C library is too old.


def _running() -> Built | None:
    """What this Python was built for. Not the machine's name: it may run programs of another kind too."""
    try:
        return built(sys.executable)
    except OSError:
        return None
