"""Receivers of webhooks: what they refuse when they are made, and the plain ones, which any framework's route calls."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

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


COROUTINES = [coroutine, Called(), Called().method, functools.partial(coroutine), functools.partial(Called().method),
              functools.partial(functools.partial(Called()))]  # fmt: skip


@pytest.mark.parametrize("kind", SYNC)
@pytest.mark.parametrize("what", ["handler", "unverified", "done"])
def test_what_nobody_would_run_is_refused(kind: Any, what: str) -> None:
    client = Fake(**CONFIG)
    for function in COROUTINES:
        if what == "handler":
            make = functools.partial(kind, client, function)
        elif what == "unverified":
            make = functools.partial(kind, client, ignore, unverified=function)
        else:
            make = functools.partial(kind, client, ignore, store=Kept())
        with pytest.raises(TypeError, match=f"{what} is a coroutine function, which {kind.__name__} cannot run: Async"):
            make()


@pytest.mark.parametrize(("kinds", "fake"), [(SYNC, Fake), (ASYNC, AsyncFake)])
def test_neither_is_what_runs_nothing_in_any_of_them(kinds: Any, fake: Any) -> None:
    client = fake(**CONFIG)
    for kind in kinds:
        for function in (generator, asynchronous_generator, functools.partial(generator)):
            with pytest.raises(TypeError, match="the handler is a generator function"):
                kind(client, function)
        with pytest.raises(TypeError, match="the handler must be a function, not NoneType"):
            kind(client, None)
        with pytest.raises(TypeError, match="the store's begin must be a function"):
            kind(client, ignore, store={})


def test_a_client_of_another_kind_is_refused() -> None:
    table: list[Any] = [(SYNC, "Client", (AsyncFake(**CONFIG), None)), (ASYNC, "AsyncClient", (Fake(**CONFIG), None))]
    for kinds, name, others in table:
        for kind in kinds:
            for other in others:
                with pytest.raises(TypeError) as caught:
                    kind(other, ignore)
                assert str(caught.value) == f"{kind.__name__} takes a paysvc.{name}, not {type(other).__name__}"


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


@pytest.mark.parametrize("kind", SYNC)
def test_a_handler_that_returns_something_to_run_has_not_handled_the_event(
    kind: Any, paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    body = event(paysvc_sandbox)
    returned: list[Any] = [coroutine(None), generator(None), asynchronous_generator(None)]
    receiver = kind(paysvc.Client(**paysvc_sandbox.config), lambda reply: returned.pop(0) if returned else None)
    answers = [receiver.handle(body) for _ in range(5)]
    assert answers == [(500, {"retry-after": "30"})] * 3 + [(200, {})] * 2
    errors = [record for record in caplog.records if record.exc_info]
    assert [str(record.exc_info[1]).split(":")[0] for record in errors if record.exc_info] == [
        f"the handler returned a {kind}, which would never run"
        for kind in ("coroutine", "generator", "async_generator")
    ]


def test_also_asyncio_does_not_run_a_generator(paysvc_sandbox: Sandbox) -> None:
    body = event(paysvc_sandbox)
    returned: list[Any] = [generator(None), asynchronous_generator(None)]

    async def run() -> None:
        async with paysvc.AsyncClient(**paysvc_sandbox.config) as client:
            receiver = AsyncReceiver(client, lambda reply: returned.pop(0) if returned else coroutine(reply))
            assert [(await receiver.handle(body))[0] for _ in range(4)] == [500, 500, 200, 200]

    asyncio.run(run())


def test_a_store_that_says_nothing_handles_nothing(receive: Any, paysvc_sandbox: Sandbox) -> None:
    class Wrong(MemoryStore):
        def begin(self, key: str) -> Any:
            return True

    handled: list[paysvc.Reply] = []
    handle = receive(paysvc_sandbox.config, handled.append, store=Wrong())
    assert handle(event(paysvc_sandbox))[0] == 500
    assert handled == []


def test_what_a_store_says_is_answered_so(receive: Any, paysvc_sandbox: Sandbox) -> None:
    class Says(MemoryStore):
        def __init__(self, says: Begin) -> None:
            self.says = says
            self.told: list[str] = []

        def begin(self, key: str) -> Begin:
            return self.says

        def done(self, key: str) -> None:
            self.told.append("done")

        def failed(self, key: str) -> None:
            self.told.append("failed")

    body = event(paysvc_sandbox)
    expected: list[tuple[Begin, int, list[str]]] = [(Begin.HANDLE, 200, ["done"]), (Begin.BUSY, 503, []),
                                                    (Begin.DONE, 200, [])]  # fmt: skip
    for says, status, told in expected:
        store, handled = Says(says), list[object]()
        answer = receive(paysvc_sandbox.config, handled.append, store=store)(body)
        assert (answer[0], store.told, len(handled)) == (status, told, len(told))
    store = Says(Begin.HANDLE)
    assert receive(paysvc_sandbox.config, lambda reply: 1 / 0, store=store)(body) == (500, {"retry-after": "30"})
    assert store.told == ["failed"]


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


PARSED: list[Any] = [{"orderReference": "ORDER-1"}, MappingProxyType({}), [], None, 1]


def test_only_the_raw_body_is_taken(receive: Any, client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    handle = receive(paysvc_sandbox.config, ignore)
    names = r"request\.get_data\(\) \(Flask\), request\.body \(Django\) or await request\.body\(\) \(FastAPI\)"

    async def verify(body: Any) -> paysvc.Reply:
        async with paysvc.AsyncClient(**paysvc_sandbox.config) as asynchronous:
            return await asynchronous.webhook_verify(body)

    for body in PARSED:
        refused = f"raw body, as bytes or str, not {type(body).__name__}: a parsed event has lost .*{names}"
        for call in (handle, client.webhook_verify, lambda body: asyncio.run(verify(body))):
            with pytest.raises(TypeError, match=refused):
                call(body)
    assert paysvc_sandbox.requests() == []
    raw = event(paysvc_sandbox)
    for form in (raw, bytearray(raw), memoryview(raw), raw.decode()):
        for reply in (client.webhook_verify(form), asyncio.run(verify(form))):  # type: ignore[arg-type]
            assert reply.body["authentic"] is True
    # A duplicate in the raw body would be lost in a parsed one.
    twice = raw.replace(b'"orderReference"', b'"orderReference":"ORDER-9","orderReference"', 1)
    assert json.loads(twice)["data"] == json.loads(raw)["data"]
    for unreadable in (twice, b"\xff" + raw, b'{"orderReference":"\xed\xa0\x80"}'):
        with pytest.raises(paysvc.ArgumentError):
            client.webhook_verify(unreadable)
