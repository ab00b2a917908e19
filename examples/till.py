"""A till that may be killed at any moment: it charges an order, and an order is charged once.

    python till.py ORDER

Start it again with the same order after a crash. Status 0: paid. 1: not charged, see what it says. 2: nobody knows yet
whether it is paid, start it again later. 3: it could not run, see the error.

It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_ENCRYPTION_KEY, and
PAYSVC_JOURNAL, the journal's file. PAYSVC_JOURNAL_CREATE=true makes the file, once.
"""

from __future__ import annotations

import sys
from decimal import Decimal

import paysvc

PRICE = Decimal("25.50")


def look_up_what_is_open(client: paysvc.Client) -> None:
    """Finds out what became of the requests of earlier runs. If the journal cannot be read, it raises."""
    for key, reply in client.journal_next():
        print(f"{key}: {reply.outcome}: {reply.message}")


def charge(client: paysvc.Client, order: str) -> paysvc.Reply:
    """Nothing but the journal is kept for it: the key of a charge is its order."""
    return client.order_create(
        reference=order,
        payment_option="C",
        country="NG",
        card=paysvc.Card(cardnumber="4111111111111111", expirymonth="01", expiryyear="39", cvv="193"),
        order=paysvc.Order(reference=order, amount=PRICE, currency="NGN", description="tea"),
        customer=paysvc.Customer(
            firstname="Ada", lastname="Lovelace", mobile="+2348000000000", country="NG", email="ada@example.com"
        ),
    )


def sell(client: paysvc.Client, order: str) -> int:
    """Prints what became of the charge; gives the status of the program."""
    try:
        reply = charge(client, order)
    except paysvc.OutcomeUnknown as error:
        print("UNKNOWN, do not charge it in any other way:", error.message)
        return 2
    except paysvc.PaysvcError as error:  # NOT_SENT or REJECTED: start it again, perhaps with another card
        print(f"{error.outcome.name}: {error.message}")
        return 1
    why_not = reply.why_not_paid(order, PRICE, "NGN")
    if why_not:
        print("charged, but not known to be paid:", why_not)
        return 2
    print("paid, by an earlier run" if reply.replayed else "paid")
    return 0


def main() -> int:
    if len(sys.argv) != 2:
        print("give the reference of the order", file=sys.stderr)
        return 3
    try:
        client = paysvc.Client.from_env()
        look_up_what_is_open(client)
    except paysvc.PaysvcError as error:
        print(error.message, file=sys.stderr)
        return 3
    with client:
        return sell(client, sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
