"""Contains paysvc-sandbox, the simulated payments service for development and tests."""

from __future__ import annotations

import os
import sys

from ._version import VERSION as __version__

__all__ = ["__version__", "path"]


def path() -> str:
    """The path of the program."""
    name = "paysvc-sandbox.exe" if sys.platform == "win32" else "paysvc-sandbox"
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
