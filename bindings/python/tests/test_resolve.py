"""The fate of a request: errors have the look-up for it, and resolve() asks."""

from __future__ import annotations

import asyncio
import json
import pickle
from decimal import Decimal
from typing import Any

import pytest
from helpers import CARD, REFUSED, card

import paysvc
from paysvc import Outcome, State, Status
from paysvc.sandbox import Sandbox

CREATE = "/payment/order/create"
PRICE = paysvc.Expect(amount=Decimal("25.50"), currency="NGN")


def lost(client: paysvc.Client, sandbox: Sandbox, reference: str, number: str = CARD["cardnumber"]) -> Any:
    sandbox.fault("commit_then_reset", CREATE)
    with pytest.raises(paysvc.OutcomeUnknown) as caught:
        client.order_create(
            reference=reference,
            payment_option="C",
            country="NG",
            card=card(number),
            order=paysvc.Order(reference=reference, amount=Decimal("25.50"), currency="NGN", description="tea"),
            customer=paysvc.Customer(email="ada@example.com"),
        )
    return caught.value


def test_references_are_new() -> None:
    made = {paysvc.reference_new("T7") for _ in range(9)}
    assert [(text[:3], len(text)) for text in made] == [("T7-", 29)] * 9
    assert len(paysvc.reference_new()) == 26
    wrong: Any
    for wrong in ("x" * 33, "é", "a\0b"):
        with pytest.raises(ValueError, match=r'a prefix has at most 32 letters, digits, "-", "_" and "\."; .* is none'):
            paysvc.reference_new(wrong)
    wrong = 7
    with pytest.raises(TypeError, match="prefix must be str, not int"):
        paysvc.reference_new(wrong)


