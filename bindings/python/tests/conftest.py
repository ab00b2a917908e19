from __future__ import annotations

from collections.abc import Iterator

import pytest
from peer import Peer

import paysvc
from paysvc.sandbox import Sandbox

pytest_plugins = ["paysvc.testing"]


@pytest.fixture
def client(paysvc_sandbox: Sandbox) -> Iterator[paysvc.Client]:
    with paysvc.Client(**paysvc_sandbox.config) as client:
        yield client


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer() as peer:
        yield peer
