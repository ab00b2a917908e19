"""The library's log becomes Python's, under the name "paysvc"; silent unless the program configures logging."""

from __future__ import annotations

import logging
import threading
import traceback

from ._library import LOG_CALLBACK

logger = logging.getLogger("paysvc")
logger.addHandler(logging.NullHandler())

_LEVELS = {1: logging.ERROR, 2: logging.WARNING, 3: logging.INFO, 4: logging.DEBUG}
_held = threading.local()


def level() -> int:
    """The most detailed level that the program wants, in the library's numbers; 0: none."""
    return max((ours for ours, theirs in _LEVELS.items() if logger.isEnabledFor(theirs)), default=0)


def _receive(_userdata: int | None, number: int, message: bytes) -> None:
    """Runs within the library: nothing may leave it but by return."""
    try:
        logger.log(_LEVELS.get(number, logging.ERROR), "%s", message.decode("utf-8", "replace"))
    except Exception:
        # As logging itself does with handlers that fail.
        if logging.raiseExceptions:
            traceback.print_exc()
    except BaseException as interrupt:
        # Ctrl-C struck here: raised again once the call has ended.
        _held.interrupt = interrupt


#: Lives as long as the module: the library may call it as long as any client lives.
callback = LOG_CALLBACK(_receive)


def raise_held() -> None:
    """Raises what interrupted the callback on this thread."""
    interrupt: BaseException | None = getattr(_held, "interrupt", None)
    if interrupt is not None:
        _held.interrupt = None
        raise interrupt
