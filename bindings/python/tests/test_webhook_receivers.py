"""Receivers of webhooks: what they refuse when they are made, answers, stores, WSGI and ASGI."""

from __future__ import annotations

import asyncio
import functools
import io
import logging
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest

import paysvc
from paysvc import Outcome, Reply, Status, testing
from paysvc.sandbox import Sandbox
from paysvc.webhooks import ASGIApp, AsyncReceiver, AsyncStore, Begin, MemoryStore, Receiver, WSGIApp, verified


def reply(attempts: int = 1, **found: Any) -> paysvc.WebhookVerifyReply:
    made: paysvc.WebhookVerifyReply = testing.reply(
        paysvc.WebhookVerifyReply,
        outcome=Outcome.CONFIRMED,
        attempts=attempts,
        webhook=paysvc.WebhookVerifyResult(**found),
    )
    return made


@pytest.mark.parametrize(
    ("found", "key", "status", "retry_after", "unverified"),
    [
        ({"authentic": True, "key": "k", "respond": 200}, "k", 200, None, False),
        ({"authentic": False, "respond": 200}, None, 200, None, True),
        # The library only repeats it.
        ({"authentic": False, "respond": 200, "attempts": 0}, None, 200, None, False),
        ({"authentic": False, "respond": 400}, None, 400, None, True),
        ({"authentic": False, "respond": 503, "retry_after": 7}, None, 503, 7, False),
        # No library returns this, but it must not be handled.
        ({"key": "k", "respond": 200}, None, 200, None, True),
        ({"authentic": True, "respond": 200}, None, 200, None, True),
        ({"authentic": True, "key": "k", "respond": 503, "retry_after": 7}, None, 503, 7, False),
        ({"authentic": True, "key": "k"}, None, 503, 30, False),
        # The library was not asked.
        ({}, None, 503, 30, False),
    ],
)
def test_what_each_reply_is_answered(
    found: dict[str, Any], key: str | None, status: int, retry_after: int | None, unverified: bool
) -> None:
    decided = verified(reply(**found))
    assert decided == (key, (status, {} if retry_after is None else {"retry-after": str(retry_after)}), unverified)


def test_an_event_that_python_cannot_read_is_sent_again() -> None:
    """Its response is nested too deeply."""
    event = paysvc.WebhookVerifyReply(status=Status.OK, outcome=Outcome.CONFIRMED, text="{}")
    vars(event)["_json"] = "[" * 100_000 + "]" * 100_000
    assert verified(event) == (None, (503, {"retry-after": "30"}), False)


def test_the_memory_store_keeps_the_newest_keys() -> None:
    store = MemoryStore(limit=2)
    for key in ("a", "b"):
        assert [store.begin(key), store.begin(key)] == [Begin.HANDLE, Begin.BUSY]
        store.done(key)
        assert store.begin(key) is Begin.DONE
    assert store.begin("a") is Begin.DONE  # Used again: it is the newest.
    assert store.begin("c") is Begin.HANDLE
    store.done("c")
    assert [store.begin("a"), store.begin("b")] == [Begin.DONE, Begin.HANDLE]
    store.failed("b")
    assert store.begin("b") is Begin.HANDLE


#: Nobody listens there.
CONFIG: dict[str, Any] = {"base_url": "http://127.0.0.1:1", "secret_key": "PGW-SECRETKEY-TEST-1"}


def genuine(body: object, timeout: float) -> Any:
    assert (type(body), timeout) == (str, 10.0)
    return reply(authentic=True, about="O-1", key="k", respond=200)


class Fake(paysvc.Client):
    """A client whose events are all genuine and of one payment."""

    def webhook_verify(self, body: object, *, timeout: Any, **_: object) -> Any:  # type: ignore[override]
        return genuine(body, timeout)


class AsyncFake(paysvc.AsyncClient):
    async def webhook_verify(self, body: object, *, timeout: Any, **_: object) -> Any:  # type: ignore[override]
        return genuine(body, timeout)


def of_wsgi(environ: dict[str, Any], handled: list[Reply]) -> str:
    client = Fake(**CONFIG)
    lines: list[str] = []
    start: Any = lambda line, headers: lines.append(line)  # noqa: E731
    assert list(WSGIApp(client, handled.append)(environ, start)) == []
    return lines[0]


class Slow(io.RawIOBase):
    """Gives one byte at a time."""

    def __init__(self, body: bytes) -> None:
        self.body = io.BytesIO(body)

    def read(self, size: int = -1) -> bytes:
        return self.body.read(1)


@pytest.mark.parametrize(
    ("environ", "line"),
    [
        ({"CONTENT_LENGTH": "2", "wsgi.input": Slow(b"{}and more")}, "200 OK"),
        ({"REQUEST_METHOD": "GET"}, "405 Method Not Allowed"),
        ({"CONTENT_LENGTH": "9", "wsgi.input": Slow(b"{}")}, "400 Bad Request"),
        ({"CONTENT_LENGTH": "-2", "wsgi.input": Slow(b"{}")}, "400 Bad Request"),
        ({"CONTENT_LENGTH": "\u0662", "wsgi.input": Slow(b"{}")}, "400 Bad Request"),
        ({"CONTENT_LENGTH": "9" * 5000, "wsgi.input": Slow(b"{}")}, "413 Content Too Large"),
        ({"CONTENT_LENGTH": "", "wsgi.input": Slow(b"{}")}, "411 Length Required"),
        ({"wsgi.input": Slow(b"{}"), "wsgi.input_terminated": True}, "200 OK"),
        ({"wsgi.input": io.BytesIO(b" " * 300_000), "wsgi.input_terminated": True}, "413 Content Too Large"),
    ],
)
def test_what_wsgi_servers_give(environ: dict[str, Any], line: str) -> None:
    handled: list[Reply] = []
    # Python before 3.13 has the older name of 413.
    assert of_wsgi({"REQUEST_METHOD": "POST", **environ}, handled).replace("Request Entity", "Content") == line
    assert len(handled) == (line == "200 OK")


