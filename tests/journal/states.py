"""The states of the model: the journal, the service and the senders at one moment.

Time is two bits for each claim: `stale`, five seconds have passed and its request was not sent; and `over`, its `until`
has passed. Either may happen at any moment, so clocks that differ are covered.
"""

from typing import NamedTuple, Optional

from rules import Claim

# Further events, beside lost responses and requests that are executed late or never.
FEATURES = {
    "crash": "a sender is killed, and starts again without what it had in memory",
    "pending": "the service answers that a charge is in progress, and it is paid or fails later",
    "failover": "a charge that one gateway declines is tried with another: one request, two entries",
    "429": "a request is refused with 429",
    "lag": "an entry appears in the history some time after the response",
    "revived": "an entry that has failed is paid by an authorization",
    "late insert": "an insert whose response was lost arrives later",
    "stopped": "a sender stands still between its check of the five seconds and the first byte",
    "checkout": "a hosted checkout of the order is made, and the customer tries to pay on it",
    "backup": "an older backup of the journal is restored, at any time",
    "backup at rest": "the same, while no call and no request is under way",
    "fresh": "the reference was made by this client since it opened the journal",
    "seen": "readers in other boots mark claims, and so take numbers of their keys",
    "unmerged": "steps of a sender that could be taken for one are not",
}

# Where a sender is.
IDLE = "between calls"
ASKING = "about to ask for the history"
INSERTING = "about to insert a claim"
READING_BACK = "about to read back its claim"
SENDING = "about to write the first byte"
WAITING = "waiting for the response"
REPEATING = "about to claim again after 429, without the table"
LOOKING_UP = "about to look up"
READING = "about to read the journal after the status query"
WRITING = "about to write what the status query proved"
WITHDRAWING = "about to write NOT_SENT"


class Sender(NamedTuple):
    """A program that makes one call after the other, each with one of its keys."""

    keys: tuple
    at: str
    # The number of claims that it may still make.
    claims_left: int
    # Its memory: a Plan, an Own, a claim as (key, id) and perhaps a number of rows, or a status query's.
    memory: tuple = ()


class Plan(NamedTuple):
    """A claim that is to be inserted: rows of its key and of the journal, as they were read."""

    key: str
    key_rows: int
    rows: int
    seen: Optional[int]
    question: str


class Own(NamedTuple):
    """A claim that was inserted: rows of its key and of the journal, as they were before."""

    key: str
    id: int
    key_rows: int
    rows: int


class Request(NamedTuple):
    """A request of which at least a byte was written."""

    id: int
    key: str
    # IN_TRANSIT, DONE or REFUSED: with 429.
    place: str
    # The response that its sender will read, if it waits.
    answer: str = ""


IN_TRANSIT, DONE, REFUSED = "in transit", "done", "refused"


class Entry(NamedTuple):
    """An attempt to pay, or a refund, in the service's history."""

    # The request's claim, or ON_CHECKOUT.
    claim: int
    status: str
    # The history has it already.
    shown: bool = True
    # The key of a refund.
    refund: str = ""


ON_CHECKOUT = -1


class Late(NamedTuple):
    """An insert that is still under way, and how many rows its key must have."""

    claim: Claim
    key_rows: int


class State(NamedTuple):
    rows: tuple
    next_claim: int
    over: int
    stale: int
    requests: tuple
    entries: tuple
    senders: tuple
    # Claims that a person has settled, and how many may still be settled.
    settled: int
    settlements: int
    backups: int
    checkouts: int
    late: tuple


class Step(NamedTuple):
    to: State
    sender: Optional[int]
    # A text with gaps, and what fills them.
    what: str
    about: tuple


def replaced(items, at, by):
    return (*items[:at], by, *items[at + 1 :])
