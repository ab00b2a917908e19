"""A client of the payments service: direct debit, virtual accounts, refunds, funding details and encrypted card orders.

Every reply and every error has an `outcome` that says, with evidence from the wire, whether you may charge again.
"""

from typing import TYPE_CHECKING

from . import _errors, _generated, _replies
from ._client import Client
from ._earlier import abandoned_call
from ._errors import *  # noqa: F403
from ._generated import *  # noqa: F403 (the enumerations, and the objects within requests)
from ._generated import CONTINUE
from ._generated import VERSION as __version__
from ._native import Call, look_up, reference_new
from ._progress import Progress
from ._replies import *  # noqa: F403 (the endpoints' replies)
from ._reply import Reply
from ._store import Store
from ._values import EXISTING_ORDER, OMIT, ExistingOrder, Omitted

if TYPE_CHECKING:
    from . import _answers
    from ._answers import *  # noqa: F403
    from ._async import AsyncClient
    from ._typed import Answer

__all__ = [
    "CONTINUE", "EXISTING_ORDER", "OMIT", "Answer", "AsyncClient", "Call", "Client", "ExistingOrder", "Omitted",
    "Progress", "Reply", "Store", "__version__", "abandoned_call", "look_up", "reference_new",
]  # fmt: skip
__all__ += _errors.__all__
__all__ += _generated.__all__
__all__ += _replies.__all__
if TYPE_CHECKING:
    __all__ += _answers.__all__
else:
    __all__ += _replies.ANSWERS

#: The names imported on first use, and their modules: asyncio takes far longer than the rest, and few programs
#: name the classes of answers.
_LATER = {"AsyncClient": "_async", "Answer": "_typed"}
_LATER.update(dict.fromkeys(_replies.ANSWERS, "_answers"))


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
