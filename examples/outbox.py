"""Pays salaries that are rows of the program's own table in PostgreSQL, each once: an outbox.

    python outbox.py setup            makes the tables
    python outbox.py add KEY PAYOUT   commits a salary to pay: an element of payoutDetails of payout_initiate, as JSON
    python outbox.py work             pays what is open; several workers may run at once

The row is committed first, in the program's own transaction, with its key. A worker then calls the library with the
row's key, as often as it needs to, and writes the outcome into the row. The library's journal is a table in the same
database, on connections of its own: whatever is killed in between, a key is paid once.

Status 0: no row is open. 2: rows are open: run the worker again. A row that stays UNKNOWN needs a person, who asks
the service and then calls journal_settle(). 3: it could not run, see the error.

DATABASE has psycopg's connection string, and PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
PAYSVC_ENCRYPTION_KEY configure the client.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from decimal import Decimal
from typing import Any

import psycopg

import paysvc
import paysvc.postgres

TABLE = "CREATE TABLE outbox (key text PRIMARY KEY, payout text NOT NULL, outcome text, message text)"


def connect() -> psycopg.Connection[Any]:
    return psycopg.connect(os.environ["DATABASE"])


def add(key: str, payout: str) -> None:
    # The transaction of the program: what else belongs to this salary is written here too.
    with connect() as own:
        own.execute("INSERT INTO outbox (key, payout) VALUES (%s, %s)", (key, payout))


def pay(client: paysvc.Client, key: str, payout: str) -> paysvc.Reply:
    try:
        return client.payout_initiate(payout_details=[json.loads(payout, parse_float=Decimal)], idempotency_key=key)
    except paysvc.PaysvcError as error:
        return error.reply


def work() -> int:
    status = 0
    with closing(paysvc.postgres.Store(connect)) as store, paysvc.Client(store=store) as client, connect() as own:
        # No transaction, and so no lock, is held while a request is under way.
        own.autocommit = True
        rows = own.execute("SELECT key, payout FROM outbox WHERE outcome IS NULL ORDER BY key").fetchall()
        for key, payout in rows:
            reply = pay(client, key, payout)
            print(key, reply.outcome.name, reply.message, flush=True)
            if reply.outcome not in (paysvc.Outcome.CONFIRMED, paysvc.Outcome.REJECTED):
                # NOT_SENT, or UNKNOWN: it may have been paid. The row stays open, and never gets a new key.
                status = 2
                continue
            # REJECTED is the final result of this key: another attempt is another row.
            update = "UPDATE outbox SET outcome = %s, message = %s WHERE key = %s"
            own.execute(update, (reply.outcome.name, reply.message, key))
    return status


def main() -> int:
    try:
        if sys.argv[1:] == ["setup"]:
            with connect() as own:
                own.execute(TABLE)
                own.execute(paysvc.postgres.TABLE)
            return 0
        if sys.argv[1:] == ["work"]:
            return work()
        if sys.argv[1:2] == ["add"] and len(sys.argv) == 4:
            add(*sys.argv[2:])
            return 0
        print("give setup, add with a key and a payout, or work", file=sys.stderr)
    except (KeyError, TypeError, ValueError, psycopg.Error, paysvc.PaysvcError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main())
