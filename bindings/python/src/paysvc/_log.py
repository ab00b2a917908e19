"""Passes the library's log to Python's logger "paysvc", which is silent unless the program configures logging.

Imported only after the program itself has imported logging: before that, it cannot have configured it.
"""

from __future__ import annotations

import logging
import threading
import traceback

from ._library import LOG_CALLBACK, interrupts

logger = logging.getLogger("paysvc")
logger.addHandler(logging.NullHandler())

_LEVELS = {4: logging.DEBUG, 3: logging.INFO, 2: logging.WARNING, 1: logging.ERROR}


def level() -> int:
    """The most detailed level that the program wants, as a level of the library; 0: none."""
    for number, name in _LEVELS.items():
        if logger.isEnabledFor(name):
            return number
    return 0


def _receive(_userdata: int | None, number: int, message: bytes) -> None:
    """The library calls this: no exception may leave it."""
    try:
        logger.log(_LEVELS.get(number, logging.ERROR), "%s", message.decode("utf-8", "replace"))
    except Exception:
        # logging treats a failing handler the same way.
        if logging.raiseExceptions:
            traceback.print_exc()
    except BaseException as interrupt:
        # For example Ctrl-C: raised again when the call has ended.
        interrupts[threading.get_ident()] = interrupt


#: Lives as long as this module: the library may call it as long as any client lives.
callback = LOG_CALLBACK(_receive)
