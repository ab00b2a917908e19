from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from helpers import PROJECT
from peer import Peer

import paysvc
from paysvc.sandbox import Sandbox

if TYPE_CHECKING:
    from database import Server

pytest_plugins = ["paysvc.testing"]

# The environment may have settings for another service. PAYSVC_LIBRARY and PAYSVC_SANDBOX are not settings, and stay.
for _name in inspect.signature(paysvc.Client).parameters:
    os.environ.pop(f"PAYSVC_{_name.upper()}", None)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test that is a coroutine function."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture
def client(paysvc_sandbox: Sandbox) -> Iterator[paysvc.Client]:
    with paysvc.Client(**paysvc_sandbox.config) as client:
        yield client


@pytest.fixture
def journal() -> Iterator[dict[str, Any]]:
    """The settings of a new journal."""
    # On a disk: the library refuses a file system in memory.
    with TemporaryDirectory(dir=PROJECT.parents[1] / "build") as folder:
        yield {"journal": Path(folder) / "pay.db", "journal_create": True}


@pytest.fixture
def payer(paysvc_sandbox: Sandbox, journal: dict[str, Any]) -> Iterator[paysvc.Client]:
    """A client with a journal."""
    with paysvc.Client(**paysvc_sandbox.config, **journal) as client:
        yield client


@pytest.fixture
def ordered(paysvc_sandbox: Sandbox) -> Sandbox:
    """A sandbox that has an order R-1 that is paid."""
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-1", "amount": "100", "paid": True})
    return paysvc_sandbox


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer() as peer:
        yield peer


@pytest.fixture(scope="session")
def _database_process() -> Iterator[Server]:
    from database import Server  # Its driver is not in every environment.

    with closing(Server()) as server:
        yield server


@pytest.fixture
def database(_database_process: Server) -> Server:
    """PostgreSQL with an empty journal."""
    _database_process.begin_anew()
    return _database_process
