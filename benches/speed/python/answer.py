"""Typed answers of the Python binding: an answer, and some of its members. No network."""

from __future__ import annotations

import sys
from decimal import Decimal

import worker

import paysvc

text = (worker.FOLDER / f"{worker.MODE}.json").read_text().rstrip("\n")


def reply() -> paysvc.Reply:
    return paysvc.Reply(status=paysvc.Status.OK, outcome=paysvc.Outcome.CONFIRMED, text=text)


def payment() -> None:
    it = reply().answer_as(paysvc.OrderPayAnswer).data.order_payment
    if it.total_amount != Decimal("100.25") or it.currency != "NGN" or it.status_id != 5:
        sys.exit("another payment")


def history() -> None:
    it = reply().answer_as(paysvc.DirectDebitHistoryAnswer)
    mandates = it.direct_debit_mandates
    if it.customer_name != "Ada Lovelace" or mandates is None or mandates[491].direct_debit_id != 1491:
        sys.exit("another history")


worker.work({"payment": payment, "history": history}[worker.MODE])
