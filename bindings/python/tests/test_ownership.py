"""Every handle of the library is freed once, whatever happens."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from peer import Peer

import paysvc
from paysvc._generated import KEYWORDS
from paysvc._library import library
from paysvc.sandbox import Sandbox


class Handles:
    """Those that live, by kind; an address may come again once it has been freed."""

    def __init__(self) -> None:
        self.live: set[tuple[str, int]] = set()
        self.made: dict[str, int] = {"client": 0, "call": 0, "reply": 0}
        self.wrong: list[str] = []
        self._lock = threading.Lock()

    def born(self, kind: str, pointer: int | None) -> None:
        if pointer:
            with self._lock:
                if (kind, pointer) in self.live:
                    self.wrong.append(f"{kind} {pointer} was made twice")
                self.live.add((kind, pointer))
                self.made[kind] += 1

    def freed(self, kind: str, pointer: int) -> None:
        with self._lock:
            if (kind, pointer) not in self.live:
                self.wrong.append(f"{kind} {pointer} was freed twice, or never made")
            self.live.discard((kind, pointer))

    def all_freed(self) -> None:
        gc.collect()
        assert (self.live, self.wrong) == (set(), [])


@pytest.fixture
def handles(monkeypatch: pytest.MonkeyPatch) -> Iterator[Handles]:
    handles = Handles()

    def making(function: Callable[..., int]) -> Callable[..., int]:
        def make(*arguments: Any) -> int:
            status = function(*arguments)
            handles.born("reply", arguments[-1]._obj.value)
            if function.__name__ == "paysvc_client_new":
                handles.born("client", arguments[-2]._obj.value)
            return status

        return make

    def make_call(function: Callable[[], int]) -> Callable[[], int]:
        def make() -> int:
            pointer = function()
            handles.born("call", pointer)
            return pointer

        return make

    def freeing(kind: str, function: Callable[[Any], None]) -> Callable[[Any], None]:
        def free(handle: Any) -> None:
            # Noted first: another thread may get the same address as soon as it is free.
            handles.freed(kind, handle if isinstance(handle, int) else handle.value)
            function(handle)

        return free

    for name in (*KEYWORDS, "request", "encrypt", "client_new"):
        monkeypatch.setattr(library, f"paysvc_{name}", making(getattr(library, f"paysvc_{name}")))
    monkeypatch.setattr(library, "paysvc_call_new", make_call(library.paysvc_call_new))
    for kind in ("client", "call", "reply"):
        monkeypatch.setattr(library, f"paysvc_{kind}_free", freeing(kind, getattr(library, f"paysvc_{kind}_free")))
    yield handles
    handles.all_freed()


def test_calls_that_succeed_fail_and_are_refused(handles: Handles, paysvc_sandbox: Sandbox) -> None:
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
    assert handles.made == {"client": 1, "call": 5, "reply": 26}
    # What a program keeps of replies and errors holds no handle.
    handles.all_freed()
    assert len(kept) == 25


def test_clients_that_are_not_made_not_closed_or_closed_twice(handles: Handles, paysvc_sandbox: Sandbox) -> None:
    with pytest.raises(paysvc.ConfigError):
        paysvc.Client(base_url="nowhere")
    paysvc.Client(**paysvc_sandbox.config)
    client = paysvc.Client(**paysvc_sandbox.config)
    client.close()
    client.close()
    handles.all_freed()
    assert handles.made["client"] == 2


def test_a_client_closed_under_a_call_is_freed_after_it(handles: Handles, peer: Peer) -> None:
    client = paysvc.Client(**peer.config)
    thread = threading.Thread(target=client.order_refund, kwargs={"reference": "R"})
    thread.start()
    exchange = peer.next()
    client.close()
    assert {kind for kind, _ in handles.live} == {"client"}
    exchange.answer(status=True)
    thread.join()
    handles.all_freed()


def test_cancelled_tasks(handles: Handles, peer: Peer) -> None:
    async def story() -> None:
        async with paysvc.AsyncClient(**peer.config, max_concurrency=1) as client:
            tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}")) for n in range(3)]
            await asyncio.get_running_loop().run_in_executor(None, peer.next)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert client._executor is not None
        client._executor.shutdown()

    asyncio.run(story())
    handles.all_freed()
    assert handles.made["call"] == 3
