"""Runs the program: python -m paysvc_sandbox, or paysvc-sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

from . import path


def main() -> NoReturn:
    command = [path(), *sys.argv[1:]]
    if sys.platform == "win32":
        # There, exec returns to the shell while the program still runs.
        sys.exit(subprocess.run(command, check=False).returncode)
    # In place of Python, so that signals reach the program.
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
