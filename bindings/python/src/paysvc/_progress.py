"""Progress of calls that take several steps."""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ._generated import CONTINUE
from ._library import PROGRESS_CALLBACK, interrupts
from ._values import decode

#: Called with done, total (0: not known) and the step. It returns paysvc.CONTINUE; anything else stops the call.
Progress = Callable[[int, int, Mapping[str, Any]], object]

#: By thread, because a call reports its progress on the thread that makes it.
_listeners: dict[int, Progress] = {}


@contextmanager
def listening(progress: Progress) -> Iterator[None]:
    """Reports the progress of calls of this thread. A listener may make calls itself."""
    thread = get_ident()
    before = _listeners.get(thread)
    _listeners[thread] = progress
    try:
        yield
    finally:
        if before is None:
            del _listeners[thread]
        else:
            _listeners[thread] = before


def _receive(_userdata: int | None, done: int, total: int, step: bytes) -> int:
    """The library calls this: no exception may leave it."""
    try:
        listener = _listeners.get(get_ident())
        if listener is None:  # A later call with the same token, which has no listener.
            return CONTINUE
        answer = listener(done, total, decode(step.decode()))
        return CONTINUE if type(answer) is int and answer == CONTINUE else 0
    except BaseException as interrupt:
        # It stops the call, and is raised again when that has ended.
        interrupts[get_ident()] = interrupt
        return 0


#: Lives as long as this module: a token may keep it.
callback = PROGRESS_CALLBACK(_receive)
