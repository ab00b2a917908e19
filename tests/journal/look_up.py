"""The proof of a status query about open claims: the journal's entries about them, beside the service's history."""

from typing import NamedTuple, Optional

from rules import (
    CHARGES,
    CONFIRMED,
    FAILED,
    FULL_REFUNDS,
    IN_PROGRESS,
    NOT_SENT,
    PAID,
    PENDING,
    REFUNDS,
    REJECTED,
    End,
    entry_of,
    is_authorization,
)


class Premise(NamedTuple):
    """The journal's part in the proof of a status query about an open claim."""

    key: str
    id: int
    # No other attempt was begun and not ended as NOT_SENT.
    is_only_attempt: bool
    seen: Optional[int]
    # The claim's own answer named its entry.
    named: bool
    # Nobody else can pay the order.
    is_alone: bool
    # Its `until` was over before the service was asked.
    is_over: bool


def premises(rules, ids, journal, over):
    found = []
    for claim in journal.claims:
        # A claim that was open when it was looked up may have been closed meanwhile.
        if claim.id in ids and (claim.is_open or not rules.service_first):
            charges = claim.key in CHARGES
            attempts = journal.charges if charges else [other for other in journal.claims if other.key == claim.key]
            begun = sum(attempt.state != NOT_SENT for attempt in attempts)
            named = IN_PROGRESS in claim.ends
            is_over = not rules.until or bool(over >> claim.id & 1)
            found.append(Premise(claim.key, claim.id, begun == 1, claim.seen, named, not journal.checkout, is_over))
    return tuple(found)


def conclude(rules, known, entries):
    """The ends that a status query proves, from the journal's premises about each claim and the service's history."""
    ends = []
    history = [(number, entry) for number, entry in enumerate(entries) if entry.shown and not entry.refund]
    statuses = [entry.status for _, entry in history]
    for premise in known:
        what = None
        if premise.key in REFUNDS:
            is_refunded = premise.key in FULL_REFUNDS and any(entry.refund in FULL_REFUNDS for entry in entries)
            what = CONFIRMED if is_refunded else None
        elif is_authorization(premise.key):
            entry = entries[entry_of(premise.key)]
            if entry.status == PAID and entry.shown:
                what = CONFIRMED
            elif entry.status == FAILED and PENDING not in statuses:
                what = REJECTED
        elif PAID in statuses:
            what = CONFIRMED
        elif statuses and PENDING not in statuses and premise.is_alone and is_refused(rules, premise, history):
            what = REJECTED
        if what and (what == CONFIRMED or premise.is_over or rules.held == "anything"):
            ends.append(End(premise.key, premise.id, what))
    return tuple(ends)


def is_refused(rules, premise, history):
    """Returns whether a charge was refused, if all entries have failed."""
    if premise.is_only_attempt:
        return True
    if rules.one_of_several == "not seen":
        return premise.seen is not None and any(not premise.seen >> number & 1 for number, _ in history)
    if rules.one_of_several == "own entry":
        return premise.named and any(entry.claim == premise.id for _, entry in history)
    return False