async def of_asgi(app: ASGIApp, scope: dict[str, Any], *messages: dict[str, Any]) -> list[Any]:
    waiting, sent = list(messages), []

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message.get("status", message["type"]))

    await app(scope, receive, send)
    return sent


HTTP = {"type": "http", "method": "POST", "headers": []}


async def test_what_asgi_servers_ask() -> None:
    client = AsyncFake(**CONFIG)
    handled: list[Reply] = []
    app = ASGIApp(client, handled.append)

    lifespan = {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}
    assert await of_asgi(app, {"type": "lifespan"}, *lifespan) == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    assert await of_asgi(app, {"type": "websocket"}) == ["websocket.close"]
    gone = {"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}
    assert await of_asgi(app, HTTP, *gone) == []
    # Without a length it is counted while it is read.
    part = {"type": "http.request", "body": b" " * 65536, "more_body": True}
    assert await of_asgi(app, HTTP, *[part] * 5) == [413, "http.response.body"]
    assert handled == []
    assert await of_asgi(app, HTTP, {"type": "http.request", "body": b"{}"}) == [200, "http.response.body"]
    assert len(handled) == 1


class Coroutines:
    """A store whose methods are coroutine functions."""

    def __init__(self) -> None:
        self.store = MemoryStore()

    async def begin(self, key: str) -> Begin:
        return self.store.begin(key)

    async def done(self, key: str) -> None:
        self.store.done(key)

    async def failed(self, key: str) -> None:
        self.store.failed(key)


@pytest.mark.parametrize("kind", [MemoryStore, Coroutines])
async def test_a_task_that_is_cancelled_has_handled_nothing(kind: Callable[[], MemoryStore | AsyncStore]) -> None:
    began: list[Reply] = []

    async def handle(reply: Reply) -> None:
        began.append(reply)
        if len(began) == 1:
            await asyncio.sleep(3600)

    app = ASGIApp(AsyncFake(**CONFIG), handle, store=kind())
    body = {"type": "http.request", "body": b"{}"}
    first = asyncio.ensure_future(of_asgi(app, HTTP, body))
    while not began:
        assert not first.done()
        await asyncio.sleep(0)
    assert await of_asgi(app, HTTP, body) == [503, "http.response.body"]
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    for _ in range(2):
        assert await of_asgi(app, HTTP, body) == [200, "http.response.body"]
    assert len(began) == 2


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


@pytest.mark.parametrize("kind", [Receiver, AsyncReceiver])
def test_what_nobody_would_run_is_refused(kind: Any) -> None:
    plain, other = Fake(**CONFIG), AsyncFake(**CONFIG)
    client, wrong, name = (plain, other, "Client") if kind is Receiver else (other, plain, "AsyncClient")
    refused: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((wrong, ignore), {}, rf"{kind.__name__} takes a paysvc\.{name}, not {type(wrong).__name__}"),
        ((client, None), {}, "the handler must be a function, not NoneType"),
        ((client, ignore), {"store": {}}, "the store's begin must be a function"),
        *(((client, it), {}, "the handler is a generator function") for it in (generator, asynchronous_generator)),
    ]
    if kind is Receiver:
        why = f"is a coroutine function, which {kind.__name__} cannot run: Async"
        refused += [((client, it), {}, f"the handler {why}") for it in COROUTINES]
        refused.append(((client, ignore), {"unverified": coroutine}, f"unverified {why}"))
        refused.append(((client, ignore), {"store": Kept()}, f"the store's done {why}"))
    for arguments, options, message in refused:
        with pytest.raises(TypeError, match=f"^{message}"):
            kind(*arguments, **options)


@pytest.mark.parametrize(("kind", "of"), [(Receiver, paysvc.Client), (AsyncReceiver, paysvc.AsyncClient)])
def test_a_client_that_cannot_ask_about_orders_is_refused_at_the_start(
    kind: Any, of: Any, paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for needed in ("base_url", "secret_key"):
        client = of(**{name: text for name, text in paysvc_sandbox.config.items() if name != needed})
        message = rf"{needed} is not configured.*PAYSVC_{needed.upper()}.*orders=False"
        with pytest.raises(paysvc.ConfigError, match=message):
            kind(client, ignore)
        kind(client, ignore, orders=False)
    kind(of(**paysvc_sandbox.config), ignore)
    # Finding that out sent nothing, and is not in the log.
    assert (paysvc_sandbox.requests(), caplog.records) == ([], [])


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
    assert [handle(body) for body in (b"", b"\xff" * 262144, b"{")] == [(400, {})] * 3
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
