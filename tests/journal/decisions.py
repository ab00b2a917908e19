"""The table's decisions in the states that a walk meets, for the comparison with the library's own table.

A line is a JSON object. `rows`, by key and in the order in which they were written, are each a key, the claim, and
"claim" or what an end of it says, or "checkout". `over` are the claims whose `until` is over. `decisions` has for each
key, and for a reference that is fresh and one that is not, what the call does, and which claims it looks up or may
replay.
"""

import json

from rules import (
    CHECKOUT,
    LOOK_UP,
    PROPOSED,
    REPLAY,
    Checkout,
    Claim,
    End,
    Seen,
    authorization,
    decide,
    is_authorization,
)

# Switches that are not the table's.
OTHERS = (
    "read_back",
    "table_after_429",
    "one_of_several",
    "service_first",
    "five_seconds",
    "until",
    "end_is_over",
    "held",
    "settling",
    "fence",
    "written_again",
)


class Decisions:
    def __init__(self):
        self.lines = set()
        self.met = set()

    def meet(self, world, state):
        """A state, before it is merged: the journal has all ends."""
        same = {name: getattr(PROPOSED, name) for name in OTHERS}
        if world.rules._replace(**same) != PROPOSED:
            return
        journal = world.journal(state.rows)
        unsure = [claim.id for claim in journal.claims if claim.is_open]
        over = tuple(claim for claim in unsure if not world.rules.until or state.over >> claim & 1)
        keys = {CHECKOUT}.union(claim.key for claim in journal.claims)
        for key in {key for sender in world.first.senders for key in sender.keys}:
            if is_authorization(key):
                keys.update(authorization(key, at) for at in range(len(state.entries)))
            else:
                keys.add(key)
        at = (state.rows, over, frozenset(keys))
        if at not in self.met:
            self.met.add(at)
            self.lines.add(line(PROPOSED, journal, state.rows, over, sorted(keys)))

    def write(self, path):
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{text}\n" for text in sorted(self.lines))


def line(rules, journal, rows, over, keys):
    """Claims are numbered as they are met, so that equal journals have equal lines."""
    rows = sorted((row for row in rows if type(row) is not Seen), key=lambda row: row.key or "")
    numbers = {}
    for row in rows:
        if type(row) is Claim:
            numbers[row.id] = len(numbers)
    told = []
    for row in rows:
        if type(row) is Checkout:
            told.append([CHECKOUT, 0, "checkout"])
        # After a backup an end may be there without its claim.
        else:
            number = numbers.setdefault(row.id, len(numbers))
            told.append([row.key, number, row.what if type(row) is End else "claim"])
    bits = sum(1 << claim for claim in over)
    decisions = []
    for key in keys:
        for fresh in (False, True):
            decision = decide(rules, key, journal, bits, fresh)
            ids = decision.ids if decision.act in (LOOK_UP, REPLAY) else ()
            decisions.append([key, fresh, decision.act, sorted(numbers[claim] for claim in ids)])
    about = {"rows": told, "over": sorted(numbers[claim] for claim in over), "decisions": decisions}
    return json.dumps(about, separators=(",", ":"))
