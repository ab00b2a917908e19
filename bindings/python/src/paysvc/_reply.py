"""Replies: copies of what the library returned, which outlive the client."""

from __future__ import annotations

import sys
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from decimal import Decimal
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ._generated import Outcome, State, Status
from ._values import amount_text, as_json, decode, encode

if TYPE_CHECKING:
    from ._answer import Answer

Self = TypeVar("Self", bound="Reply")
View = TypeVar("View", bound="Answer")

_UNREAD = object()

#: The classes of answers that were used.
_VIEWS: dict[str, Any] = {}


def _is_json(caller: FrameType) -> bool:
    """True for Python's json module, which gets text for a Decimal: it cannot write one, and has no hook for a dict."""
    return caller.f_globals.get("__name__") == "json.encoder"


class Reply(dict[str, Any]):
    """The answer as a read-only mapping; what is known about the call is in attributes.

    Numbers with a fraction are Decimal, others int. json.dumps(reply) writes fractions as text ("100.10"), because
    Python's json module cannot write a Decimal; `text` is the answer as it was received. The repr shows only status,
    outcome, state and message.
    """

    __slots__ = (
        "_answer",
        "_body",
        "_compare",
        "_why_not",
        "attempts",
        "call_id",
        "code",
        "http_status",
        "is_active",
        "message",
        "outcome",
        "replayed",
        "request_id",
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
        call_id: str = "",
        request_id: str = "",
        replayed: bool = False,
        is_active: bool = False,
    ) -> None:
        #: Why the call ended as it did.
        self.status = status
        #: What is known about the request: whether it may be repeated.
        self.outcome = outcome
        #: The state of the payment or refund in the answer. Paid means Outcome.CONFIRMED and State.SUCCESSFUL, both.
        self.state = state
        #: The service's own code, or "".
        self.code = code
        #: One line for a person.
        self.message = message
        #: The HTTP status of the last answer; 0: there was no answer.
        self.http_status = http_status
        #: How many requests of this call were sent that may have changed something, each resend counted; a call that
        #: only reads counts how often it asked. What the library asks in between, e.g. with a journal, is not counted.
        self.attempts = attempts
        #: Seconds to wait before trying again; None: the service did not say.
        self.retry_after = retry_after
        #: The answer's JSON as it was received, or the library's failure envelope.
        self.text = text
        #: Identifies this call in the log; "": the library was not called.
        self.call_id = call_id
        #: The number that the service gave to the last request, by which it finds it in its own log; "": none.
        self.request_id = request_id
        #: True: the recorded end of an earlier call with the same key, or for the same order. Nothing was sent.
        self.replayed = replayed
        #: Of direct_debit_status: True only if the service says that the mandate is active. False for a wording that
        #: the library does not know: `message` has it.
        self.is_active = is_active
        self._body: Any = _UNREAD
        self._answer: Any = None
        #: Asks the library's reply, if it is CONFIRMED and SUCCESSFUL; otherwise why that is not paid.
        self._compare: Callable[[str, str, str], str] | None = None
        self._why_not = "this reply was not made by the library, or was restored from a copy: ask the service again"
        # The methods give the members; the dict itself holds only this key. Without it, C code that reads the dict
        # directly would find an empty answer, and json would write {}.
        unread: Any = self
        dict.__setitem__(unread, _UNREAD, None)

    @classmethod
    def local(cls: type[Self], status: Status, message: str, outcome: Outcome = Outcome.NOT_SENT) -> Self:
        """A reply that this package makes itself, for a call that sent nothing."""
        text = encode({"status": False, "message": message, "errors": {}}).decode()
        return cls(status=status, outcome=outcome, message=message, text=text)

    def is_paid(self, reference: str, amount: Decimal | str, currency: str) -> bool:
        """True only if this order is paid: CONFIRMED, SUCCESSFUL, and order, price and currency are these.

        The amount is the price without the fee, never a float; amounts are compared as decimals. "*" is not compared.
        An order that the answer does not name is the request's; a currency may also be one that resolve() has proved.
        For webhook_verify() and order_wait() it is about what the service said. A refund or a payout is never paid, and
        neither is a reply that was pickled: it is no longer an answer from the service.
        """
        return not self.why_not_paid(reference, amount, currency)

    def why_not_paid(self, reference: str, amount: Decimal | str, currency: str) -> str:
        """Why is_paid() is false, in one line for a person; "" if it is true."""
        for name, text in (("reference", reference), ("currency", currency)):
            if not isinstance(text, str):
                raise TypeError(f"{name} must be str, not {type(text).__name__}")
        price = amount_text("amount", amount)
        if not isinstance(price, str):
            raise TypeError(f"amount must be str or Decimal, not {type(amount).__name__}")
        return self._why_not if self._compare is None else self._compare(reference, price, currency)

    @property
    def body(self) -> Any:
        """The whole answer, parsed at the first access, so that one that Python cannot parse still has its outcome.

        Raises ValueError if Python cannot represent it.
        """
        if self._body is _UNREAD:
            self._body = decode(self.text)
        return self._body

    @property
    def answer(self) -> Answer:
        """The answer to be read member by member: the replies of the endpoints have a property for each that is known.

        It never raises; a member that is there but cannot be read raises an AnswerError when it is asked for.
        """
        answer: Answer = self._as("Answer")
        return answer

    def answer_as(self, of: type[View]) -> View:
        """The answer, read as that of another endpoint: reply.answer_as(paysvc.OrderPayAnswer)."""
        return of(self.answer._found)

    def _as(self, view: str) -> Any:
        if self._answer is None:
            answer = (_VIEWS.get(view) or _import(view))._of(self.text)
            if not answer:
                return answer  # Another time it may not be nested too deeply for what is left of the stack.
            self._answer = answer
        return self._answer

    def _members(self) -> dict[str, Any]:
        return self.body if isinstance(self.body, dict) else {}

    def __getitem__(self, name: str) -> Any:
        return self._members()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._members()

    def __iter__(self) -> Iterator[str]:
        return iter(self._members())

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._members())

    def __len__(self) -> int:
        return len(self._members())

    def get(self, name: str, default: Any = None, /) -> Any:
        return self._members().get(name, default)

    def keys(self) -> KeysView[str]:  # type: ignore[override]  # pyright: ignore
        return self._members().keys()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]  # pyright: ignore
        return self._members().values()

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]  # pyright: ignore
        members = self._members()
        return as_json(members).items() if _is_json(sys._getframe(1)) else members.items()

    def copy(self) -> dict[str, Any]:
        """The members as an ordinary dict."""
        return dict(self._members())

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a reply is read-only; reply.copy() can be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse  # pyright: ignore
    clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore

    def __or__(self, other: Any) -> Any:
        return self._members() | (other.copy() if isinstance(other, Reply) else other)

    def __ror__(self, other: Any) -> Any:
        return other | self._members()

    def __bool__(self) -> bool:
        if _is_json(sys._getframe(1)):  # It writes {} if this is false, and would lose the members of a failure.
            return bool(self._members())
        return self.status == Status.OK  # Also for an answer without members.

    def __eq__(self, other: object) -> bool:
        # A copy is equal. Two refunds with equal answers are still two refunds: they are two calls.
        return self is other or (isinstance(other, type(self)) and self._known() == other._known())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.call_id, self.text))

    def _known(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in Reply.__slots__ if not name.startswith("_")}

    def __repr__(self) -> str:
        return (
            f"<Reply {self.status.name}: outcome {self.outcome.name}, state {self.state.name}, "
            f"HTTP {self.http_status}: {self.message}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._known(), type(self))

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return self.__reduce__()


def _import(view: str) -> Any:
    """Only programs that read an answer import the classes."""
    from . import _answers

    return _VIEWS.setdefault(view, getattr(_answers, view))


def _restore(known: dict[str, Any], of: type[Reply] = Reply) -> Reply:
    return of(**known)
