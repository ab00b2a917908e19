"""Tests of paysvc.testing, which is for the tests of programs that use the package."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from typing import Any

import pytest
from helpers import output_of, refunds_made

import paysvc
from paysvc import Outcome, State, Status
from paysvc.sandbox import Sandbox
from paysvc.testing import error_of, reply


def test_what_is_left_out_of_a_reply_is_unknown() -> None:
    made = reply()
    assert (type(made), bool(made), made.status, made.outcome, made.state) == (
        paysvc.Reply, False, Status.TIMEOUT, Outcome.UNKNOWN, State.NONE
    )  # fmt: skip
    assert isinstance(error_of(made, "order_refund"), paysvc.OutcomeUnknown)
    kinds: list[dict[str, Any]] = [
        {"status": Status.REJECTED}, {"state": State.SUCCESSFUL}, {"http_status": 200}, {"body": {"a": "b"}}
    ]  # fmt: skip
    for known in kinds:
        other = reply(**known)
        assert (other.outcome, other.is_paid("*", "*", "*")) == (Outcome.UNKNOWN, False), known
        assert isinstance(error_of(other), paysvc.OutcomeUnknown)
    assert not reply(outcome="CONFIRMED", state="SUCCESSFUL").is_paid("*", "*", "*")


def test_a_program_meets_the_error_that_a_call_would_raise() -> None:
    for outcome, kind in (("NOT_SENT", paysvc.TransportError), ("REJECTED", paysvc.Rejected)):
        made = reply(paysvc.OrderRefundReply, outcome=outcome, message="so it is", code="40", attempts=2)
        error = error_of(made, "order_refund", {"reference": "R"})
        assert isinstance(error, kind)
        assert not isinstance(error, paysvc.OutcomeUnknown)
        assert (error.outcome, error.outcome.name, error.code, error.attempts) == (outcome, outcome, "40", 2)
        assert (error.endpoint, error.request) == ("order_refund", {"reference": "R"})
        assert made.body == {"status": False, "message": "so it is", "data": {}}
        assert (made.answer, made.unreadable) == (paysvc.OrderRefundAnswer(), ())


def test_an_answer_is_given_as_plain_data() -> None:
    answer = paysvc.OrderStatusAnswer(order_summary=paysvc.OrderStatusAnswerOrderSummary(fee=Decimal("0.38")))
    made = reply(paysvc.OrderStatusReply, paid=("T7-1", "25.50", "NGN"), answer=answer, unreadable=("/data/x",))
    for same in (made, pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert (same.answer, same.unreadable) == (answer, ("/data/x",))
    assert error_of(reply(answer=answer)).answer is answer
    event = reply(paysvc.WebhookVerifyReply, webhook=paysvc.WebhookVerifyResult(authentic=True), answer=answer)
    assert (event.webhook.authentic, event.answer) == (True, answer)
    mistakes: list[dict[str, Any]] = [{"answer": answer}, {"webhook": event.webhook}]
    for wrong in mistakes:
        with pytest.raises(TypeError, match="of OrderRefundReply is no "):
            reply(paysvc.OrderRefundReply, **wrong)


def test_a_paid_reply_is_paid_as_ordered_alone() -> None:
    made = reply(paysvc.OrderStatusReply, paid=("T7-1", "25.50", "NGN"), body='{"data":{"fee":0.38}}')
    assert (bool(made), made.outcome, made.state) == (True, Outcome.CONFIRMED, State.SUCCESSFUL)
    assert str(made.body["data"]["fee"]) == "0.38"
    for asked in (("T7-1", "25.5", "NGN"), ("*", "25.500", "*"), ("T7-1", "*", "NGN")):
        assert made.is_paid(*asked), asked
    for asked in (("T7-2", "25.50", "NGN"), ("T7-1", "25.05", "NGN"), ("T7-1", "255", "NGN"), ("T7-1", "25.50", "USD")):
        assert not made.is_paid(*asked), asked
    assert made.why_not_paid("T7-1", "much", "NGN") == "the amount differs"
    # As one of the library.
    assert not pickle.loads(pickle.dumps(made)).is_paid("T7-1", "25.50", "NGN")
    amount: Any = 25.5
    with pytest.raises(TypeError, match="a float is not exact"):
        reply(paid=("T7-1", amount, "NGN"))


@pytest.mark.parametrize(
    "known",
    [
        {"status": Status.OK, "outcome": Outcome.UNKNOWN},
        {"status": Status.OK},
        {"status": Status.OK, "outcome": Outcome.REJECTED},
        {"outcome": "SENT"},
        *({"paid": ("R", "1", "NGN"), **other} for other in ({"outcome": "UNKNOWN"}, {"state": "PENDING"})),
        {"paid": ("R", "1", "NGN"), "status": "TIMEOUT"},
    ],
)
def test_a_reply_that_no_call_gives_is_refused(known: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"no call ends|is paid is|not a valid Outcome"):
        reply(**known)


def test_replies_are_made_without_pytest() -> None:
    program = "import sys; sys.modules['pytest'] = None; from paysvc import testing; print(testing.reply().outcome)"
    assert output_of(program) == "UNKNOWN\n"


@pytest.mark.parametrize("paysvc_sandbox", ["--tls --fee 6%"], indirect=True)
def test_a_test_names_the_options_of_its_sandbox_which_shows_what_was_done_twice(
    client: paysvc.Client, paysvc_sandbox: Sandbox
) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R", "amount": "100", "paid": True})
    summary = client.order_status(reference="R").answer.order_summary
    assert summary is not None
    assert summary.fee == 6
    assert paysvc_sandbox.config["base_url"].startswith("https:")
    for _ in range(2):
        client.order_refund(reference="R", amount="20")
    assert refunds_made(paysvc_sandbox) == 2
