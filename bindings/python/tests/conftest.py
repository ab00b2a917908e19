from __future__ import annotations

import inspect
import os
from collections.abc import Iterator

import pytest
from peer import Peer

import paysvc
from paysvc.sandbox import Sandbox

pytest_plugins = ["paysvc.testing"]

# The environment may have settings for another service. PAYSVC_LIBRARY and PAYSVC_SANDBOX are no settings, and stay.
for _name in inspect.signature(paysvc.Client).parameters:
    os.environ.pop(f"PAYSVC_{_name.upper()}", None)


@pytest.fixture
def client(paysvc_sandbox: Sandbox) -> Iterator[paysvc.Client]:
    with paysvc.Client(**paysvc_sandbox.config) as client:
        yield client


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer() as peer:
        yield peer
