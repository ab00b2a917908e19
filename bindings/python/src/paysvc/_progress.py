"""Calls that the main thread does not make itself, and the progress of those that take several steps.

Python runs the handlers of signals in its main thread, between two instructions. An exception from them in a callback
of the library would be lost, and during a call none runs. So another thread makes the call, and the main thread waits
for the steps and passes them to the program: a second signal can cancel the call.
"""

from __future__ import annotations

import _thread
import atexit
import os
from _queue import Empty, SimpleQueue
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from types import BuiltinFunctionType
from typing import Any, Optional

from ._generated import CONTINUE
from ._library import PROGRESS_CALLBACK
from ._values import decode

#: Called with done, total (0: not known) and the step. If it returns anything but None or paysvc.CONTINUE, the call
#: stops.
Progress = Callable[[int, int, Mapping[str, Any]], Optional[int]]

#: As the library gives it: done, total, and the step as JSON.
_Step = tuple[int, int, bytes]

#: The listener of the call that this thread makes now, or this greenlet.
_listener: ContextVar[Callable[[_Step], int] | None] = ContextVar("paysvc_listener", default=None)


def _receive(_userdata: int | None, done: int, total: int, step: bytes) -> int:
    """The library calls this. Should an exception leave it, ctypes does not answer CONTINUE, and the call stops."""
    listener = _listener.get()
    # Without one it is a later call with the same token.
    return CONTINUE if listener is None else listener((done, total, step))


#: Lives as long as this module: a token may keep it.
callback = PROGRESS_CALLBACK(_receive)

#: Seconds. Python does not notice a signal that comes between its last instruction and the start of a wait, so no wait
#: of the main thread is longer.
_LONGEST_WAIT = 1

#: Threads that wait for a call of the main thread: to start one for each call takes three times as long.
_idle: list[SimpleQueue[Callable[[], None]]] = []

#: The calls that other threads than the main one make. The end of the interpreter ends other threads within their
#: Python code, and the whole program with them if that code runs below frames of the library: so these calls are
#: cancelled before, and awaited.
_running: set[_Steps] = set()
_ended: SimpleQueue[None] = SimpleQueue()
_ending = False

if hasattr(os, "register_at_fork"):
    # A child has none of its parent's threads.
    os.register_at_fork(after_in_child=_idle.clear)
    os.register_at_fork(after_in_child=_running.clear)


# Threads that are not daemons have ended before it runs.
@atexit.register
def _end() -> None:
    global _ending
    _ending = True  # Before it looks: who begins later sees it.
    while _running:
        for call in list(_running):
            call.end()
        _ended.get()


