"""The same fields with json.loads, as a program without typed answers reads them."""

from __future__ import annotations

import json
import sys
from decimal import Decimal

import worker

text = (worker.FOLDER / f"{worker.MODE}.json").read_text().rstrip("\n")


def payment() -> None:
    it = json.loads(text, parse_float=Decimal)["data"]["orderPayment"]
    if it["totalAmount"] != Decimal("100.25") or it["currency"] != "NGN" or it["statusId"] != 5:
        sys.exit("another payment")


def history() -> None:
    it = json.loads(text, parse_float=Decimal)
    if it["customerName"] != "Ada Lovelace" or it["directDebitMandates"][499]["directDebitId"] != 500:
        sys.exit("another history")


worker.work({"payment": payment, "history": history}[worker.MODE])
