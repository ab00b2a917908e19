"""A client for `paysvc-sandbox certify`: does the task that is in its environment, and reports its conclusion.

    paysvc-sandbox certify -- python certify.py
"""

from __future__ import annotations

import json
import os
import urllib.request
from decimal import Decimal

import paysvc
from paysvc import Outcome, State

TASK, REFERENCE, AMOUNT, CURRENCY, CARD, RESULT_URL = (
    os.environ[f"CERTIFY_{name}"] for name in ("TASK", "REFERENCE", "AMOUNT", "CURRENCY", "CARD", "RESULT_URL")
)


def concluded(reply: paysvc.Reply) -> bool | str:
    """Paid only if the state, the amount and the currency match; not paid only if the request had no effect."""
    if not reply.why_not_paid(REFERENCE, AMOUNT, CURRENCY):
        return True
    return False if reply.outcome in (Outcome.NOT_SENT, Outcome.REJECTED) else "unknown"


def look_up(client: paysvc.Client) -> bool | str:
    """An order that is not paid may still be paid by another attempt."""
    try:
        reply = client.order_verify(reference=REFERENCE)
    except paysvc.PaysvcError:
        return "unknown"
    return concluded(reply)


def charge(client: paysvc.Client) -> bool | str:
    try:
        reply = client.order_create(
            reference=REFERENCE,
            payment_option="C",
            country="NG",
            card=paysvc.Card(cardnumber=CARD, expirymonth="01", expiryyear="39", cvv="193"),
            order=paysvc.Order(reference=REFERENCE, amount=Decimal(AMOUNT), currency=CURRENCY, description="tea"),
            timeout=5,
        )
    except paysvc.OutcomeUnknown:
        return look_up(client)
    except paysvc.PaysvcError as error:
        return concluded(error.reply)
    return concluded(reply) if reply.state == State.SUCCESSFUL else look_up(client)


def refund(client: paysvc.Client) -> bool | str:
    paid = look_up(client)
    client.order_refund(reference=REFERENCE)
    return paid


def wait(client: paysvc.Client) -> bool | str:
    try:
        return concluded(client.order_wait(REFERENCE, timeout=3))
    except paysvc.PaysvcError:
        return "unknown"


def main() -> None:
    # A webhook is a hint: its content decides nothing.
    tasks = {"charge": charge, "refund": refund, "check": look_up, "webhook": look_up, "wait": wait}
    with paysvc.Client.from_env() as client:
        paid = tasks[TASK](client)
    body = json.dumps({"reference": REFERENCE, "paid": paid}).encode()
    urllib.request.urlopen(urllib.request.Request(RESULT_URL, body), timeout=60).close()


if __name__ == "__main__":
    main()
