"""What came back, copied out of the library: a reply owns nothing and outlives its client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ._generated import Outcome, State, Status
from ._values import decode, encode

_UNREAD = object()


class Reply(Mapping[str, Any]):
    """The answer as a read-only mapping, with what is known of the call as attributes.

    Fractions are Decimal, whole numbers int. Its repr holds nothing of the answer.
    """

    __slots__ = (
        "_body",
        "attempts",
        "code",
        "http_status",
        "message",
        "outcome",
        "retry_after",
        "state",
        "status",
        "text",
    )

    def __init__(
        self,
        *,
        status: Status,
        outcome: Outcome,
        text: str,
        message: str = "",
        code: str = "",
        state: State = State.NONE,
        http_status: int = 0,
        attempts: int = 0,
        retry_after: float | None = None,
    ) -> None:
        #: Why the call ended as it did.
        self.status = status
        #: May one charge again?
        self.outcome = outcome
        #: The state of the payment or refund that the answer names; only State.SUCCESSFUL means paid.
        self.state = state
        #: The service's own code, or "".
        self.code = code
        #: One line for a person.
        self.message = message
        #: The HTTP status of the last answer; 0: there was none.
        self.http_status = http_status
        #: How many requests were put on the wire.
        self.attempts = attempts
        #: Seconds to wait before trying again; None: not said.
        self.retry_after = retry_after
        #: The answer's JSON as it came, or the library's failure envelope.
        self.text = text
        self._body: Any = _UNREAD

    @classmethod
    def local(cls, status: Status, message: str) -> Reply:
        """What this package has to say itself: nothing was sent."""
        text = encode({"status": False, "message": message, "errors": {}}).decode()
        return cls(status=status, outcome=Outcome.NOT_SENT, message=message, text=text)

    @property
    def body(self) -> Any:
        """The whole answer, parsed when first asked for: a payment's outcome never hangs on a strange answer.

        ValueError: Python cannot hold it.
        """
        if self._body is _UNREAD:
            self._body = decode(self.text)
        return self._body

    def _members(self) -> dict[str, Any]:
        return self.body if isinstance(self.body, dict) else {}

    def __getitem__(self, name: str) -> Any:
        return self._members()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members())

    def __len__(self) -> int:
        return len(self._members())

    def __bool__(self) -> bool:
        return self.status == Status.OK  # An answer without members is still a success.

    def __eq__(self, other: object) -> bool:
        return self is other  # Two refunds with the same answer are two refunds.

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return (
            f"<Reply {self.status.name}: outcome {self.outcome.name}, state {self.state.name}, HTTP {self.http_status}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        known = {name: getattr(self, name) for name in Reply.__slots__ if name != "_body"}
        return _restore, (known,)


def _restore(known: dict[str, Any]) -> Reply:
    return Reply(**known)
