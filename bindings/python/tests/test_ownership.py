"""Every handle of the library is freed exactly once."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
from peer import Peer

import paysvc
from paysvc import _client, _earlier, _native
from paysvc._library import library
from paysvc.sandbox import Sandbox


class Handles:
    """The live handles, by kind. An address may be used again after it has been freed."""

    def __init__(self) -> None:
        self.live: set[tuple[str, int]] = set()
        self.made: dict[str, int] = {"client": 0, "call": 0, "reply": 0}
        self.wrong: list[str] = []
        self._lock = threading.Lock()

    def add(self, kind: str, pointer: int | None) -> None:
        if pointer:
            with self._lock:
                if (kind, pointer) in self.live:
                    self.wrong.append(f"{kind} {pointer} was made twice")
                self.live.add((kind, pointer))
                self.made[kind] += 1

    def remove(self, kind: str, pointer: int) -> None:
        with self._lock:
            if (kind, pointer) not in self.live:
                self.wrong.append(f"{kind} {pointer} was freed twice, or never made")
            self.live.discard((kind, pointer))

    def assert_all_freed(self) -> None:
        gc.collect()
        assert (self.live, self.wrong) == (set(), [])


@pytest.fixture
def handles(monkeypatch: pytest.MonkeyPatch) -> Iterator[Handles]:
    gc.collect()  # Handles left by earlier tests are not counted.
    handles = Handles()

    def making(function: Callable[..., int]) -> Callable[..., int]:
        def make(*arguments: Any) -> int:
            status = function(*arguments)
            handles.add("reply", arguments[-1]._obj.value)
            if function.__name__ == "paysvc_client_new":
                handles.add("client", arguments[-2]._obj.value)
            return status

        return make

    def make_call(function: Callable[[], Any]) -> Callable[[], Any]:
        def make() -> Any:
            token = function()
            handles.add("call", token)
            return token

        return make

    def freeing(kind: str, function: Callable[[Any], None]) -> Callable[[Any], None]:
        def free(handle: Any) -> None:
            # Recorded first: another thread may get the same address as soon as it is free.
            if handle.value is not None:
                handles.remove(kind, handle.value)
            function(handle)

        return free

    for name in ("invoke", "client_new"):
        monkeypatch.setattr(library, f"paysvc_{name}", making(getattr(library, f"paysvc_{name}")))
    monkeypatch.setattr(library, "paysvc_call_new", make_call(library.paysvc_call_new))
    for kind in ("client", "call", "reply"):
        monkeypatch.setattr(library, f"paysvc_{kind}_free", freeing(kind, getattr(library, f"paysvc_{kind}_free")))
    yield handles
    handles.assert_all_freed()


def test_calls_that_succeed_fail_or_are_refused(handles: Handles, paysvc_sandbox: Sandbox) -> None:
    kept: list[object] = []
    with paysvc.Client(**paysvc_sandbox.config) as client:
        for _ in range(5):
            kept.append(client.virtual_account_generate(alias="a", timeout=20))
            kept.append(client.encrypt({"a": 1}))
            for wrong in ({"reference": "none"}, {"reference": ""}, {"unknown": 1}):
                with pytest.raises(paysvc.PaysvcError) as caught:
                    client.call("order_refund", wrong)
                kept.append(caught.value)
            with pytest.raises(TypeError):
                client.call("order_refund", {"amount": 1.5})
    # Each call has a token of its own. An error asks nothing more.
    assert handles.made == {"client": 1, "call": 30, "reply": 26}
    # Errors that a program keeps have no handle, nor have replies whose response it has read.
    assert [kind for kind, _ in handles.live] == ["reply"] * 10
    assert len(kept) == 25
    for reply in kept:
        assert isinstance(reply, (paysvc.Reply, paysvc.PaysvcError))
        assert reply.unreadable == ()
    handles.assert_all_freed()


def interrupt_at(line: int) -> Any:
    """A trace function that interrupts the program, as Ctrl-C would, before that line of these files is run."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename not in (_client.__file__, _earlier.__file__, _native.__file__):
            return None
        lines += event == "line"
        if event == "line" and lines == line:
            raise KeyboardInterrupt
        return trace

    return trace


def test_an_interrupt_anywhere_in_a_call_that_is_paid(handles: Handles, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R", "amount": "20", "paid": True})
    tracer, line, carried, reply = sys.gettrace(), 0, 0, None
    with paysvc.Client(**paysvc_sandbox.config) as client:
        while reply is None:
            line, before = line + 1, handles.made["reply"]
            try:
                sys.settrace(interrupt_at(line))
                reply = client.order_verify(reference="R")
            except KeyboardInterrupt as interrupt:
                result = paysvc.abandoned_call(interrupt)
                if handles.made["reply"] > before:
                    assert result is not None, f"the result is lost at line {line}"
                    assert result.outcome == paysvc.Outcome.CONFIRMED
                    carried += 1
            finally:
                sys.settrace(tracer)
            assert handles.wrong == []
    assert reply.is_paid("R", "20", "*")
    assert carried > 20
    del reply


def test_clients_that_are_refused_never_closed_or_closed_twice(handles: Handles, paysvc_sandbox: Sandbox) -> None:
    with pytest.raises(paysvc.ConfigError):
        paysvc.Client(base_url="nowhere")
    paysvc.Client(**paysvc_sandbox.config)
    client = paysvc.Client(**paysvc_sandbox.config)
    client.close()
    client.close()
    handles.assert_all_freed()
    assert handles.made["client"] == 2


def test_a_client_closed_during_a_call_is_freed_after_it(handles: Handles, peer: Peer) -> None:
    client = paysvc.Client(**peer.config)
    thread = threading.Thread(target=client.order_refund, kwargs={"reference": "R"})
    thread.start()
    exchange = peer.next()
    client.close()
    assert {kind for kind, _ in handles.live} == {"client", "call"}
    exchange.answer(status=True)
    thread.join()
    handles.assert_all_freed()


def test_cancelled_tasks(handles: Handles, peer: Peer) -> None:
    async def main() -> None:
        async with paysvc.AsyncClient(**peer.config, max_concurrency=1) as client:
            tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}")) for n in range(3)]
            await peer.next_async()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        client._executor.shutdown()

    asyncio.run(main())
    handles.assert_all_freed()
    assert handles.made["call"] == 3