def _serve(calls: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        calls.get()()


def log(lines: list[bytes]) -> None:
    """Writes a call's log lines."""
    if lines:
        from ._log import write

        write(lines)


def reporting(progress: Progress | None, token: Any, make: Callable[[], object]) -> None:
    """Makes a call and passes its steps to `progress`, whose exception stops the call and is raised after it."""
    import threading

    # A thread of gevent or eventlet does not count: it could not run while the library waits.
    real = isinstance(_thread.start_new_thread, BuiltinFunctionType)
    if real and threading.main_thread().ident == _thread.get_ident():
        _Relay(progress, token, make).run()
    elif progress is None:
        make()
    else:
        _Steps(progress, token, make, is_awaited=real).run()


class _Steps:
    """A call that this thread makes. It passes its steps to the program, until that fails."""

    _failure: BaseException | None = None

    def __init__(
        self, progress: Progress | None, token: Any, make: Callable[[], object], *, is_awaited: bool = True
    ) -> None:
        self._progress, self._token, self._make, self._is_awaited = progress, token, make, is_awaited
        self._process = os.getpid()
        self._failed = False

    def run(self) -> None:
        self._call()
        if self._failure is not None:
            raise self._failure

    def end(self) -> None:
        self._token.cancel()

    def _call(self) -> None:
        """On the thread that makes it."""
        listening = _listener.set(self._listen)  # A listener may make calls itself.
        try:
            if self._is_awaited:
                _running.add(self)
                if _ending:
                    raise RuntimeError("the interpreter is ending: a call with a progress function can no longer begin")
            self._make()
        finally:
            _listener.reset(listening)
            _running.discard(self)
            if _ending:
                _ended.put(None)

    def _listen(self, step: _Step) -> int:
        try:
            return self._tell(self._token._take_log(), step)
        except BaseException as thrown:
            self._failure = thrown
            return 0

    def _tell(self, lines: list[bytes], step: _Step) -> int:
        if self._failed:
            return 0
        self._failed = True
        log(lines)
        done, total, text = step
        # A call without a progress function gets no steps, unless an earlier one with its token had one.
        answer = None if self._progress is None else self._progress(done, total, decode(text.decode()))
        if self._forked:
            raise RuntimeError("a child that was forked in a progress function cannot continue its parent's call")
        self._failed = False
        return CONTINUE if answer is None or (type(answer) is int and answer == CONTINUE) else 0

    @property
    def _forked(self) -> bool:
        return os.getpid() != self._process


class _Relay(_Steps):
    """A call that another thread makes for the main thread, which a signal may interrupt at any instruction.

    That loses at most the report of one step: after an interrupt, the main thread goes by what became of the call, not
    by what it has received.
    """

    def __init__(self, progress: Progress | None, token: Any, make: Callable[[], object]) -> None:
        super().__init__(progress, token, make)
        self._steps: SimpleQueue[tuple[list[bytes], _Step] | None] = SimpleQueue()
        self._answers: SimpleQueue[int] = SimpleQueue()
        self._maker: dict[str, str] = {}
        self._ended = self._over = False

    def _start(self) -> None:
        try:
            calls = _idle.pop()
        except IndexError:
            calls = SimpleQueue()
            try:
                _thread.start_new_thread(_serve, (calls,))
            except RuntimeError:  # The interpreter is ending, and starts no threads.
                if self._progress is not None:
                    raise
                self._run("main")
                return
        calls.put(partial(self._run, "other", calls))

    def _run(self, maker: str, calls: SimpleQueue[Callable[[], None]] | None = None) -> None:
        makes = self._maker.setdefault("call", maker) == maker
        try:
            if makes:
                self._call()
        except BaseException as failure:  # The arguments were refused.
            self._failure = failure
        finally:
            if calls is not None:
                _idle.append(calls)
            if makes:
                del self._make  # The main thread frees what it has.
                self._ended = True
                self._steps.put(None)

    def _listen(self, step: _Step) -> int:
        self._steps.put((self._token._take_log(), step))
        return self._answers.get()

    def end(self) -> None:
        self._answers.put(0)
        super().end()

    def run(self) -> None:
        try:
            self._wait(stops=False)
        finally:
            if not self._over:  # A second signal came before the first had been caught.
                self._wait(stops=True)
        if self._failure is not None:
            raise self._failure

    def _wait(self, *, stops: bool) -> None:
        """Waits for the end of the call, whatever interrupts that, and then raises the last interrupt."""
        interrupt: BaseException | None = None
        again = stops
        while not self._over:
            try:
                if not stops:
                    self._start()
                elif self._forked or self._maker.setdefault("call", "nobody") == "nobody":
                    break
                else:
                    self._answers.put(0)  # The step in hand is let finish; the next one gets this value.
                if again:
                    self._token.cancel()
                while not (self._ended and self._steps.empty()):
                    try:
                        step = self._steps.get(timeout=_LONGEST_WAIT)
                    except Empty:
                        continue
                    if step is not None:
                        answer = self._tell(*step)
                        self._answers.put(0 if stops else answer)
                self._over = True
            except BaseException as thrown:  # No call follows, at which Python would run the handler of another signal.
                if interrupt is not None and thrown.__context__ is None:
                    thrown.__context__ = interrupt
                interrupt, again, stops = thrown, stops, True
        self._over = True
        try:
            if interrupt is not None:
                raise interrupt
        finally:
            interrupt = None  # A cycle would keep the frames, and with them the client.
