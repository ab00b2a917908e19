"""Receivers of webhooks: what they refuse when they are made, and the plain ones, which any framework's route calls."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest
from test_webhook_rules import CONFIG, AsyncFake, Fake

import paysvc
from paysvc.sandbox import Sandbox
from paysvc.webhooks import ASGIApp, AsyncReceiver, Begin, MemoryStore, Receiver, WSGIApp

SYNC, ASYNC = (Receiver, WSGIApp), (AsyncReceiver, ASGIApp)


def ignore(reply: object) -> None:
    pass


async def coroutine(reply: object) -> None:
    pass


def generator(reply: object) -> Iterator[None]:
    yield


async def asynchronous_generator(reply: object) -> Any:
    yield


class Called:
    async def __call__(self, reply: object) -> None:
        pass

    async def method(self, reply: object) -> None:
        pass


class Kept(MemoryStore):
    async def done(self, key: str) -> None:  # type: ignore[override]  # pyright: ignore
        pass


COROUTINES = [coroutine, Called(), Called().method, functools.partial(functools.partial(Called()))]


@pytest.mark.parametrize("kind", [*SYNC, *ASYNC])
def test_what_nobody_would_run_is_refused(kind: Any) -> None:
    plain, other = Fake(**CONFIG), AsyncFake(**CONFIG)
    client, wrong, name = (plain, other, "Client") if kind in SYNC else (other, plain, "AsyncClient")
    refused: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((wrong, ignore), {}, rf"{kind.__name__} takes a paysvc\.{name}, not {type(wrong).__name__}"),
        ((client, None), {}, "the handler must be a function, not NoneType"),
        ((client, ignore), {"store": {}}, "the store's begin must be a function"),
        *(((client, it), {}, "the handler is a generator function") for it in (generator, asynchronous_generator)),
    ]
    if kind in SYNC:
        why = f"is a coroutine function, which {kind.__name__} cannot run: Async"
        refused += [((client, it), {}, f"the handler {why}") for it in COROUTINES]
        refused.append(((client, ignore), {"unverified": coroutine}, f"unverified {why}"))
        refused.append(((client, ignore), {"store": Kept()}, f"the store's done {why}"))
    for arguments, options, message in refused:
        with pytest.raises(TypeError, match=f"^{message}"):
            kind(*arguments, **options)


@pytest.mark.parametrize(("kinds", "client"), [(SYNC, paysvc.Client), (ASYNC, paysvc.AsyncClient)])
def test_a_client_that_cannot_ask_about_orders_is_refused_at_the_start(
    kinds: Any, client: Any, paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    config = paysvc_sandbox.config
    for kind in kinds:
        for needed in ("base_url", "secret_key"):
            without = {name: text for name, text in config.items() if name != needed}
            with pytest.raises(
                paysvc.ConfigError, match=rf"{needed} is not configured.*PAYSVC_{needed.upper()}.*orders=False"
            ):
                kind(client(**without), ignore)
            kind(client(**without), ignore, orders=False)
        kind(client(**config), ignore)
    # Finding that out sent nothing, and is not in the log.
    assert paysvc_sandbox.requests() == []
    assert caplog.records == []


Handle = Callable[[bytes], "tuple[int, dict[str, str]]"]


@pytest.fixture(params=["threads", "asyncio"])
def receive(request: pytest.FixtureRequest) -> Callable[..., Handle]:
    """Makes receivers of both kinds."""

    def make(config: Any, handle: Any, **options: Any) -> Handle:
        if request.param == "threads":
            return Receiver(paysvc.Client(**config), handle, **options).handle
        receiver = AsyncReceiver(paysvc.AsyncClient(**config), handle, **options)
        return lambda body: asyncio.run(receiver.handle(body))

    return make


def event(sandbox: Sandbox, reference: str = "ORDER-1") -> bytes:
    """An event about a paid order."""
    sandbox.post("/sandbox/orders", {"reference": reference, "amount": "25.50", "paid": True})
    return forged(sandbox, order=reference)


def forged(sandbox: Sandbox, **members: object) -> bytes:
    sandbox.post("/sandbox/webhooks/forge", members)
    body: str = sandbox.get("/sandbox/webhooks")["deliveries"][-1]["body"]
    return body.encode()


def test_a_plain_receiver_answers_as_the_applications_do(receive: Any, paysvc_sandbox: Sandbox) -> None:
    handled: list[paysvc.Reply] = []
    unverified: list[paysvc.Reply] = []
    handle = receive(paysvc_sandbox.config, handled.append, unverified=unverified.append)
    genuine = event(paysvc_sandbox)
    assert [handle(genuine), handle(bytearray(genuine)), handle(genuine.decode())] == [(200, {})] * 3
    assert [reply.is_paid("ORDER-1", "25.50", "NGN") for reply in handled] == [True]
    assert handle(forged(paysvc_sandbox, order="ORDER-1", change={"orderAmount": "1.00"})) == (200, {})
    assert (len(handled), len(unverified)) == (1, 1)
    assert [handle(body) for body in (b"", b"\xff", b"{")] == [(400, {})] * 3
    assert handle(b" " * 262145) == (413, {})
    paysvc_sandbox.fault("status_503", "/payment/order/verify", count=9)
    assert handle(event(paysvc_sandbox, "ORDER-2")) == (503, {"retry-after": "30"})


def test_a_handler_that_returns_something_to_run_has_not_handled_the_event(
    receive: Any, paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    body = event(paysvc_sandbox)
    # asyncio runs a coroutine.
    returned: list[Any] = [generator(None), asynchronous_generator(None), coroutine(None)]
    handle = receive(paysvc_sandbox.config, lambda reply: returned.pop(0) if returned else None)
    answers = [handle(body)[0] for _ in range(5)]
    assert answers in ([500, 500, 500, 200, 200], [500, 500, 200, 200, 200])
    errors = [str(record.exc_info[1]).split(":")[0] for record in caplog.records if record.exc_info]
    assert errors == [
        f"the handler returned a {kind}, which would never run"
        for kind in ("generator", "async_generator", "coroutine")[: answers.count(500)]
    ]


def test_a_handler_that_fails_is_called_again(
    receive: Any, paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[paysvc.Reply] = []

    def fails(reply: paysvc.Reply) -> None:
        calls.append(reply)
        if len(calls) == 1:
            raise RuntimeError("the database is down")

    body = event(paysvc_sandbox)
    handle = receive(paysvc_sandbox.config, fails)
    assert [handle(body) for _ in range(3)] == [(500, {"retry-after": "30"}), (200, {}), (200, {})]
    assert len(calls) == 2
    # Who is on call finds the payment, the event and the call, and why; nothing of the event except what identifies it.
    (logged,) = (record for record in caplog.records if record.levelno >= logging.ERROR)
    key, call_id = calls[0].body["key"], calls[0].call_id
    assert logged.name == "paysvc"
    assert logged.message == f"an event about 'ORDER-1' was not handled: key {key}, call {call_id}"
    seen = vars(logged)
    assert (seen["reference"], seen["key"], seen["call_id"]) == ("ORDER-1", key, call_id)
    # A formatter that names what other records of the package have does not fail.
    assert (seen["endpoint"], seen["outcome"], seen["attempt"]) == ("webhook_verify", "CONFIRMED", None)
    text = caplog.handler.format(logged)
    assert "Traceback" in text
    assert text.endswith("RuntimeError: the database is down")
    for hidden in ("25.5", body.decode(), *(paysvc_sandbox.config[f"{name}_key"] for name in ("secret", "public"))):
        assert hidden in body.decode() + str(paysvc_sandbox.config)
        assert hidden not in caplog.text


def test_what_a_store_says_is_answered_so(receive: Any, paysvc_sandbox: Sandbox) -> None:
    body = event(paysvc_sandbox)
    expected: list[tuple[Any, int, list[str]]] = [
        (Begin.HANDLE, 200, ["done"]), (Begin.BUSY, 503, []), (Begin.DONE, 200, []), (True, 500, [])
    ]  # fmt: skip
    for says, status, told in expected:
        store, handled = Mock(), list[object]()
        store.begin.return_value = says
        answer = receive(paysvc_sandbox.config, handled.append, store=store)(body)
        assert (answer[0], len(handled)) == (status, len(told))
        assert [name for name, *_ in store.method_calls] == ["begin", *told]
    store = Mock()
    store.begin.return_value = Begin.HANDLE
    assert receive(paysvc_sandbox.config, lambda reply: 1 / 0, store=store)(body)[0] == 500
    assert [name for name, *_ in store.method_calls] == ["begin", "failed"]


def test_an_event_that_cannot_be_asked_about_says_why(
    receive: Any, paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    without = {name: text for name, text in paysvc_sandbox.config.items() if name != "secret_key"}
    wrong = {**without, "secret_key": "PGW-SECRETKEY-TEST-00000000000000000000000000000000"}
    for config, why in ((without, "secret_key is not configured"), (wrong, "api-key")):
        caplog.clear()
        handle = receive(config, ignore, orders=False)
        assert handle(event(paysvc_sandbox, "ORDER-1" if config is wrong else "ORDER-2"))[0] == 503
        (logged,) = (one for one in caplog.records if one.levelno == logging.ERROR and "cannot be" in one.message)
        assert logged.name == "paysvc"
        assert why in logged.message
        assert "0000000000" not in caplog.text


def test_an_interrupt_does_not_hold_the_event() -> None:
    waiting = ["verification", "handler"]

    def interrupt(at: str) -> None:
        if waiting and waiting[0] == at:
            raise KeyboardInterrupt(waiting.pop(0))

    class Interrupted(Fake):
        def webhook_verify(self, body: object, *, timeout: Any, **_: object) -> Any:  # type: ignore[override]
            interrupt("verification")
            return super().webhook_verify(body, timeout=timeout)

    receiver = Receiver(Interrupted(**CONFIG), lambda reply: interrupt("handler"))
    for at in tuple(waiting):
        with pytest.raises(KeyboardInterrupt, match=at):
            receiver.handle(b"{}")
    assert receiver.handle(b"{}") == (200, {})


def test_only_the_raw_body_is_taken(receive: Any, client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    handle = receive(paysvc_sandbox.config, ignore)
    names = r"request\.get_data\(\) \(Flask\), request\.body \(Django\) or await request\.body\(\) \(FastAPI\)"
    wrong: Any
    for wrong in ({"orderReference": "ORDER-1"}, None):
        refused = f"raw body, as bytes or str, not {type(wrong).__name__}: a parsed event has lost .*{names}"
        for call in (handle, client.webhook_verify):
            with pytest.raises(TypeError, match=refused):
                call(wrong)
    assert paysvc_sandbox.requests() == []
    raw = event(paysvc_sandbox)
    for form in (raw, bytearray(raw), memoryview(raw), raw.decode()):
        expect = paysvc.WebhookVerifyExpect(reference="ORDER-1", amount="25.50")
        found = client.webhook_verify(form, expect=expect).webhook  # type: ignore[arg-type]
        assert (found.authentic, found.match, found.differences) == (True, True, ())
    for unreadable in (b"\xff" + raw, b'{"orderReference":"\xed\xa0\x80"}'):
        with pytest.raises(paysvc.ArgumentError):
            client.webhook_verify(unreadable)
