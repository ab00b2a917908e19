"""The webhook applications behind real servers, WSGI and ASGI, with the sandbox's events."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers import Sender, asgi, wsgi

import paysvc
from paysvc.sandbox import Sandbox
from paysvc.webhooks import ASGIApp, WSGIApp


@pytest.fixture
def handled() -> list[paysvc.Reply]:
    return []


@pytest.fixture(params=["wsgi", "asgi"])
def sender(request: pytest.FixtureRequest, paysvc_sandbox: Sandbox, handled: list[paysvc.Reply]) -> Iterator[Sender]:
    """Of events to an application behind its server."""
    config = paysvc_sandbox.config
    if request.param == "wsgi":
        with wsgi(WSGIApp(paysvc.Client(**config), handled.append)) as sender:
            yield sender
    else:
        with asgi(lambda: ASGIApp(paysvc.AsyncClient(**config), handled.append)) as sender:
            yield sender


def test_an_event_is_handled_once_with_the_services_answer(
    sender: Sender, paysvc_sandbox: Sandbox, handled: list[paysvc.Reply]
) -> None:
    with paysvc.Client(**paysvc_sandbox.config) as client:
        account = client.virtual_account_generate(alias="A-1", reference="C-1").body["accountNumber"]
    for amount in ("50.25", "7.00"):
        paysvc_sandbox.post("/sandbox/fund", {"accountNumber": account, "amount": amount, "senderName": "Ada"})
        body = paysvc_sandbox.get("/sandbox/webhooks")["deliveries"][-1]["body"]
        for _ in range(2):
            answer = sender.post(body)
            assert (answer.status, answer.body) == (200, b"")
    assert [str(reply.body["data"]["totalAmountCharged"])[:4] for reply in handled] == ["50.2", "7.00"]
    reply = handled[0]
    assert (reply.state, reply.body["data"]["accountReference"]) == (paysvc.State.SUCCESSFUL, "C-1")
    assert reply.body["authentic"] is True


def test_a_body_and_a_method_are_bounded(sender: Sender, paysvc_sandbox: Sandbox) -> None:
    assert sender.post(b"", **{"content-length": "262145"}).status == 413
    assert sender.post(b"", **{"content-length": "9" * 20}).status == 413
    assert sender.send("POST", b" " * 262144).status == 400
    for method in ("GET", "PUT", "DELETE"):
        answer = sender.send(method, None)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")
    assert paysvc_sandbox.requests() == []
