"""A till collects a payment: the whole interface of the payments service, step by step, from Python.

    python collect.py --sandbox   plays the customer and the bank through the sandbox's own calls
    python collect.py             asks you for what the customer gets by e-mail, and for a transfer's session

The configuration comes from PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import paysvc


class Till:
    def __init__(self, client: paysvc.Client, sandbox: bool) -> None:
        self.client, self.sandbox = client, sandbox
        self.failed = False

    def step(self, what: str, of: str, call: Callable[[], paysvc.Reply], *shown: str) -> Any:
        """One call, one line: what was asked, what came back, the outcome, how long it took."""
        started = time.monotonic()
        try:
            reply, trouble = call(), None
        except paysvc.PaysvcError as error:
            reply, trouble = error.reply, error
        took = round((time.monotonic() - started) * 1000)
        value = reply.message if trouble else within(reply.body, *shown)
        print(f"{what:<21} {of:<19} {value!s:<42.42} {reply.outcome.name:<9} {took:5} ms")
        if trouble:
            print(f"{'':<21} {trouble}")
            self.failed = True
        return value

    def learn(self, question: str, member: str, method: str, path: str, **body: object) -> str:
        """What a customer or a bank would tell us: asked of the sandbox, or of the person at the terminal."""
        if not self.sandbox:
            return input(f"{question}: ")
        reply = self.client.request(method=method, path=path, key="public", body=body or paysvc.OMIT)
        return str(reply[member])

    def direct_debit(self, order: str) -> None:
        client = self.client
        history = partial(client.direct_debit_history, email_address="ada@example.com")
        self.step("mandate history", "ada@example.com", history, "customerName")
        create = partial(
            client.direct_debit_create,
            recurring_payment_id=1,
            order_reference=order,
            bank_name="Example Bank",
            account_number="0123456789",
            bank_code="044",
            address="1 Example Street",
        )
        mandate = str(self.step("create a mandate", order, create, "data", "mandateCode"))
        check = partial(client.direct_debit_status, mandate_code=mandate)
        self.step("check the mandate", mandate, check, "message")
        self.step("send one-time code", mandate, partial(client.direct_debit_otp, mandate_code=mandate), "data")
        otp = self.learn("one-time code from the customer's e-mail", "otp", "GET", f"/sandbox/otp/{mandate}")
        debit = paysvc.DirectDebitPaymentRequest(
            otp=otp, mandate_code=mandate, account_name="Ada Lovelace", bank_code="044"
        )
        pay = partial(client.order_pay, payment_option="NDD", reference=order, direct_debit_payment_request=debit)
        self.step("pay", order, pay, "data", "orderPayment", "totalAmount")

    def virtual_account(self, alias: str) -> None:
        client = self.client
        make = partial(client.virtual_account_generate, alias=alias, narration="Rent", reference="FLAT-7")
        account = self.step("virtual account", alias, make, "accountNumber")
        session = self.learn(
            "session identifier of a transfer to that account",
            "sessionId",
            "POST",
            "/sandbox/fund",
            accountNumber=account,
            amount="2500.50",
            senderName="Grace Hopper",
        )
        details = partial(client.transaction_details, session_id=session)
        self.step("transaction details", "the transfer", details, "data", "totalAmountCharged")

    def refund(self, order: str) -> None:
        amount = Decimal("25.50")
        refund = partial(self.client.order_refund, reference=order, reason="one item returned", amount=amount)
        self.step("refund in part", order, refund, "data", "amount_refunded")

    def card(self, order: str) -> None:
        card = paysvc.Card(cardnumber="4111111111111111", expirymonth="01", expiryyear="39", cvv="193")
        charge = partial(self.client.order_create, reference=order, paymentoption="C", country="NG", card=card)
        self.step("card order", order, charge, "message")


def within(body: Any, *names: str) -> Any:
    for name in names:
        body = body[name]
    return body


def main() -> int:
    stamp = int(time.time())
    try:
        client = paysvc.Client.from_env()
    except paysvc.ConfigError as error:
        print(error.message, file=sys.stderr)
        return 2
    with client:
        till = Till(client, sandbox="--sandbox" in sys.argv[1:])
        print(f"{'ASKED':<21} {'OF':<19} {'CAME BACK':<42} {'OUTCOME':<9} {'TIME':>8}")
        till.direct_debit(f"ORDER-{stamp}")
        till.virtual_account(f"tenant-{stamp}")
        till.refund(f"ORDER-{stamp}")
        till.card(f"CARD-{stamp}")
    print(
        "\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n"
        "PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n"
        "without --sandbox. Test keys move no money."
    )
    return int(till.failed)


if __name__ == "__main__":
    sys.exit(main())
