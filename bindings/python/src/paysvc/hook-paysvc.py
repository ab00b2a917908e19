"""PyInstaller runs this file: a frozen program gets the shared library, which nothing imports."""

from PyInstaller.utils.hooks import collect_dynamic_libs  # type: ignore[import-untyped]

binaries = collect_dynamic_libs("paysvc")