def test_what_is_stored_before_a_request_resolves_it(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    order = {"reference": "R-1", "amount": Decimal("25.50"), "currency": "NGN"}
    stored = paysvc.look_up("order_create", {"reference": "R-1", "order": order, "card": CARD, "paymentoption": "C"})
    text = json.dumps(stored, default=str)
    assert CARD["cardnumber"] not in text
    assert CARD["cvv"] not in text
    assert "charged" not in stored
    lost(client, paysvc_sandbox, "R-1")
    reply = client.call("resolve", json.loads(text))
    assert reply.is_paid("R-1", "25.50", "NGN")
    wrong: Any = "order_creat"
    with pytest.raises(paysvc.PaysvcError, match="did you mean order_create"):
        paysvc.look_up(wrong, {})


def test_an_error_keeps_what_a_look_up_needs_and_no_card_data(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    error = lost(client, paysvc_sandbox, "R-1")
    assert (error.endpoint, error.attempts) == ("order_create", 1)
    order = {"reference": "R-1", "amount": "25.50", "currency": "NGN"}
    assert error.request == {"reference": "R-1", "paymentoption": "C", "order": order, "card": {}}
    kept = pickle.dumps(error)
    # The number of the call is random, and may have the same digits.
    shown = kept.replace(error.call_id.encode(), b"")
    for secret in (CARD["cardnumber"], CARD["cvv"], "ada@example.com"):
        assert secret.encode() not in shown
    again = pickle.loads(kept)
    assert (again.endpoint, again.request, again.attempts) == (error.endpoint, error.request, 1)
    assert type(again) is type(error)


def test_a_lost_answer_is_resolved(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    error = lost(client, paysvc_sandbox, "R-3")
    error.attempts = 2
    with pytest.raises(paysvc.OutcomeUnknown) as caught:
        client.resolve(error, expect={"amount": Decimal("25.51")})
    # The error is about the charge, and can be resolved in its turn.
    assert (caught.value.endpoint, caught.value.request) == (error.endpoint, error.request)
    assert (caught.value.attempts, caught.value.reply.attempts) == (2, 1)
    reply = client.resolve(caught.value, expect=PRICE)
    assert isinstance(reply, paysvc.OrderStatusReply)
    assert (reply.outcome, reply.state) == (Outcome.CONFIRMED, State.SUCCESSFUL)
    assert reply.answer.is_final_status
    assert reply.is_paid("R-3", Decimal("25.50"), "ngn")
    # After a restart, from what was stored; the rest of a request goes no further.
    again = client.resolve("order_create", request={**error.request, "card": CARD, "cvv": "1"})
    assert (again.outcome, again.state) == (Outcome.CONFIRMED, State.SUCCESSFUL)


def test_the_attempts_of_an_error_are_not_taken_for_those_of_all(
    client: paysvc.Client, paysvc_sandbox: Sandbox
) -> None:
    error = lost(client, paysvc_sandbox, "R-5", REFUSED)
    with pytest.raises(paysvc.OutcomeUnknown):
        client.resolve(error)
    with pytest.raises(paysvc.Rejected) as caught:
        client.resolve(error, attempts=error.attempts)
    assert (caught.value.outcome, caught.value.status) == (Outcome.REJECTED, Status.REJECTED)


def test_what_cannot_be_asked_is_unknown_and_never_not_sent(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    error = lost(client, paysvc_sandbox, "R-6")
    for about, request in ((error, {"reference": ""}), ("no_such_endpoint", {"reference": "R"})):
        with pytest.raises(paysvc.OutcomeUnknown) as caught:
            client.resolve(about, request=request)
        assert caught.value.outcome == Outcome.UNKNOWN
    wrong: Any = ValueError("x")
    with pytest.raises(TypeError, match="PaysvcError"):
        client.resolve(wrong)


async def test_a_task_resolves_and_one_that_waits_too_long_learns_nothing(paysvc_sandbox: Sandbox) -> None:
    with paysvc.Client(**paysvc_sandbox.config) as client:
        error = lost(client, paysvc_sandbox, "R-7")

    async with paysvc.AsyncClient(**paysvc_sandbox.config, max_concurrency=1) as client:
        reply = await client.resolve(error, expect=PRICE)
        assert (reply.outcome, reply.state) == (Outcome.CONFIRMED, State.SUCCESSFUL)
        paysvc_sandbox.fault("slow_headers", "/payment/order/status", delay_ms=1500)
        first = asyncio.ensure_future(client.order_status(reference="R-7"))
        await asyncio.sleep(0)
        with pytest.raises(paysvc.OutcomeUnknown) as caught:
            await client.resolve(error, timeout=0.2)
        assert "threads of this client" in caught.value.message
        assert caught.value.request == error.request
        await first


def test_only_an_order_that_is_known_to_have_no_charge_may_be_sent_again(
    client: paysvc.Client, paysvc_sandbox: Sandbox
) -> None:
    order = {"reference": "R-9", "amount": "25.50", "currency": "NGN"}
    for request, charged in (({"order": order}, False), ({"order": order, "cardToken": "t"}, True)):
        paysvc_sandbox.fault("status_500", CREATE)
        with pytest.raises(paysvc.OutcomeUnknown) as caught:
            client.call("order_create", request)
        error = pickle.loads(pickle.dumps(caught.value))
        assert error.charged == charged
        with pytest.raises(paysvc.Unresolved) as still:
            client.resolve(error)
        assert ("may be sent again" in still.value.message) == (not charged), still.value.message
        assert still.value.charged == charged


def test_what_is_compared_with_an_order_is_text(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    reply = client.resolve(lost(client, paysvc_sandbox, "R-10"))
    assert reply.is_paid("R-10", "25.5", "NGN")
    assert "another order" in reply.why_not_paid("R-11", "25.50", "NGN")
    assert "amount" in reply.why_not_paid("R-10", "25", "NGN")
    assert "currency" in reply.why_not_paid("R-10", "25.50", "USD")
    for text in ("R-10\0", "R-10\ud800"):
        assert "not UTF-8" in reply.why_not_paid(text, "25.50", "NGN")
    wrong: Any
    for wrong, why in ((25.5, "amount: a float is"), (25, "amount: an int is"), (None, "amount must be str")):
        with pytest.raises(TypeError, match=why):
            reply.is_paid("R-10", wrong, "NGN")
