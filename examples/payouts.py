"""Pays the recipients of a list, and goes on where an earlier run of it ended, whatever ended it.

    python payouts.py --new LIST JOURNAL   begins: JOURNAL must not exist
    python payouts.py LIST JOURNAL         goes on: JOURNAL must exist

LIST is a file with a JSON array: the recipients of payout_bulk(). JOURNAL is a file that this program writes: one line
for each step. Without it nobody would know after a crash who was paid, so keep it, and name it again to go on. A new
journal for a list that was begun with another one pays the whole list again. Status 0: all were accepted. 1: some were
not, run it again. 2: UNKNOWN ones are left, ask a person. 3: it could not run, see the error.

It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
PAYSVC_ENCRYPTION_KEY. It is for POSIX, as examples/payouts.c, and the journals of both are alike.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import paysvc


class Journal:
    """A file of this process alone, with one line for each step of a list."""

    def __init__(self, name: str, is_new: bool) -> None:
        self.file = os.open(name, os.O_RDWR | (os.O_CREAT | os.O_EXCL if is_new else 0), 0o600)
        # It ends with the process.
        fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        text = b""
        while part := os.read(self.file, 1 << 20):
            text += part
        # A last line that was being written when the process died, or the power failed, is cut off: otherwise the next
        # line would continue it.
        whole = text[: text.rfind(b"\n") + 1]
        os.ftruncate(self.file, len(whole))
        os.fsync(self.file)
        directory = os.open(os.path.dirname(os.path.abspath(name)), os.O_RDONLY)
        os.fsync(directory)
        os.close(directory)
        os.lseek(self.file, 0, os.SEEK_END)
        self.size = len(whole)
        self.failed = False
        self.steps: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]

    def write(self, done: int, total: int, step: Mapping[str, Any]) -> int:
        """Writes a step down before the call goes on. If that fails, no further batch is sent."""
        print(f"{done} of {total}", flush=True)
        if self.failed:
            return 0
        line = json.dumps(step).encode() + b"\n"
        try:
            left = line
            while left:
                left = left[os.write(self.file, left) :]
            os.fsync(self.file)
        except OSError:
            # Nothing may follow a line that is not whole. If this fails too, the next run cuts it off.
            self.failed = True
            os.ftruncate(self.file, self.size)
            raise
        self.size += len(line)
        return paysvc.CONTINUE


def pay(client: paysvc.Client, payouts: list[dict[str, Any]], journal: Journal) -> int:
    try:
        reply: paysvc.Reply = client.payout_bulk(payouts, earlier=journal.steps, progress=journal.write)
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
        with paysvc.Client() as client:
            return pay(client, payouts, Journal(sys.argv[-1], is_new))
    except (OSError, ValueError, paysvc.PaysvcError) as error:
        print(error, file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
