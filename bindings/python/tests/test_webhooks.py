"""The webhook applications behind real servers, WSGI and ASGI, with the sandbox's events."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
from servers import WAIT, Sender, asgi, wsgi

import paysvc
from paysvc.sandbox import Sandbox
from paysvc.webhooks import ASGIApp, Begin, MemoryStore, WSGIApp

Serve = Callable[..., Any]


class Hook:
    """An application behind a server, and what it did."""

    def __init__(self, kind: str, sandbox: Sandbox) -> None:
        self.kind = kind
        self.sandbox = sandbox
        self.config: dict[str, Any] = sandbox.config
        self.handled: list[paysvc.Reply] = []
        self.unverified: list[paysvc.Reply] = []

    def serve(self, handle: Callable[[paysvc.Reply], object] | None = None, **options: Any) -> Any:
        handle = handle or self.handled.append
        options.setdefault("unverified", self.unverified.append)
        if self.kind == "wsgi":
            return wsgi(WSGIApp(paysvc.Client(**self.config), handle, **options))

        async def on_a_thread(reply: paysvc.Reply) -> None:
            await asyncio.get_running_loop().run_in_executor(None, handle, reply)

        return asgi(lambda: ASGIApp(paysvc.AsyncClient(**self.config), on_a_thread, **options))

    def fund(self, amount: str) -> str:
        """Pays into a virtual account; returns the body of the event."""
        with paysvc.Client(**self.sandbox.config) as client:
            account = client.virtual_account_generate(alias="A-1", reference="C-1").body["accountNumber"]
        self.sandbox.post("/sandbox/fund", {"accountNumber": account, "amount": amount, "senderName": "Ada"})
        return self.newest()

    def newest(self) -> str:
        body: str = self.sandbox.get("/sandbox/webhooks")["deliveries"][-1]["body"]
        return body

    def forge(self, **event: object) -> str:
        self.sandbox.post("/sandbox/webhooks/forge", event)
        return self.newest()

    def asked(self) -> int:
        return sum("transaction-details" in request["path"] for request in self.sandbox.requests())


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
    assert hook.unverified == []


def test_the_sandbox_delivers_every_form_with_duplicates(hook: Hook) -> None:
    with hook.serve() as sender:
        for number, form in enumerate(("data", "pascal", "flat", "envelope", "status"), 1):
            hook.sandbox.post("/sandbox/webhooks", {"url": sender.url, "form": form, "duplicates": 2})
            hook.fund(f"{number}.50")
        while True:
            progress = [one["progress"] for one in hook.sandbox.get("/sandbox/webhooks")["deliveries"]]
            assert "failed" not in progress
            if progress == ["delivered"] * 15:
                break
    assert len(hook.handled) == 5
    assert hook.unverified == []


def test_a_forged_event_is_not_handled_and_is_answered_as_a_genuine_one(hook: Hook) -> None:
    with hook.serve() as sender:
        genuine = hook.fund("50.25")
        session = hook.sandbox.get("/sandbox/webhooks")["deliveries"][-1]["key"]
        forged: list[dict[str, object]] = [
            {"session": session, "change": {"totalAmountCharged": "5000"}},
            {"session": session, "change": {"accountReference": "C-2"}},
            {"payout": "PGW-PAYOUT-1"},
        ]
        answers = [sender.post(hook.forge(**event)) for event in forged]
        assert hook.handled == []
        assert len(hook.unverified) == len(forged)
        answers.append(sender.post(genuine))
    seen = {(one.status, one.body, "retry-after" in one.headers) for one in answers}
    assert seen == {(200, b"", False)}
    assert len(hook.handled) == 1


def test_an_event_ahead_of_the_service_is_sent_again_and_handled_then(hook: Hook) -> None:
    with hook.serve() as sender:
        hook.sandbox.post("/sandbox/orders", {"reference": "ORDER-1", "amount": "25.50"})
        ahead = hook.forge(order="ORDER-1", change={"paymentReference": None})
        unknown = hook.forge(session="000000000000000000000000000009")
        for body in (ahead, unknown, ahead):
            answer = sender.post(body)
            assert (answer.status, answer.headers["retry-after"], answer.body) == (503, "30", b"")
        assert (hook.handled, hook.unverified) == ([], [])
        card = {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"}
        with paysvc.Client(**hook.sandbox.config) as client:
            client.call("order_pay", {"reference": "ORDER-1", "paymentOption": "C", "country": "NG", "card": card})
        # At once: it is not remembered as forged.
        assert sender.post(ahead).status == 200
    assert [(reply.body["about"], reply.state) for reply in hook.handled] == [("ORDER-1", paysvc.State.SUCCESSFUL)]


@pytest.mark.parametrize(
    "body",
    [b"", b"orderReference=1", b"[]", b"{}", b'{"sessionId":"1","SessionId":"2"}', b'{"sessionId":"\x00"}', b"\xff{}"],
)
def test_what_is_no_event_is_refused(hook: Hook, body: bytes) -> None:
    with hook.serve() as sender:
        assert sender.post(body).status == 400
    assert hook.handled == []
    assert hook.asked() == 0


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
    assert hook.asked() == 0


@pytest.mark.parametrize("fault", ["status_503", "commit_then_reset", "unauthorized", "status_429", "html_200"])
def test_doubt_is_answered_with_503(hook: Hook, fault: str) -> None:
    with hook.serve() as sender:
        body = hook.fund("50.25")
        hook.sandbox.fault(fault, "/payment/transaction-details/{sessionId}", count=3)
        answer = sender.post(body)
        assert (answer.status, answer.body) == (503, b"")
        assert int(answer.headers["retry-after"]) >= 0
        assert (hook.handled, hook.unverified) == ([], [])
        hook.sandbox._send("DELETE", "/sandbox/faults", None)
        assert sender.post(body).status == 200
    assert len(hook.handled) == 1


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


def test_a_flood_is_answered_as_the_library_says(hook: Hook) -> None:
    """The library has the limits; its own tests are tests/integration/webhooks/limits.rs."""
    hook.config = {**hook.sandbox.config, "webhook_per_minute": 12}
    with hook.serve() as sender:
        hook.fund("7.00")
        session = hook.sandbox.get("/sandbox/webhooks")["deliveries"][-1]["key"]
        forged = hook.forge(session=session, change={"totalAmountCharged": "5000"})
        assert [sender.post(forged).status for _ in range(3)] == [200] * 3
        assert (hook.asked(), len(hook.unverified)) == (1, 1)
        answers = [sender.post(forged.replace("{", f'{{"x":{number},', 1)) for number in range(2)]
        assert [answer.status for answer in answers] == [200, 503]
        assert 0 < int(answers[1].headers["retry-after"]) <= 30
    assert (hook.asked(), len(hook.unverified), hook.handled) == (2, 2, [])


def test_a_store_that_fails_handles_nothing(hook: Hook) -> None:
    class Broken(MemoryStore):
        def begin(self, key: str) -> Begin:
            raise RuntimeError("broken")

    with hook.serve(store=Broken()) as sender:
        assert sender.post(hook.fund("50.25")).status == 500
    assert hook.handled == []


def test_the_sender_may_go_away(hook: Hook) -> None:
    import socket

    with hook.serve() as sender:
        with socket.create_connection(("127.0.0.1", sender.port)) as connection:
            connection.sendall(b"POST /events HTTP/1.1\r\ncontent-length: 100\r\n\r\n{")
        assert isinstance(sender, Sender)
        assert sender.post(hook.fund("50.25")).status == 200
    assert len(hook.handled) == 1
