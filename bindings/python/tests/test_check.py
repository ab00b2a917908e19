"""Whether everything is ready for the first sale, before it."""

from __future__ import annotations

import asyncio

import pytest

import paysvc
from paysvc import Outcome, Status
from paysvc.sandbox import Sandbox


def test_all_is_ok_with_the_sandbox(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    reply = client.check(timeout=20.0)
    assert (reply.status, reply.outcome) == (Status.OK, Outcome.NOT_SENT)
    assert {check["check"] for check in reply.body["checks"] if check["ok"]} >= {"encryption_key", "tls", "clock"}
    assert not [check for check in reply.body["checks"] if not check["ok"]]
    assert paysvc_sandbox.ledger() == []


def test_what_is_missing_is_the_error_and_the_rest_is_there_too(paysvc_sandbox: Sandbox) -> None:
    config = {**paysvc_sandbox.config, "base_url": "http://127.0.0.1:1"}
    del config["secret_key"]
    with paysvc.Client(**config) as client, pytest.raises(paysvc.ConfigError, match=r"^secret_key: ") as caught:
        client.check()
    wrong = [check["check"] for check in caught.value.reply.body["checks"] if not check["ok"]]
    assert wrong == ["secret_key", "connection", "tls", "service", "clock"]


def test_asyncio_has_it(paysvc_sandbox: Sandbox) -> None:
    async def check() -> paysvc.Reply:
        async with paysvc.AsyncClient(**paysvc_sandbox.config) as client:
            return await client.check()

    assert asyncio.run(check())
