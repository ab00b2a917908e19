"""Passes the library's log to Python's logger "paysvc", which is silent unless the program configures logging, but for
abandoned calls.

A call's token keeps its lines. The thread that made the call logs them after it and at each of its steps. In a
callback, an exception from a signal handler would be lost.

Imported only after the program itself has imported logging: before that, the program cannot have configured it.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

logger = logging.getLogger("paysvc")
logger.addHandler(logging.NullHandler())

_LEVELS = {4: logging.DEBUG, 3: logging.INFO, 2: logging.WARNING, 1: logging.ERROR}

#: The attributes of every record; None where a line is about no attempt.
EXTRA = ("call_id", "reference", "endpoint", "attempt", "outcome", "ms", "http_status", "request_id")


def level() -> int:
    """The most detailed level that the program logs, as a level of the library; 0: none."""
    for number, name in _LEVELS.items():
        if logger.isEnabledFor(name):
            return number
    return 0


def write(lines: list[bytes]) -> None:
    """Logs lines as the library gives them."""
    for line in lines:
        known: dict[str, Any] = json.loads(line)
        text = f"{known.get('call_id', '')} {known.get('message', '')}".lstrip()
        say(_LEVELS.get(known.get("level", 1), logging.ERROR), text, {name: known.get(name) for name in EXTRA})


def say(number: int, text: str, known: dict[str, Any]) -> None:
    """Logs a line."""
    harmless(partial(logger.log, number, "%s", text, extra={**dict.fromkeys(EXTRA), **known}))


def harmless(make: Callable[[], object]) -> None:
    """Calls handlers of the program: one that fails never changes the result of a call."""
    try:
        make()
    except Exception as error:
        if _of_signal(error):
            raise
        # logging treats a failing handler the same way.
        if logging.raiseExceptions:
            traceback.print_exc()


def report(text: str, known: dict[str, Any]) -> None:
    """Logs what must not be lost; if the program has not configured logging, on standard error."""
    say(logging.ERROR, text, known)
    handlers = (*logger.handlers, *logging.getLogger().handlers)
    if logging.lastResort is not None and all(isinstance(handler, logging.NullHandler) for handler in handlers):
        logging.lastResort.handle(logging.LogRecord(logger.name, logging.ERROR, "", 0, text, None, None))


def _of_signal(error: Exception) -> bool:
    """Returns whether a signal handler raised it, such as Celery's time limits: it is meant for the program."""
    import signal

    handlers = [_code(signal.getsignal(number)) for number in signal.valid_signals()]
    return any(frame.f_code in handlers for frame, _ in traceback.walk_tb(error.__traceback__))


def _code(handler: object) -> object:
    """The code of a function, of a method, of an object that can be called, or of a partial of one of them."""
    handler = getattr(handler, "func", handler)
    if not hasattr(handler, "__code__"):
        handler = vars(type(handler)).get("__call__")
    return getattr(handler, "__code__", None)
