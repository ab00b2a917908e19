"""Collects payments at a till: by direct debit, virtual account and card, and makes a refund.

    python collect.py --sandbox   gets from the sandbox's admin interface what the customer and the bank would know
    python collect.py             asks you: for the one-time code that the customer gets by e-mail, and for the session
                                  identifier of an incoming transfer

It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
PAYSVC_ENCRYPTION_KEY, and one for every other setting, such as PAYSVC_CA_FILE.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TypeVar, cast

import paysvc
from paysvc import Outcome, State

R = TypeVar("R", bound=paysvc.Reply)

UNDER_WAY = (State.INITIATED, State.PENDING, State.AWAITING, State.PROCESSING)


@dataclass(frozen=True)
class Ordered:
    """What the customer ordered. A payment is compared with it before goods are handed over."""

    amount: Decimal
    currency: str
    reference: str

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} for {self.reference}"


class Till:
    def __init__(self, client: paysvc.Client, sandbox: bool) -> None:
        self.client, self.sandbox = client, sandbox
        self.failed = False

    def step(self, what: str, of: str, call: Callable[[], R], shown: Callable[[R], object]) -> str:
        """Like call(), and returns the value."""
        reply = self.call(what, of, call, shown)
        return str(shown(reply)) if reply else reply.message

    def call(self, what: str, of: str, call: Callable[[], R], shown: Callable[[R], object]) -> R:
        """Makes a call and prints a line: step, subject, one value of the response, outcome, time."""
        started = time.monotonic()
        try:
            reply, failure = call(), None
        except paysvc.PaysvcError as error:
            # The reply of an error has the class of the endpoint's replies.
            reply, failure = cast(R, error.reply), error
        took = round((time.monotonic() - started) * 1000)
        value = reply.message if failure else shown(reply)
        print(f"{what:<21} {of:<19} {value!s:<42.42} {reply.outcome.name:<9} {took:5} ms")
        if failure:
            print(f"{'':<21} {failure}")
            self.failed = True
        return reply

    def hand_over(self, reply: paysvc.Reply, ordered: Ordered) -> None:
        """Prints whether to hand over the goods: only if the payment is CONFIRMED and SUCCESSFUL, and as ordered."""
        why = reply.why_not_paid(ordered.reference, ordered.amount, ordered.currency)
        if not why:
            advice = f"paid: {ordered}; hand over the goods"
        elif reply.outcome == Outcome.CONFIRMED:  # If it is under way, a real till now waits with order_wait().
            advice = f"NOT PAID ({reply.state.name}): keep the goods: {why}"
            self.failed = self.failed or reply.state not in UNDER_WAY
        elif reply.outcome == Outcome.REJECTED:
            advice = "this request was not executed, but an earlier one may have been: see the message"
        elif reply.outcome == Outcome.NOT_SENT:
            advice = "nothing was sent: it may be repeated"
        else:
            advice = "it may have been charged: find out with resolve() before you charge again"
        print(f"{'':<21} {advice}")

    def learn(self, question: str, member: str, method: str, path: str, **body: object) -> str:
        """What the customer or the bank would know, from the sandbox or typed in by you."""
        if not self.sandbox:
            return input(f"{question}: ")
        try:
            reply = self.client.request(method=method, path=path, key="public", body=body or paysvc.OMIT)
        except paysvc.PaysvcError as error:  # A response of the admin interface has no field that means success.
            reply = error.reply
        return str(reply.body[member])

    def create_order(self, ordered: Ordered) -> None:
        """Creates the order with its price."""
        create = partial(
            self.client.order_create,
            order=paysvc.Order(
                amount=ordered.amount, reference=ordered.reference, description="rent", currency=ordered.currency
            ),
            customer=paysvc.Customer(
                firstname="Ada", lastname="Lovelace", mobile="+2348000000000", country="NG", email="ada@example.com"
            ),
            payment=paysvc.Payment(redirect_url="https://till.example/done"),
        )
        self.step("create the order", ordered.reference, create, created)

    def direct_debit(self, ordered: Ordered) -> None:
        client, order = self.client, ordered.reference
        history = partial(client.direct_debit_history, email_address="ada@example.com")
        self.step("mandate history", "ada@example.com", history, lambda reply: reply.answer.customer_name)
        create = partial(
            client.direct_debit_create,
            recurring_payment_id=1,
            order_reference=order,
            bank_name="Example Bank",
            account_number="0123456789",
            bank_code="044",
            address="1 Example Street",
        )
        mandate = self.step("create a mandate", order, create, lambda reply: reply.answer.mandate_code)
        check = partial(client.direct_debit_status, mandate_code=mandate)
        if not self.call("check the mandate", mandate, check, lambda reply: reply.message).is_active:
            print(f"{'':<21} the mandate is not active: debit it later")
            self.failed = True
            return
        send = partial(client.direct_debit_otp, mandate_code=mandate)
        self.step("send one-time code", mandate, send, lambda reply: reply.answer.data)
        otp = self.learn("one-time code from the customer's e-mail", "otp", "GET", f"/sandbox/otp/{mandate}")
        debit = paysvc.DirectDebitPaymentRequest(
            otp=otp, mandate_code=mandate, account_name="Ada Lovelace", bank_code="044"
        )
        pay = partial(client.order_pay, payment_option="NDD", reference=order, direct_debit_payment_request=debit)
        paid = self.call("pay", order, pay, charged)
        self.hand_over(paid, ordered)

    def virtual_account(self, alias: str) -> None:
        client, rent = self.client, Ordered(Decimal("2500.5"), "NGN", "FLAT-7")
        make = partial(client.virtual_account_generate, alias=alias, narration="Rent", reference=rent.reference)
        account = self.step("virtual account", alias, make, lambda reply: reply.answer.account_number)
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
        reply = self.call(
            "transaction details", "the transfer", details, lambda reply: reply.answer.total_amount_charged
        )
        self.hand_over(reply, rent)

    def refund(self, order: str) -> None:
        amount = Decimal("25.5")
        refund = partial(self.client.order_refund, reference=order, reason="one item returned", amount=amount)
        reply = self.call("refund in part", order, refund, lambda reply: reply.answer.amount_refunded)
        if reply.outcome == Outcome.CONFIRMED:
            # The library compares amount and order: others would not be CONFIRMED. No other call tells how it ends.
            advice = "accepted, not done yet: no endpoint tells how it ends, look at the dashboard"
            print(f"{'':<21} {'refunded' if reply.state == State.SUCCESSFUL else advice}")

    def card(self, ordered: Ordered) -> None:
        card = paysvc.Card(cardnumber="4111111111111111", expirymonth="01", expiryyear="39", cvv="193")
        order = ordered.reference
        create = partial(self.client.order_create, reference=order, payment_option="C", country="NG", card=card)
        charge = partial(create, order=paysvc.EXISTING_ORDER)  # It has its price since it was created.
        self.hand_over(self.call("card order", order, charge, lambda reply: reply.message), ordered)


def created(reply: paysvc.OrderCreateReply) -> object:
    return reply.answer.order and reply.answer.order.amount


def charged(reply: paysvc.OrderPayReply) -> object:
    return reply.answer.order_payment and reply.answer.order_payment.total_amount


def main() -> int:
    stamp = int(time.time())
    try:
        client = paysvc.Client.from_env()
        client.check()
    except paysvc.PaysvcError as error:
        print(error.message, file=sys.stderr)
        return 2
    with client:
        till = Till(client, sandbox="--sandbox" in sys.argv[1:])
        print(f"{'STEP':<21} {'FOR':<19} {'RESULT':<42} {'OUTCOME':<9} {'TIME':>8}")
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
