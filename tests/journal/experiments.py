"""The experiments: rules, events beside lost responses and late requests, senders, and violations.

An experiment that goes on "until found" ends with the first state in which all that it expects was violated.
"""

from typing import NamedTuple

from invariants import (
    CHARGED_BESIDE,
    CHARGED_TWICE,
    CONTRADICTED,
    FORGOTTEN,
    PART_REFUNDED,
    REFUNDED_TWICE,
    SENT_SETTLED,
    TWO_REQUESTS,
    UNSENT,
)
from rules import AUTHORIZATION, AUTHORIZATION_GIVEN, BEFORE, ORDER, PROPOSED, REFUNDS, TIMELESS, Rules
from states import FEATURES


class Experiment(NamedTuple):
    name: str
    about: str
    rules: Rules
    features: tuple
    # For each sender, its keys, and how often it may claim.
    senders: tuple
    expected: frozenset
    settlements: int = 0
    until_found: bool = False
    # Also in `make test`.
    quick: bool = False
    # Each state for itself.
    unmerged: bool = False


EXPERIMENTS = []
D, K, L, Z = (ORDER,), ("K1",), ("K2",), (ORDER, AUTHORIZATION)
R, T, P, Q, S = ((key,) for key in REFUNDS)
ZG = (ORDER, AUTHORIZATION, AUTHORIZATION_GIVEN)
DK, KL = (ORDER, "K1"), ("K1", "K2")
EVERY_ANSWER = "crash, pending, failover, 429, lag, fresh"


def tries(name, about, rules, features, *senders, finds=(), **more):
    features = tuple(features.split(", ")) if features else ()
    assert set(features) <= set(FEATURES), features
    EXPERIMENTS.append(Experiment(name, about, rules, features, senders, frozenset(finds), **more))


def finds_first(name, about, rules, features, *senders, finds, **more):
    tries(name, about, rules, features, *senders, finds=finds, until_found=True, **more)


TWICE, BESIDE = [CHARGED_TWICE], [CHARGED_BESIDE]

# --- The rules as they are ---

