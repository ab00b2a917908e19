"""Fixtures for pytest. Enable them with pytest_plugins = ["paysvc.testing"] in conftest.py.

This is not a pytest entry point, because that would load the library in every test run in the same environment.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .sandbox import Sandbox, SandboxNotFound

__all__ = ["Sandbox", "paysvc_sandbox"]


@pytest.fixture(scope="session")
def _paysvc_sandbox_process() -> Iterator[Sandbox]:
    try:
        sandbox = Sandbox("--seed", "1")
    except SandboxNotFound as error:
        # A failure, not a skip: a skipped payment test is easily taken for one that passed.
        pytest.fail(str(error), pytrace=False)
    with sandbox:
        yield sandbox


@pytest.fixture
def paysvc_sandbox(_paysvc_sandbox_process: Sandbox) -> Sandbox:
    """A sandbox without state of earlier tests. One process serves the whole test run."""
    _paysvc_sandbox_process.reset()
    return _paysvc_sandbox_process
