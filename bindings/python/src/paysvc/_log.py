"""The library's log becomes Python's, under the name "paysvc"; silent unless the program configures logging.

Imported when the program has imported logging: until then it cannot have configured it.
"""

from __future__ import annotations

import logging
import threading
import traceback

from ._library import LOG_CALLBACK, held

logger = logging.getLogger("paysvc")
logger.addHandler(logging.NullHandler())

_LEVELS = {4: logging.DEBUG, 3: logging.INFO, 2: logging.WARNING, 1: logging.ERROR}


def level() -> int:
    """The most detailed level that the program wants, in the library's numbers; 0: none."""
    for ours, theirs in _LEVELS.items():
        if logger.isEnabledFor(theirs):
            return ours
    return 0


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
        held[threading.get_ident()] = interrupt


#: Lives as long as the module: the library may call it as long as any client lives.
callback = LOG_CALLBACK(_receive)
