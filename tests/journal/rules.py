"""The journal's rules: how rows are understood, and what a call does with what it finds.

Each rule is a switch, so that an experiment can show what happens without it. PROPOSED is what the library does; BEFORE
is the first draft of these rules.

The model has one order. The keys of its requests: ORDER is the charge whose key is derived from the order, CHARGES also
has two charges with keys that the caller gave, "auth 0" and so on are authorizations of the history's entry with that
number, those of "auth 0 given" have a key that the caller gave, as have refunds: FULL_REFUNDS are of the whole order,
PARTS of the amount in their name. CHECKOUT is a hosted page on which the customer may pay the order.
"""

from typing import NamedTuple, Optional

ORDER = "order"
CHARGES = (ORDER, "K1", "K2")
AUTHORIZATION = "auth"
AUTHORIZATION_GIVEN = "auth given"
FULL_REFUNDS = ("refund R", "refund T")
PARTS = ("part 5 p", "part 5 q", "part 6 s")
REFUNDS = FULL_REFUNDS + PARTS
CHECKOUT = "checkout"

# The outcome in an end, and so the state of its claim. NO_END is that of a claim without ends.
NO_END = "no end"
UNKNOWN = "UNKNOWN"
IN_PROGRESS = "CONFIRMED, may change"
CONFIRMED = "CONFIRMED"
REJECTED = "REJECTED"
REJECTED_429 = "REJECTED by 429"
NOT_SENT = "NOT_SENT"
SETTLED = "settled as not done"

# The status of an attempt to pay, in the service's history.
PENDING = "PENDING"
PAID = "PAID"
FAILED = "FAILED"

REPLAY, WAIT, LOOK_UP, SEND, REFUSE = "Replay", "Wait", "LookUp", "Send", "Refuse"
# Asks for the history first, and sends unless it has: any attempt; a payment or an attempt in progress; a payment.
NO_ENTRY, NONE_IN_PROGRESS, NOT_PAID = "NoEntry", "NoneInProgress", "NotPaid"


class Rules(NamedTuple):
    """The rules that hold, and in quotes the other values that a switch may have."""

    # Which of a claim's ends decides: "strongest" or "last".
    ends: str = "strongest"
    # When a sender that reads back after its insert goes on: if "nothing else" was added to key and order since it read
    # the table; if its own is the "newest row", or the "newest claim", of the order; with "nothing", always. In a
    # "transaction" nothing is read back: the insert fails if anything was added to the order.
    read_back: str = "nothing else"
    # After a 429 the call goes back to the table. Without: it claims at the next number and sends.
    table_after_429: bool = True
    # When a status query may say REJECTED of one of several attempts: if the "own entry" is there, which its response
    # named; if there is an entry that was "not seen" when the claim's sender asked for the history; or "never".
    one_of_several: str = "own entry"
    # The history is asked for "always" unless the table decides; only "after a refusal"; or then, but "ignored".
    history: str = "always"
    # A status query first asks the service and then reads the journal. Without: the other way about.
    service_first: bool = True
    # A request that may no longer be sent five seconds after its claim.
    five_seconds: bool = True
    # Until its `until`, a claim without an end is waited for. Without: it may be looked up at once.
    until: bool = True
    # Which end of the sender ends `until`: "any", "none", or if it is "not UNKNOWN": then a request may be on its way.
    end_is_over: str = "not UNKNOWN"
    # While a claim's `until` is not over, a status query may prove "CONFIRMED" of it, or "anything".
    held: str = "CONFIRMED"
    # A refund is entered under its order: what others are decides whether it is sent. Without: its own key does.
    refunds_of_order: bool = True
    # A key of the caller's that has ended is answered before anything of its order is looked at.
    ended_key_first: bool = True
    # A key of the caller's with which an authorization was confirmed is answered, although a next step may follow: that
    # has another key. Without: it is sent again.
    given_authorization: bool = True
    # NOT_SENT is written at the number of a claim that is not there, so that a late insert fails.
    fence: bool = True
    # A NOT_SENT whose number is taken is written at the next one.
    written_again: bool = True
    # When a person may settle a claim: once it is "over", or at "any time".
    settling: str = "over"
    # No checkout is made beside a charge that is open or paid, and a charge beside a checkout asks for the history.
    guarded_checkout: bool = False


PROPOSED = Rules()
BEFORE = Rules(
    ends="last",
    read_back="newest row",
    table_after_429=False,
    one_of_several="not seen",
    history="ignored",
    service_first=False,
    end_is_over="none",
    ended_key_first=False,
)
# Neither five seconds nor `until`: allows all that can happen with them, and more.
TIMELESS = PROPOSED._replace(until=False, five_seconds=False)


class Claim(NamedTuple):
    """A row: a request is about to be sent."""

    key: str
    id: int
    # A bit for each entry of the history that its sender had seen; None if it had not asked.
    seen: Optional[int]


class End(NamedTuple):
    """A row: what became of a claim."""

    key: str
    id: int
    what: str


class Checkout(NamedTuple):
    """A row: a checkout was made."""

    key: Optional[str] = None
    id: int = -1


class Seen(NamedTuple):
    """A row: a reader in another boot has seen the claim. It decides nothing, and has a number."""

    key: str
    id: int


class Claimed(NamedTuple):
    """A claim and its ends, as a reader finds them."""

    key: str
    id: int
    seen: Optional[int]
    state: str
    is_open: bool
    ends: tuple


