"""A client of the payments service: direct debit, virtual accounts, refunds, funding details and encrypted card orders.

Every reply and every error has an `outcome` that says, with evidence from the wire, whether you may charge again.
"""

from typing import TYPE_CHECKING

from . import _generated
from ._abandoned import abandoned_call
from ._client import Client
from ._errors import (
    Abandoned,
    ArgumentError,
    Cancelled,
    ConfigError,
    EncryptError,
    InternalError,
    OutcomeUnknown,
    PaysvcError,
    RateLimited,
    Rejected,
    ResponseError,
    ServerError,
    Timeout,
    TransportError,
    Unauthorized,
)
from ._generated import *  # noqa: F403 (the enumerations, and the objects within requests)
from ._generated import VERSION as __version__
from ._native import Call
from ._reply import Reply
from ._values import OMIT, Omitted

if TYPE_CHECKING:
    from ._async import AsyncClient

__all__ = [
    "OMIT",
    "Abandoned",
    "ArgumentError",
    "AsyncClient",
    "Call",
    "Cancelled",
    "Client",
    "ConfigError",
    "EncryptError",
    "InternalError",
    "Omitted",
    "OutcomeUnknown",
    "PaysvcError",
    "RateLimited",
    "Rejected",
    "Reply",
    "ResponseError",
    "ServerError",
    "Timeout",
    "TransportError",
    "Unauthorized",
    "__version__",
    "abandoned_call",
]
__all__ += _generated.__all__


def __getattr__(name: str) -> object:
    # Importing asyncio takes far longer than the rest: only programs that use AsyncClient pay for it.
    if name == "AsyncClient":
        from ._async import AsyncClient

        globals()[name] = AsyncClient
        return AsyncClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