tries("one key", "two senders, every response", TIMELESS, EVERY_ANSWER, (D, 2), (D, 2))
tries(
    "one key, in time",
    "with until and five seconds, and no steps taken for one",
    PROPOSED, "crash, pending, 429, unmerged, fresh", (D, 2), (D, 1),
    quick=True,
)
tries("two keys", "the derived and a given one", TIMELESS, EVERY_ANSWER, (DK, 2), (K, 1))
tries(
    "given keys",
    "no steps taken for one",
    TIMELESS, "crash, pending, unmerged, fresh", (KL, 1), (DK, 1),
    quick=True,
)
tries("three senders", "one key", TIMELESS, "crash, pending, 429, fresh", (D, 2), (D, 1), (D, 1))
tries("three senders, three keys", "each its own", TIMELESS, "crash, pending, fresh", (D, 1), (K, 1), (L, 1))
tries("three senders, every response", "one key", TIMELESS, EVERY_ANSWER, (D, 1), (D, 1), (D, 1))
tries("authorizations", "of a charge", TIMELESS, "crash, pending, failover, 429, fresh", (Z, 2), (Z, 2))
tries(
    "authorizations, in time",
    "with until and five seconds",
    PROPOSED, "pending, fresh", (Z, 1), (Z, 1),
    quick=True,
)
tries(
    "given authorizations, in time",
    "some with keys of the caller's",
    PROPOSED, "crash, pending, 429, fresh", (ZG, 3),
    quick=True,
)
tries("given authorizations", "two senders", TIMELESS, "crash, pending, 429, fresh", (ZG, 2), (ZG, 1))
tries(
    "two keys, in time",
    "with until and five seconds",
    PROPOSED, "crash, pending, 429, fresh", (DK, 1), (K, 1),
    quick=True,
)
tries(
    "every end",
    "a settled charge with all ends that it had, no states taken for one",
    PROPOSED, "pending, fresh", (D, 1), (D, 1),
    settlements=1,
    finds=BESIDE,
    quick=True,
    unmerged=True,
)
tries("refund, in time", "with until and five seconds", PROPOSED, "crash, 429, fresh", (R, 2), (R, 1), quick=True)
tries("refund", "three senders with one key", TIMELESS, "crash, 429, late insert, fresh", (R, 2), (R, 1), (R, 1))
tries(
    "refunds of an order",
    "two of all, one of a part",
    PROPOSED, "crash, 429, fresh", (R, 2), (T, 1), (P, 1),
)
tries("parts of an order", "two of one amount, one of another", PROPOSED, "crash, 429, fresh", (P, 2), (Q, 1), (S, 1))
tries("full refunds", "with two keys", PROPOSED, "crash, 429, fresh", (R, 2), (T, 1), quick=True)
tries("full and part", "", PROPOSED, "crash, 429, fresh", (R, 2), (P, 1), quick=True)
tries("two parts", "of one amount", PROPOSED, "crash, 429, fresh", (P, 2), (Q, 1), quick=True)
tries("parts", "of two amounts", PROPOSED, "crash, fresh", (P, 1), (S, 1), quick=True)
tries("seen", "by readers in other boots", PROPOSED, "seen, pending, fresh", (K, 1), (L, 1), quick=True)
tries(
    "late inserts",
    "of two keys",
    TIMELESS, "late insert, crash, 429, fresh", (D, 2), (K, 1),
    quick=True,
)
settled = {"settlements": 1, "finds": BESIDE}
tries("settled", "by a person", PROPOSED, "crash, pending, lag, fresh", (D, 2), (D, 1), **settled)
tries(
    "settled, stopped",
    "between the check of five seconds and the first byte",
    PROPOSED, "crash, stopped, fresh", (D, 2), (D, 1),
    settlements=1,
    finds=[CHARGED_BESIDE, SENT_SETTLED],
    quick=True,
)
tries("settled, authorizations", "by a person", PROPOSED, "pending, fresh", (Z, 2), (Z, 1), **settled)
tries(
    "checkout",
    "the customer may pay there",
    PROPOSED, "checkout, crash, pending, lag, fresh", (D, 2), (D, 1),
    finds=BESIDE,
)
tries(
    "checkout, guarded",
    "not made beside a charge: fewer ways to the same",
    PROPOSED._replace(guarded_checkout=True), "checkout, crash, pending, fresh", (D, 2), (D, 1),
    finds=BESIDE,
)
tries(
    "backup",
    "restored while nothing is under way, of a reference made elsewhere",
    TIMELESS, "backup at rest, crash, pending, 429", (D, 2), (D, 1),
    finds=[CONTRADICTED],
)
tries("all at once", "and two keys", PROPOSED, "crash, pending, 429, lag, checkout, fresh", (D, 1), (K, 1), **settled)

# --- What they cannot prevent, as documented ---

finds_first("backup at any time", "", TIMELESS, "backup", (D, 1), (D, 1), finds=TWICE, quick=True)
finds_first(
    "backup, own reference",
    "made by this client, which did not see that a backup was restored",
    TIMELESS, "backup at rest, fresh", (D, 1), (D, 1),
    finds=TWICE,
    quick=True,
)
finds_first(
    "backup, refund",
    "nothing tells about an earlier one",
    TIMELESS, "backup at rest", (R, 1), (R, 1),
    finds=[TWO_REQUESTS, REFUNDED_TWICE],
    quick=True,
)
finds_first(
    "revived",
    "the service is paid for an entry that it called FAILED for good",
    TIMELESS, "pending, revived, fresh", (Z, 2), (Z, 1),
    finds=[CONTRADICTED],
    quick=True,
)

# --- Without one of the rules ---

