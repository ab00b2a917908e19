"""Builds a wheel with the program in it that PAYSVC_SANDBOX names.

--plat-name has one platform, or several with a dot between them: a static program fits systems with every C library.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py


class BuildWithProgram(build_py):
    def run(self) -> None:
        super().run()
        given = os.environ.get("PAYSVC_SANDBOX")
        if not given:
            raise SystemExit("paysvc-sandbox: set PAYSVC_SANDBOX to the path of the program")
        package = Path(__file__).with_name("src") if self.editable_mode else Path(self.build_lib)
        package /= "paysvc_sandbox"
        # An earlier build for another platform may have left its program.
        for left in package.glob("paysvc-sandbox*"):
            left.unlink()
        program = package / f"paysvc-sandbox{Path(given).suffix}"
        shutil.copyfile(given, program)
        program.chmod(0o755)


class PlatformWheel(bdist_wheel):
    """For every Python, because the program needs none."""

    def get_tag(self) -> tuple[str, str, str]:
        platform = self.plat_name if self.plat_name_supplied else super().get_tag()[2]
        return "py3", "none", platform


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=BinaryDistribution, cmdclass={"build_py": BuildWithProgram, "bdist_wheel": PlatformWheel})
