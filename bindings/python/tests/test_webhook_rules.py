"""The parts of the webhook applications: stores, answers, and what is particular to WSGI and to ASGI."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest

import paysvc
from paysvc import Outcome, Reply, Status, testing
from paysvc.webhooks import ASGIApp, AsyncStore, Begin, MemoryStore, WSGIApp, verified


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
        ({"authentic": False, "respond": 400}, None, 400, None, True),
        ({"authentic": False, "respond": 503, "retry_after": 7}, None, 503, 7, False),
        # No library says this, but it must not be handled.
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


def test_what_the_library_only_repeats_is_not_reported_again() -> None:
    assert verified(reply(attempts=0, authentic=False, respond=200)) == (None, (200, {}), False)


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


async def test_a_task_that_is_cancelled_has_handled_nothing() -> None:
    client = AsyncFake(**CONFIG)
    began: list[Reply] = []

    async def handle(reply: Reply) -> None:
        began.append(reply)
        if len(began) == 1:
            await asyncio.sleep(3600)

    app = ASGIApp(client, handle)
    body = {"type": "http.request", "body": b"{}"}
    first = asyncio.ensure_future(of_asgi(app, HTTP, body))
    while not began:
        await asyncio.sleep(0)
    assert await of_asgi(app, HTTP, body) == [503, "http.response.body"]
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await of_asgi(app, HTTP, body) == [200, "http.response.body"]
    assert len(began) == 2


def test_a_store_may_be_of_coroutines() -> None:
    class Kept:
        store = MemoryStore()

        async def begin(self, key: str) -> Begin:
            return self.store.begin(key)

        async def done(self, key: str) -> None:
            self.store.done(key)

        async def failed(self, key: str) -> None:
            self.store.failed(key)

    kept: AsyncStore = Kept()
    handled: list[Reply] = []
    app = ASGIApp(AsyncFake(**CONFIG), handled.append, store=kept)
    for _ in range(2):
        asyncio.run(of_asgi(app, HTTP, {"type": "http.request", "body": b"{}"}))
    assert len(handled) == 1
