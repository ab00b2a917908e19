"""Fixtures for pytest: pytest_plugins = ["paysvc.testing"] in a conftest.py.

Not an entry point: that would load the library in every run of pytest that shares the environment.
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
        # Not skipped: a payment's test that does not run looks like one that passes.
        pytest.fail(str(error), pytrace=False)
    with sandbox:
        yield sandbox


@pytest.fixture
def paysvc_sandbox(_paysvc_sandbox_process: Sandbox) -> Sandbox:
    """A sandbox that has forgotten every earlier test; one process serves the whole run."""
    _paysvc_sandbox_process.reset()
    return _paysvc_sandbox_process
