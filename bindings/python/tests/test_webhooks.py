"""The webhook applications behind real servers, WSGI and ASGI, with the sandbox's events."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
from servers import WAIT, asgi, wsgi

import paysvc
from paysvc.sandbox import Sandbox
from paysvc.webhooks import ASGIApp, WSGIApp

Serve = Callable[..., Any]


class Hook:
    """An application behind a server, and what it did."""

    def __init__(self, kind: str, sandbox: Sandbox) -> None:
        self.kind = kind
        self.sandbox = sandbox
        self.config: dict[str, Any] = sandbox.config
        self.handled: list[paysvc.Reply] = []

    def serve(self, handle: Callable[[paysvc.Reply], object] | None = None) -> Any:
        handle = handle or self.handled.append
        if self.kind == "wsgi":
            return wsgi(WSGIApp(paysvc.Client(**self.config), handle))

        async def on_a_thread(reply: paysvc.Reply) -> None:
            await asyncio.get_running_loop().run_in_executor(None, handle, reply)

        return asgi(lambda: ASGIApp(paysvc.AsyncClient(**self.config), on_a_thread))

    def fund(self, amount: str) -> str:
        """Pays into a virtual account; returns the body of the event."""
        with paysvc.Client(**self.sandbox.config) as client:
            account = client.virtual_account_generate(alias="A-1", reference="C-1").body["accountNumber"]
        self.sandbox.post("/sandbox/fund", {"accountNumber": account, "amount": amount, "senderName": "Ada"})
        body: str = self.sandbox.get("/sandbox/webhooks")["deliveries"][-1]["body"]
        return body


@pytest.fixture(params=["wsgi", "asgi"])
def hook(request: pytest.FixtureRequest, paysvc_sandbox: Sandbox) -> Hook:
    return Hook(request.param, paysvc_sandbox)


def test_an_event_is_handled_once_with_the_services_answer(hook: Hook) -> None:
    with hook.serve() as sender:
        first = hook.fund("50.25")
        for _ in range(3):
            answer = sender.post(first)
            assert (answer.status, answer.body) == (200, b"")
        second = hook.fund("7.00")
        assert sender.post(second).status == 200
    assert [str(reply.body["data"]["totalAmountCharged"])[:4] for reply in hook.handled] == ["50.2", "7.00"]
    reply = hook.handled[0]
    assert (reply.state, reply.body["data"]["accountReference"]) == (paysvc.State.SUCCESSFUL, "C-1")
    assert reply.body["authentic"] is True


def test_a_body_and_a_method_are_bounded(hook: Hook) -> None:
    with hook.serve() as sender:
        assert sender.post(b"", **{"content-length": "262145"}).status == 413
        assert sender.post(b"", **{"content-length": "9" * 20}).status == 413
        assert sender.send("POST", b" " * 262144).status == 400
        if hook.kind == "asgi":  # Without a length it is counted while it is read; wsgiref reads no such body.
            assert sender.send("POST", (b" " * 65536 for _ in range(5))).status == 413
        for method in ("GET", "PUT", "DELETE"):
            answer = sender.send(method, None)
            assert (answer.status, answer.headers["allow"]) == (405, "POST")
    assert not any("transaction-details" in request["path"] for request in hook.sandbox.requests())


def test_a_handler_that_fails_is_called_again(hook: Hook, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[paysvc.Reply] = []

    def handle(reply: paysvc.Reply) -> None:
        calls.append(reply)
        if len(calls) == 1:
            raise RuntimeError("the database is down")

    with hook.serve(handle) as sender:
        body = hook.fund("50.25")
        session = hook.sandbox.get("/sandbox/webhooks")["deliveries"][-1]["key"]
        failed = sender.post(body)
        assert (failed.status, failed.headers["retry-after"], failed.body) == (500, "30", b"")
        assert sender.post(body).status == 200
        assert sender.post(body).status == 200
    assert len(calls) == 2
    # Who is on call finds the payment, the event and the call, and why; nothing of the event except what identifies it.
    (logged,) = (record for record in caplog.records if record.levelno >= logging.ERROR)
    reply = calls[0]
    assert logged.name == "paysvc"
    key = reply.body["key"]
    assert logged.message == f"an event about {session!r} was not handled: key {key}, call {reply.call_id}"
    seen = vars(logged)
    assert (seen["reference"], seen["key"], seen["call_id"]) == (session, key, reply.call_id)
    # A formatter that names what other records of the package have does not fail.
    assert (seen["endpoint"], seen["outcome"], seen["attempt"]) == ("webhook_verify", "CONFIRMED", None)
    text = caplog.handler.format(logged)
    assert "Traceback" in text
    assert text.endswith("RuntimeError: the database is down")
    for hidden in ("Ada", "50.25", body, *(hook.sandbox.config[f"{name}_key"] for name in ("secret", "public"))):
        assert hidden in body + str(hook.sandbox.config)
        assert hidden not in caplog.text


def test_two_deliveries_at_once_are_handled_once(hook: Hook) -> None:
    entered, leave = threading.Event(), threading.Event()
    calls: list[paysvc.Reply] = []

    def handle(reply: paysvc.Reply) -> None:
        calls.append(reply)
        entered.set()
        assert leave.wait(WAIT)

    with hook.serve(handle) as sender:
        body = hook.fund("50.25")
        first: list[int] = []
        thread = threading.Thread(target=lambda: first.append(sender.post(body).status))
        thread.start()
        assert entered.wait(WAIT)
        second = sender.post(body)
        leave.set()
        thread.join()
        assert (second.status, second.headers["retry-after"]) == (503, "1")
        assert first == [200]
        assert sender.post(body).status == 200
    assert len(calls) == 1