class Journal:
    """Rows as a reader understands them."""

    __slots__ = ("authorizations", "charges", "checkout", "claims", "count", "refunds", "sizes")

    def __init__(self, rows, rules):
        ends, sizes = {}, {}
        for row in rows:
            sizes[row.key] = sizes.get(row.key, 0) + 1
            if type(row) is End:
                ends.setdefault(row.id, []).append(row.what)
        self.sizes = sizes
        # Counts the rows that decide something.
        self.count = sum(type(row) is not Seen for row in rows)
        self.checkout = None in sizes
        self.claims = [claimed(row, tuple(ends.get(row.id, ())), rules) for row in rows if type(row) is Claim]
        self.charges = [claim for claim in self.claims if claim.key in CHARGES]
        self.authorizations = [claim for claim in self.claims if is_authorization(claim.key)]
        self.refunds = [claim for claim in self.claims if claim.key in REFUNDS]

    def size(self, key):
        return self.sizes.get(key, 0)


def is_authorization(key):
    return key.startswith(AUTHORIZATION)


def entry_of(key):
    """Number of the entry that an authorization is about."""
    return int(key.split()[1])


def authorization(of, entry):
    """Key of an authorization or a given one."""
    return of.replace(AUTHORIZATION, f"{AUTHORIZATION} {entry}")


def is_given(key):
    """The caller gave the key."""
    return key in ("K1", "K2", *REFUNDS) or key.endswith("given")


def may_be_one(one, other):
    """The second of two refunds may be the first, sent again with another key; or there is nothing left for it."""
    return one in FULL_REFUNDS or other in FULL_REFUNDS or one.split()[1] == other.split()[1]


def claimed(row, ends, rules):
    state = state_of(ends, rules)
    # An authorization that is confirmed may be followed by the next step: a PIN by a code.
    may_change = state == IN_PROGRESS and not is_authorization(row.key)
    return Claimed(row.key, row.id, row.seen, state, state in (NO_END, UNKNOWN) or may_change, ends)


def state_of(ends, rules):
    if not ends:
        return NO_END
    if CONFIRMED in ends:
        return CONFIRMED
    if rules.ends == "last":
        return ends[-1]
    for end in ends:
        if end in (REJECTED, REJECTED_429, NOT_SENT):
            return end
    said = [end for end in ends if end in (IN_PROGRESS, SETTLED)]
    return said[-1] if said else UNKNOWN


class Decision(NamedTuple):
    """The action of a call."""

    act: str
    # The claims that it looks up or waits for; for a replay, those of which any may be answered.
    ids: tuple = ()


def decide(rules, key, journal, over, fresh):
    """Decides the action of a call with this key, from what it finds.

    `over` is a bit for each claim whose `until` is over; `fresh`: this client made the order's reference since it
    opened the journal.
    """
    own = [claim for claim in journal.claims if claim.key == key]
    charges, authorizations = journal.charges, journal.authorizations
    authorizes = is_authorization(key)
    if key == CHECKOUT:
        payments = charges + authorizations
        return Decision(REFUSE if any(claim.is_open or claim.state == CONFIRMED for claim in payments) else SEND)
    ended = (REJECTED, SETTLED, IN_PROGRESS) if authorizes and rules.given_authorization else (REJECTED, SETTLED)
    has_ended = is_given(key) and own and own[-1].state in ended
    if has_ended and rules.ended_key_first:
        return Decision(REPLAY, (own[-1].id,))
    others = [refund for refund in journal.refunds if refund.key != key] if rules.refunds_of_order else []
    together, in_the_way = charges + authorizations, charges + authorizations
    if authorizes:
        # It completes a charge that is open, so only other authorizations are in its way.
        in_the_way = authorizations
    elif key in REFUNDS:
        both_full = [refund for refund in others if {key, refund.key} <= {*FULL_REFUNDS}]
        together, in_the_way = own + both_full, own + [refund for refund in others if may_be_one(key, refund.key)]
    confirmed = tuple(claim.id for claim in together if claim.state == CONFIRMED)
    if confirmed:
        return Decision(REPLAY, confirmed)
    unsure = [claim for claim in in_the_way if claim.is_open]
    if unsure:
        waits = rules.until and any(is_waited_for(claim, over) for claim in unsure)
        return Decision(WAIT if waits else LOOK_UP, tuple(claim.id for claim in unsure))
    if has_ended:
        return Decision(REPLAY, (own[-1].id,))
    if authorizes:
        return Decision(SEND if any(charge.is_open for charge in charges) else REFUSE)
    if key in REFUNDS:
        # Less of the amount is left, or nothing.
        has_less_left = any(
            refund.state == CONFIRMED and (key in FULL_REFUNDS) != (refund.key in FULL_REFUNDS) for refund in others
        )
        return Decision(REFUSE if has_less_left else SEND)
    return Decision(before_a_charge(rules, journal, fresh))


def is_waited_for(claim, over):
    """Its `until` is not over, and its sender has written no end; or only time decides what a status query proves."""
    return not over >> claim.id & 1 and (not claim.ends or claim.key not in PARTS)


def before_a_charge(rules, journal, fresh):
    """The question that a charge asks first, with nothing of its order open or paid."""
    charges, always = journal.charges, rules.history == "always"
    careful = NOT_PAID if any(charge.state == SETTLED for charge in charges) else NONE_IN_PROGRESS
    if rules.guarded_checkout and journal.checkout:
        return careful
    if not charges or (always and all(charge.state == NOT_SENT for charge in charges)):
        return SEND if fresh else NO_ENTRY
    return careful if always or charges[-1].state in (REJECTED, SETTLED) else SEND


def forbids(rules, question, history):
    """Returns whether a response to such a question forbids sending. The history has the status of each entry."""
    if question == NO_ENTRY:
        return bool(history)
    if rules.history == "ignored":
        return False
    return PAID in history or (question == NONE_IN_PROGRESS and PENDING in history)
