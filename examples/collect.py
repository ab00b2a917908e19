"""A till collects a payment: the whole interface of the payments service, step by step, from Python.

    python collect.py --sandbox   plays the customer and the bank through the sandbox's own calls
    python collect.py             asks you for what the customer gets by e-mail, and for a transfer's session

The configuration comes from PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import paysvc
from paysvc import Outcome, State

UNDER_WAY = (State.INITIATED, State.PENDING, State.AWAITING, State.PROCESSING)


@dataclass(frozen=True)
class Ordered:
    """What the customer ordered: a payment is compared with it before goods are handed over."""

    amount: Decimal
    currency: str
    reference: str

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} for {self.reference}"

    def is_what_was_paid(self, total: object, fee: object, currency: object, reference: object) -> bool:
        """What the customer is charged may include the fee. Decimals alone: 100.1 is 100.10."""
        if (currency, reference) != (self.currency, self.reference) or not isinstance(total, (Decimal, int)):
            return False
        return total == self.amount or (isinstance(fee, (Decimal, int)) and total == self.amount + fee)


class Till:
    def __init__(self, client: paysvc.Client, sandbox: bool) -> None:
        self.client, self.sandbox = client, sandbox
        self.failed = False

    def step(self, what: str, of: str, call: Callable[[], paysvc.Reply], *shown: str) -> Any:
        """One call, one line; the value that is shown."""
        reply = self.call(what, of, call, *shown)
        return within(reply.body, *shown) if reply else reply.message

    def call(self, what: str, of: str, call: Callable[[], paysvc.Reply], *shown: str) -> paysvc.Reply:
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
        return reply

    def hand_over(self, reply: paysvc.Reply, ordered: Ordered, paid_as_ordered: bool) -> None:
        """May the goods be handed over? Only for a payment that is CONFIRMED and SUCCESSFUL, and is the one ordered."""
        if reply.outcome == Outcome.CONFIRMED and reply.state == State.SUCCESSFUL and paid_as_ordered:
            told = f"paid: {ordered}; hand over the goods"
        elif reply.outcome == Outcome.CONFIRMED and reply.state == State.SUCCESSFUL:
            told = f"PAID, BUT NOT AS ORDERED ({ordered}): keep the goods, and ask a person"
            self.failed = True
        elif reply.outcome == Outcome.CONFIRMED and reply.state in UNDER_WAY:
            # A till asks the service for the order's state until it is final; client.request() sends what has no
            # method of its own yet.
            told = f"not paid yet ({reply.state.name}): keep the goods, and ask for the state of {ordered.reference}"
        elif reply.outcome == Outcome.CONFIRMED:
            told = f"NOT PAID ({reply.state.name}): keep the goods"
            self.failed = True
        elif reply.outcome == Outcome.REJECTED:  # An order that is refused as "already paid" has been paid.
            told = "this request was not executed, which says nothing of an earlier one: see the message"
        elif reply.outcome == Outcome.NOT_SENT:
            told = "nothing was sent: it may be repeated"
        else:
            told = f"it may have been charged: ask for the state of {ordered.reference} before you charge again"
        print(f"{'':<21} {told}")

    def paid(self, reply: paysvc.Reply, ordered: Ordered) -> None:
        """The answer to a payment. It names no reference of ours: it is the one to our own request."""
        payment = within(reply.body, "data", "orderPayment") or {}
        total, fee, currency = (payment.get(name) for name in ("totalAmount", "fee", "currency"))
        self.hand_over(reply, ordered, ordered.is_what_was_paid(total, fee, currency, ordered.reference))

    def learn(self, question: str, member: str, method: str, path: str, **body: object) -> str:
        """What a customer or a bank would tell us: asked of the sandbox, or of the person at the terminal."""
        if not self.sandbox:
            return input(f"{question}: ")
        try:
            reply = self.client.request(method=method, path=path, key="public", body=body or paysvc.OMIT)
        except paysvc.PaysvcError as error:  # The sandbox's own answers do not say success as the service's do.
            reply = error.reply
        return str(reply[member])

    def create_order(self, ordered: Ordered) -> None:
        """Makes the order known, with its price: what is charged later is compared with it."""
        members = {
            "customer": {
                "firstname": "Ada",
                "lastname": "Lovelace",
                "mobile": "+2348000000000",
                "country": "NG",
                "email": "ada@example.com",
            },
            "order": {
                "amount": ordered.amount,
                "reference": ordered.reference,
                "description": "rent",
                "currency": ordered.currency,
            },
            "payment": {"RedirectUrl": "https://till.example/done"},
        }
        create = partial(self.client.order_create, members=members)
        self.step("create the order", ordered.reference, create, "data", "order", "amount")

    def direct_debit(self, ordered: Ordered) -> None:
        client, order = self.client, ordered.reference
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
        self.paid(self.call("pay", order, pay, "data", "orderPayment", "totalAmount"), ordered)

    def virtual_account(self, alias: str) -> None:
        client, rent = self.client, Ordered(Decimal("2500.5"), "NGN", "FLAT-7")
        make = partial(client.virtual_account_generate, alias=alias, narration="Rent", reference=rent.reference)
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
        reply = self.call("transaction details", "the transfer", details, "data", "totalAmountCharged")
        transfer = within(reply.body, "data") or {}
        names = ("totalAmountCharged", "fee", "currencyName", "accountReference")
        self.hand_over(reply, rent, rent.is_what_was_paid(*(transfer.get(name) for name in names)))

    def refund(self, order: str) -> None:
        amount = Decimal("25.5")
        refund = partial(self.client.order_refund, reference=order, reason="one item returned", amount=amount)
        reply = self.call("refund in part", order, refund, "data", "amount_refunded")
        if reply.outcome == Outcome.CONFIRMED:
            made = reply["data"]
            if made.get("reference") != order or Decimal(str(made.get("amount_refunded"))) != amount:
                told, self.failed = "NOT THE REFUND THAT WAS ASKED FOR: ask a person", True
            else:
                done = reply.state == State.SUCCESSFUL
                told = "refunded" if done else "accepted, not done yet: ask for its state"
            print(f"{'':<21} {told}")

    def card(self, ordered: Ordered) -> None:
        card = paysvc.Card(cardnumber="4111111111111111", expirymonth="01", expiryyear="39", cvv="193")
        order = ordered.reference
        charge = partial(self.client.order_create, reference=order, payment_option="C", country="NG", card=card)
        self.paid(self.call("card order", order, charge, "message"), ordered)


def within(body: Any, *names: str) -> Any:
    """A value within an answer; None where there is none."""
    for name in names:
        body = body.get(name) if isinstance(body, dict) else None
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
        rent = Ordered(Decimal("98000.00"), "NGN", f"ORDER-{stamp}")
        meal = Ordered(Decimal("620.1"), "NGN", f"CARD-{stamp}")
        till.create_order(rent)
        till.direct_debit(rent)
        till.virtual_account(f"tenant-{stamp}")
        till.refund(rent.reference)
        till.create_order(meal)
        till.card(meal)
    print(
        "\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n"
        "PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n"
        "without --sandbox. Test keys move no money."
    )
    return int(till.failed)


if __name__ == "__main__":
    sys.exit(main())
