"""Pays the recipients of a list, and continues where an earlier run ended, whatever ended it.

    python payouts.py LIST JOURNAL         pays who was not paid yet
    python payouts.py --new LIST JOURNAL   makes JOURNAL first if there is no such file

LIST is a file with a JSON array: the recipients of payout_bulk(). JOURNAL is the file of the setting journal, for all
lists: it remembers each clientReference, so nobody is paid twice, also by two processes at once. Keep it: with an empty
one the whole list is paid again. A list that names somebody whom another list has paid is refused: give payout_bulk()
continue_=True if it goes on with that one. Status 0: all were accepted. 1: some were not, run it again. 2: UNKNOWN ones
are left, ask a person. 3: it could not run, see the message.

Otherwise it is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
PAYSVC_ENCRYPTION_KEY.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import paysvc


def print_step(done: int, total: int, step: Mapping[str, Any]) -> int:
    print(f"{done} of {total}", flush=True)
    return paysvc.CONTINUE


def pay(client: paysvc.Client, payouts: list[dict[str, Any]]) -> int:
    try:
        reply: paysvc.Reply = client.payout_bulk(payouts, progress=print_step)
    except paysvc.PaysvcError as error:
        reply = error.reply
    print(reply.message)
    # A request that was refused as a whole has no report.
    if not isinstance(reply, paysvc.PayoutBulkReply) or reply.answer.payouts is None:
        return 3
    for payout in reply.answer.payouts:
        if payout.outcome != "ACCEPTED":
            print(payout.outcome, payout.client_reference)
    return 2 if reply.answer.unknown else 0 if reply.status == paysvc.Status.OK else 1


def main() -> int:
    is_new = sys.argv[1:2] == ["--new"]
    if len(sys.argv) != (4 if is_new else 3):
        print("give [--new], the file of the list and the file of the journal", file=sys.stderr)
        return 3
    try:
        with open(sys.argv[-2], encoding="utf-8") as file:
            payouts = json.load(file, parse_float=str, parse_int=str)
        with paysvc.Client(journal=sys.argv[-1], journal_create=is_new) as client:
            return pay(client, payouts)
    except (OSError, ValueError, paysvc.PaysvcError) as error:
        print(error, file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
