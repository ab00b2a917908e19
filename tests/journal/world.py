"""All that can happen around one order: what senders do, and the service, the customer, a person, time and a backup.

A request may be executed at any time after its first byte, or never.
"""

from rules import (
    CHECKOUT,
    CONFIRMED,
    FAILED,
    IN_PROGRESS,
    PAID,
    PENDING,
    REFUNDS,
    REJECTED,
    REJECTED_429,
    SEND,
    SETTLED,
    UNKNOWN,
    Checkout,
    End,
    Seen,
    decide,
    entry_of,
    is_authorization,
)
from senders import Senders
from states import (
    DONE,
    IDLE,
    IN_TRANSIT,
    ON_CHECKOUT,
    READING_BACK,
    REFUSED,
    SENDING,
    WAITING,
    Entry,
    Request,
    replaced,
)


class World(Senders):
    def steps(self, state):
        """The steps that may happen next."""
        self.state, self.found = state, []
        self.now = self.journal(state.rows)
        self.history = [(at, entry) for at, entry in enumerate(state.entries) if entry.shown and not entry.refund]
        for sender in enumerate(state.senders):
            self.at[sender[1].at](sender)
        waiting = {sender.memory[1] for sender in state.senders if sender.at == WAITING}
        for at, request in enumerate(state.requests):
            if request.place == IN_TRANSIT:
                self.execute(at, request, request.id in waiting)
        self.settle_entries()
        self.pass_time()
        self.check_out()
        self.restore_and_arrive()
        return self.found

    def execute(self, at, request, waits):
        entries = self.state.entries

        def answers(what, answer, entries=entries, place=DONE):
            after = Request(request.id, request.key, place, answer if waits else "")
            requests = replaced(self.state.requests, at, after)
            self.happens("the service executes claim {}: " + what, request.id, requests=requests, entries=entries)

        def made(*statuses, shown=True):
            return entries + tuple(Entry(request.id, status, shown) for status in statuses)

        if "429" in self.features:
            answers("429", REJECTED_429, place=REFUSED)
        if request.key in REFUNDS:
            answers("refunded", CONFIRMED, (*entries, Entry(request.id, PAID, refund=request.key)))
            answers("refused", REJECTED)
        elif is_authorization(request.key):
            number = entry_of(request.key)
            entry = entries[number]
            paid = replaced(entries, number, entry._replace(status=PAID))
            if entry.status == PENDING:
                answers("paid", CONFIRMED, paid)
                answers("declined for good", REJECTED, replaced(entries, number, entry._replace(status=FAILED)))
                answers("a wrong code, which may be given again", REJECTED)
                answers("accepted, and a further step is needed", IN_PROGRESS)
            elif entry.status == FAILED and "revived" in self.features:
                answers("paid, although it had failed", CONFIRMED, paid)
            else:
                answers("there is nothing to authorize", UNKNOWN)
        else:
            answers("paid", CONFIRMED, made(PAID))
            answers("declined", REJECTED, made(FAILED))
            if "pending" in self.features:
                answers("in progress", IN_PROGRESS, made(PENDING))
            if "failover" in self.features:
                answers("declined, then paid by another gateway", CONFIRMED, made(FAILED, PAID))
                answers("declined by two gateways", REJECTED, made(FAILED, FAILED))
            if "lag" in self.features:
                answers("declined, but its entry comes late", REJECTED, made(FAILED, shown=False))
                late = Entry(request.id, FAILED, False)
                answers("declined, and a second entry comes late", REJECTED, (*made(FAILED), late))

    def settle_entries(self):
        entries = self.state.entries
        for at, entry in enumerate(entries):
            if not entry.shown:
                shown = replaced(entries, at, entry._replace(shown=True))
                self.happens("entry {} appears in the history", at, entries=shown)
            if entry.status == PENDING:
                paid = replaced(entries, at, entry._replace(status=PAID))
                failed = replaced(entries, at, entry._replace(status=FAILED))
                self.happens("entry {} is paid", at, entries=paid)
                self.happens("entry {} fails", at, entries=failed)
                if "failover" in self.features:
                    second = (*failed, Entry(entry.claim, PAID))
                    self.happens("entry {} fails, and another gateway is paid", at, entries=second)

    def check_out(self):
        if "checkout" not in self.features:
            return
        decision = decide(self.rules, CHECKOUT, self.now, self.state.over, False)
        if self.state.checkouts == 0 and (decision.act == SEND or not self.rules.guarded_checkout):
            self.happens("a checkout is written, then made", rows=self.adding(Checkout()), checkouts=1)
        elif self.state.checkouts == 1:
            for status in (PAID, FAILED):
                entries = (*self.state.entries, Entry(ON_CHECKOUT, status))
                self.happens("the customer tries to pay on the checkout: {}", status, entries=entries, checkouts=2)

    def pass_time(self):
        state, unsent = self.state, 0
        for sender in state.senders:
            if sender.at in (READING_BACK, SENDING):
                unsent |= 1 << sender.memory[1]
        for claim in self.now.claims:
            bit = 1 << claim.id
            if not claim.is_open:
                continue
            if self.rules.until and not state.over & bit:
                changes = {"over": state.over | bit, "stale": state.stale | bit & unsent}
                self.happens("until of claim {} is over", claim.id, **changes)
            if "seen" in self.features and not any(
                type(row) is Seen and row.id == claim.id for row in state.rows
            ):
                self.happens("a reader marks claim {} as seen", claim.id, rows=self.adding(Seen(claim.key, claim.id)))
            may_be_settled = state.over & bit or not self.rules.until or self.rules.settling == "any time"
            if state.settlements and may_be_settled:
                changes = {"settled": state.settled | bit, "settlements": state.settlements - 1}
                rows = self.adding(End(claim.key, claim.id, SETTLED))
                self.happens("a person settles claim {} as not done", claim.id, rows=rows, **changes)
        if self.rules.five_seconds:
            for claim in range(state.next_claim):
                if unsent >> claim & 1 and not state.stale >> claim & 1:
                    self.happens("five seconds pass since claim {}", claim, stale=state.stale | 1 << claim)

    def restore_and_arrive(self):
        state = self.state
        at_rest = all(sender.at == IDLE for sender in state.senders) and all(
            request.place != IN_TRANSIT for request in state.requests
        )
        if state.backups and (at_rest or "backup" in self.features):
            for length in range(len(state.rows)):
                what = "a backup is restored: {} rows are gone"
                self.happens(what, len(state.rows) - length, rows=state.rows[:length], backups=0)
        for at, late in enumerate(state.late):
            if self.now.size(late.claim.key) == late.key_rows:
                rest = state.late[:at] + state.late[at + 1 :]
                self.happens("the insert of claim {} arrives", late.claim.id, rows=self.adding(late.claim), late=rest)
