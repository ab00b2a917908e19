"""The end of the interpreter.

It ends other threads within their Python code, and the whole program with them if that code runs below frames of the
library. So calls whose progress function runs on another thread are cancelled before, and awaited.
"""

from __future__ import annotations

import atexit
import os
from _queue import SimpleQueue
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_running: dict[object, Callable[[], None]] = {}
_ended: SimpleQueue[None] = SimpleQueue()
_ending = False


@contextmanager
def ended_at_exit(cancel: Callable[[], None]) -> Iterator[None]:
    """Around a call, on the thread that makes it."""
    call = object()
    _running[call] = cancel
    try:
        if _ending:
            raise RuntimeError("the interpreter is ending: a call with a progress function can no longer begin")
        yield
    finally:
        _running.pop(call, None)
        if _ending:
            _ended.put(None)


# Threads that are not daemons have ended before it runs.
@atexit.register
def _end() -> None:
    global _ending
    _ending = True  # Before it looks: who begins later sees it.
    while _running:
        for cancel in list(_running.values()):
            cancel()
        _ended.get()


if hasattr(os, "register_at_fork"):
    # A child has none of its parent's threads.
    os.register_at_fork(after_in_child=_running.clear)
