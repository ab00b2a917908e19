"""Violations that must never happen, and claims that stay open for ever, which is documented."""

from look_up import conclude, premises
from rules import (
    CHARGES,
    CONFIRMED,
    FAILED,
    FULL_REFUNDS,
    NOT_SENT,
    PAID,
    PARTS,
    PENDING,
    REFUNDS,
    REJECTED,
    REJECTED_429,
    entry_of,
    is_authorization,
    is_given,
)
from states import IDLE, IN_TRANSIT, REFUSED

TWO_REQUESTS = "two requests for one key of the caller's"
CHARGED_TWICE = "charged twice"
REFUNDED_TWICE = "refunded twice"
PART_REFUNDED = "a part refunded after the whole"
CONTRADICTED = "executed, but the journal says that it was not, or nothing"
FORGOTTEN = "open for ever, although an end had said what became of it"
UNSENT = "open for ever, although its sender knew that nothing was sent"
# A person, or the customer on a checkout, had a part in these.
CHARGED_BESIDE = "charged twice, once by a request that a person had settled or on a checkout"
SENT_SETTLED = "sent after a person had settled it"
INVARIANTS = (
    TWO_REQUESTS,
    CHARGED_TWICE,
    REFUNDED_TWICE,
    PART_REFUNDED,
    CONTRADICTED,
    FORGOTTEN,
    UNSENT,
    CHARGED_BESIDE,
    SENT_SETTLED,
)


def violated(world, state):
    """Invariants that do not hold, and words for the claims that stay open."""
    journal, found = world.journal(state.rows), []
    settled = state.settled

    def by_itself(claim):
        return claim >= 0 and not settled >> claim & 1

    paid = [entry.claim for entry in state.entries if entry.status == PAID and not entry.refund]
    if sum(map(by_itself, paid)) > 1:
        found.append(CHARGED_TWICE)
    elif len(paid) > 1:
        found.append(CHARGED_BESIDE)
    refunds = [entry.refund for entry in state.entries if entry.refund and by_itself(entry.claim)]
    full = [at for at, key in enumerate(refunds) if key in FULL_REFUNDS]
    if len(full) > 1:
        found.append(REFUNDED_TWICE)
    elif full and any(key in PARTS for key in refunds[full[0] :]):
        found.append(PART_REFUNDED)
    sent = [request.key for request in state.requests if request.place != REFUSED and by_itself(request.id)]
    if any(sent.count(key) > 1 and is_given(key) for key in sent):
        found.append(TWO_REQUESTS)
    if all(sender.at == IDLE for sender in state.senders):
        states = {claim.id: claim.state for claim in journal.claims}
        for entry in state.entries:
            says = states.get(entry.claim)
            if entry.status == PAID and by_itself(entry.claim) and says in (None, NOT_SENT, REJECTED, REJECTED_429):
                found.append(CONTRADICTED)
        if all(entry.shown and entry.status != PENDING for entry in state.entries) and not state.late:
            found += stays_open(world, state, journal)
    return found


def stays_open(world, state, journal):
    """Judges a state in which only requests in transit may be left, and may be lost for ever."""
    unsure = tuple(claim.id for claim in journal.claims if claim.is_open)
    if not unsure:
        return
    proved = conclude(world.rules, premises(world.rules, unsure, journal, -1), state.entries)
    proved = {end.id for end in proved}
    for claim in journal.claims:
        if claim.is_open and claim.id not in proved:
            request = next((request for request in state.requests if request.id == claim.id), None)
            yield why_open(world, state, journal, claim, request)


def why_open(world, state, journal, claim, request):
    if any(end in (REJECTED, NOT_SENT, REJECTED_429, CONFIRMED) for end in claim.ends):
        return FORGOTTEN
    if claim.key in REFUNDS and request is not None:
        return "a refund without a response"
    if request is None:
        knew = not world.features & {"crash", "backup", "backup at rest"}
        return UNSENT if knew else "its sender was killed before it was sent, or its end is lost"
    if request.place == IN_TRANSIT:
        return "sent, and never executed"
    if is_authorization(claim.key):
        has_failed = state.entries[entry_of(claim.key)].status == FAILED
        return "an authorization of an attempt that " + ("failed" if has_failed else "is paid or in progress")
    if journal.checkout:
        return "beside a checkout"
    if all(entry.claim != claim.id for entry in state.entries):
        return "refused with 429, and the response lost"
    begun = sum(other.key in CHARGES and other.state != NOT_SENT for other in journal.claims)
    return "declined, and the response lost, " + ("one of several attempts" if begun > 1 else "the only attempt")