without = PROPOSED._replace
finds_first(
    "without read back",
    "of all that was added: own row is the newest",
    without(read_back="newest row"), "fresh", (K, 1), (L, 1),
    finds=TWICE,
    quick=True,
)
finds_first(
    "without the table after 429",
    "it claims at the next number",
    without(table_after_429=False), "429, fresh", (D, 2), (D, 1),
    finds=TWICE,
    quick=True,
)
finds_first(
    "without own entry",
    "a later attempt is taken for refused because of an entry that was not seen before",
    without(one_of_several="not seen"), "lag, fresh", (D, 2), (D, 1),
    finds=TWICE,
)
finds_first(
    "without history",
    "it is asked for, and sent whatever it says",
    without(history="ignored"), "backup at rest", (D, 2), (D, 1),
    finds=TWICE,
    quick=True,
)
finds_first(
    "without history after NOT_SENT",
    "and after 429",
    without(history="after a refusal"), "backup at rest", (D, 2), (D, 1),
    finds=TWICE,
    quick=True,
)
finds_first(
    "without service first",
    "the journal was read before the status query",
    without(service_first=False), "checkout, fresh", (D, 2), (D, 1),
    finds=TWICE,
)
finds_first(
    "without the strongest end",
    "the last counts",
    without(ends="last"), "fresh", (D, 1), (D, 1),
    finds=[FORGOTTEN],
    quick=True,
)
finds_first(
    "without given authorization",
    "its key is sent again once it was confirmed",
    without(given_authorization=False), "pending, fresh", (ZG, 3),
    finds=[TWO_REQUESTS],
    quick=True,
)
finds_first(
    "without the order of refunds",
    "each key by itself",
    without(refunds_of_order=False), "fresh", (R, 1), (T, 1), (P, 1),
    finds=[REFUNDED_TWICE, PART_REFUNDED],
    quick=True,
)
finds_first(
    "without the number after",
    "NOT_SENT is given up if its number is taken",
    without(written_again=False), "seen, fresh", (K, 1), (L, 1),
    finds=[UNSENT],
    quick=True,
)
finds_first(
    "without fence",
    "no NOT_SENT at the number of a missing claim",
    without(fence=False), "late insert, fresh", (D, 1),
    finds=[UNSENT],
    quick=True,
)
tries(
    "without five seconds",
    "",
    without(five_seconds=False), "fresh", (D, 2), (D, 1),
    settlements=1,
    finds=[CHARGED_BESIDE, SENT_SETTLED],
    quick=True,
)
tries(
    "without until for a person",
    "who settles what is under way",
    without(settling="any time"), "fresh", (D, 2), (D, 1),
    settlements=1,
    finds=[CHARGED_BESIDE, SENT_SETTLED],
    quick=True,
)

# --- What could be left out ---

tries(
    "no until for a status query",
    "it may prove REJECTED, as long as the service calls no order final too early",
    without(held="anything"), "lag, pending, fresh", (D, 2), (D, 1),
)
tries(
    "no read back",
    "where only derived keys are used",
    TIMELESS._replace(read_back="nothing"), "crash, 429, pending, fresh", (D, 2), (D, 1),
)
tries(
    "one transaction",
    "checks and inserts, in place of reading back",
    TIMELESS._replace(read_back="transaction"), "crash, 429, fresh", (D, 1), (K, 1), (L, 1),
)
tries(
    "only attempt",
    "a status query proves REJECTED of no other",
    TIMELESS._replace(one_of_several="never"), EVERY_ANSWER, (D, 2), (D, 1),
)

# --- The first draft of the rules ---

tries("before: one key", "all answers complete", BEFORE, "crash, fresh", (D, 2), (D, 2), finds=[FORGOTTEN])
finds_first("before: two given keys", "", BEFORE, "fresh", (K, 1), (L, 1), finds=TWICE)
finds_first(
    "before: newest claim",
    "a derived and a given key",
    BEFORE._replace(read_back="newest claim"), "fresh", (D, 1), (L, 1),
    finds=TWICE,
)
finds_first("before: 429", "", BEFORE, "429, fresh", (D, 2), (D, 1), finds=TWICE)
finds_first("before: refund", "429", BEFORE, "429, fresh", (R, 2), (R, 1), finds=[TWO_REQUESTS, REFUNDED_TWICE])
finds_first("before: lag", "", BEFORE, "lag, fresh", (D, 2), (D, 1), finds=[CHARGED_TWICE, CONTRADICTED])
finds_first("before: settled", "rightly", BEFORE, "fresh", (D, 2), (D, 1), settlements=1, finds=TWICE)
finds_first("before: checkout", "made while it looks up", BEFORE, "checkout, fresh", (D, 1), (D, 1), finds=TWICE)
finds_first("before: settled and paid", "", BEFORE, "fresh", (D, 1), (D, 1), settlements=1, finds=BESIDE)
finds_first("before: backup", "while nothing is under way", BEFORE, "backup at rest", (D, 2), (D, 1), finds=TWICE)
finds_first("before: backup, own reference", "", BEFORE, "backup at rest, fresh", (D, 1), (D, 1), finds=TWICE)
finds_first("before: last end", "", BEFORE, "fresh", (D, 1), (D, 1), finds=[FORGOTTEN])
finds_first("before: no fence", "", BEFORE._replace(fence=False), "late insert, fresh", (D, 1), finds=[UNSENT])
