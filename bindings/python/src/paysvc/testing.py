"""For the tests of programs that use the package: replies without a service, and the sandbox as a pytest fixture.

Enable the fixture with pytest_plugins = ["paysvc.testing"] in conftest.py. It is not a pytest entry point, because that
would load the library in every test run in the same environment.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from decimal import Decimal
from functools import cache, partial
from typing import Any

from ._answers import ANSWERS
from ._errors import error_of
from ._generated import Outcome, State, Status
from ._reply import Reply
from ._typed import Answer
from ._values import amount_text, encode, utf8
from .sandbox import Sandbox, SandboxNotFound

__all__ = ["Sandbox", "error_of", "paysvc_sandbox", "reply"]

#: The status of a reply, if a test names only its outcome.
_STATUSES = {
    Outcome.NOT_SENT: Status.TRANSPORT,
    Outcome.CONFIRMED: Status.OK,
    Outcome.REJECTED: Status.REJECTED,
    Outcome.UNKNOWN: Status.TIMEOUT,
}


def reply(
    of: type[Reply] = Reply,
    *,
    paid: tuple[str, Decimal | str, str] | None = None,
    outcome: Outcome | str | None = None,
    status: Status | str | None = None,
    state: State | str | None = None,
    body: Mapping[str, object] | str | None = None,
    answer: Answer | None = None,
    webhook: Answer | None = None,
    unreadable: tuple[str, ...] = (),
    **more: Any,
) -> Any:
    """Makes a reply without a service. A field left out is unknown: the outcome is UNKNOWN, and nothing is paid.

        client.order_create.return_value = reply(paysvc.OrderCreateReply, paid=("T7-1", "25.50", "NGN"))
        client.order_refund.side_effect = error_of(reply(message="timed out"), "order_refund", {"reference": "T7-1"})

    Args:
        of: the class of the reply, which is returned
        paid: reference, amount and currency, for which alone is_paid() is true; the reply is CONFIRMED and SUCCESSFUL
        status: if not given, one that fits the outcome
        body: the response with the service's names, as members or as its text; no `answer` is made of it
        answer: the response as plain data: paysvc.OrderStatusAnswer(is_final_status=True)
        webhook: of a WebhookVerifyReply, what was found out: paysvc.WebhookVerifyResult(authentic=True, key="k")
        unreadable: JSON pointers
        more: other attributes of a reply, such as message, code, http_status, attempts and retry_after

    Raises:
        ValueError: no call ends with such a reply
        TypeError: a reply of that class has another response
    """
    outcome = Outcome(outcome or (Outcome.CONFIRMED if paid else Outcome.UNKNOWN))
    status = Status(status or _STATUSES[outcome])
    state = State(state or (State.SUCCESSFUL if paid else State.NONE))
    if status == Status.OK and outcome not in (Outcome.CONFIRMED, Outcome.NOT_SENT):
        raise ValueError(f"no call ends with the status OK and the outcome {outcome.name}")
    if paid and (status, outcome, state) != (Status.OK, Outcome.CONFIRMED, State.SUCCESSFUL):
        raise ValueError(f"a reply that is paid is OK, CONFIRMED and SUCCESSFUL, not {status}, {outcome} and {state}")
    if body is None:
        body = {"status": status == Status.OK, "message": more.get("message", ""), "data": {}}
    text = body if isinstance(body, str) else encode(body).decode()
    made = of(status=status, outcome=outcome, state=state, text=text, **more)
    given = [it for it in (answer, webhook) if it is not None]
    objects = {name: it for name, kind in ANSWERS.items() for it in given if type(it) is kind}
    vars(made)["_read"] = {"answer": answer, "objects": objects, "unreadable": unreadable}
    for name, it in (("answer", answer), ("webhook", webhook)):
        if it is not None and getattr(made, name, None) is not it:
            raise TypeError(f"the {name} of {of.__name__} is no {type(it).__name__}")
    if paid:
        reference, price, currency = (utf8("paid", it) for it in (paid[0], amount_text("amount", paid[1]), paid[2]))
        known = (reference, _short(price), currency)
        vars(made)["_compare"] = partial(_why_not_paid, known)
    return made


def _why_not_paid(known: tuple[bytes, bytes, bytes], reference: bytes, amount: bytes, currency: bytes) -> str:
    """Stands for the library, which alone can decide whether its own replies are paid."""
    compared = zip(("reference", "amount", "currency"), known, (reference, _short(amount), currency))
    return next((f"the {name} differs" for name, its, wanted in compared if wanted not in (its, b"*")), "")


def _short(amount: bytes) -> bytes:
    return amount.rstrip(b"0").rstrip(b".") if b"." in amount else amount


try:
    import pytest
except ModuleNotFoundError:  # The rest serves unittest, too.
    pass
else:

    @pytest.fixture(scope="session")
    def _paysvc_sandboxes() -> Iterator[Callable[[str], Sandbox]]:
        """Starts a sandbox with these options, once."""
        with ExitStack() as running:

            @cache
            def start(options: str) -> Sandbox:
                try:
                    # A sandbox that prevents a second charge would hide that a program asks for one.
                    return running.enter_context(Sandbox("--seed", "1", "--pay-twice", *shlex.split(options)))
                except SandboxNotFound as error:
                    # A failure, not a skip: a skipped payment test is easily taken for one that passed.
                    pytest.fail(str(error), pytrace=False)

            yield start

    @pytest.fixture
    def paysvc_sandbox(request: pytest.FixtureRequest, _paysvc_sandboxes: Callable[[str], Sandbox]) -> Sandbox:
        """A sandbox without state of earlier tests, which executes a repeated request again: the ledger shows it.

        One process serves the whole test run. A test that needs other options of paysvc-sandbox gives them:

            @pytest.mark.parametrize("paysvc_sandbox", ["--tls --fee 6%"], indirect=True)
        """
        sandbox = _paysvc_sandboxes(getattr(request, "param", ""))
        sandbox.reset()
        return sandbox
