"""The steps of senders: each makes one call after the other, by the rules of the journal, and may be killed."""

from look_up import conclude, premises
from rules import (
    LOOK_UP,
    NO_ENTRY,
    NONE_IN_PROGRESS,
    NOT_PAID,
    NOT_SENT,
    REJECTED_429,
    SEND,
    SETTLED,
    UNKNOWN,
    WAIT,
    Claim,
    End,
    Journal,
    authorization,
    decide,
    forbids,
    is_authorization,
)
from states import (
    ASKING,
    IDLE,
    IN_TRANSIT,
    INSERTING,
    LOOKING_UP,
    READING,
    READING_BACK,
    REPEATING,
    SENDING,
    WAITING,
    WITHDRAWING,
    WRITING,
    Late,
    Own,
    Plan,
    Request,
    Sender,
    State,
    Step,
    replaced,
)

SENDS_SETTLED = "writes the first byte of claim {}, although it was settled"
PROVES = "writes what the status query proved: {}"
PROVES_NOTHING = "writes nothing, because the status query proved nothing"


class Senders:
    def __init__(self, rules, features, senders, settlements):
        """`senders`: the keys of each, and how often it may claim."""
        self.rules, self.features, self.journals = rules, features, {}
        keys = {key for keys, _ in senders for key in keys}
        # A claim of the only key there is fails if anything was written since its reading, so that both are one step.
        self.insert_at_once = len(keys) == 1 and not features & {"checkout", "unmerged"}
        begin = tuple(Sender(keys, IDLE, claims) for keys, claims in senders)
        backups = int(bool(features & {"backup", "backup at rest"}))
        self.first = State((), 0, 0, 0, (), (), begin, 0, settlements, backups, 0, ())
        self.at = {
            IDLE: self.call,
            ASKING: lambda sender: self.ask(*sender, sender[1].memory),
            INSERTING: self.insert,
            READING_BACK: self.read_back,
            SENDING: self.send,
            WAITING: self.wait,
            REPEATING: self.repeat,
            LOOKING_UP: self.look_up,
            READING: self.read_after,
            WITHDRAWING: self.withdraw,
            WRITING: lambda sender: self.write(sender, sender[1].memory),
        }

    def journal(self, rows):
        journal = self.journals.get(rows)
        if journal is None:
            journal = self.journals[rows] = Journal(rows, self.rules)
        return journal

    def happens(self, what, *about, **changes):
        self.found.append(Step(self.state._replace(**changes), None, what, about))

    def does(self, sender, at, memory, what, *about, spends=0, **changes):
        number, before = sender
        after = Sender(before.keys, at, before.claims_left - spends, memory)
        senders = replaced(self.state.senders, number, after)
        self.found.append(Step(self.state._replace(senders=senders, **changes), number, what, about))

    def adding(self, *rows):
        return self.state.rows + rows

    def keys_of(self, sender):
        """An authorization is about an entry that a request of this journal made."""
        for key in sender.keys:
            if not is_authorization(key):
                yield key
            elif sender.claims_left:
                for at, entry in enumerate(self.state.entries):
                    if entry.shown and entry.claim >= 0:
                        yield authorization(key, at)

    def call(self, sender):
        merged = "unmerged" not in self.features
        for key in self.keys_of(sender[1]):
            decision = decide(self.rules, key, self.now, self.state.over, "fresh" in self.features)
            if decision.act in (LOOK_UP, WAIT):
                ids, over = decision.ids, sum(1 << claim for claim in decision.ids if self.state.over >> claim & 1)
                if not self.rules.service_first:
                    known = premises(self.rules, ids, self.now, over)
                    self.does(sender, LOOKING_UP, (ids, over, known), "finds {} open", ids)
                elif merged:
                    self.does(sender, READING, (ids, over, self.state.entries), "looks up claims {}", ids)
                else:
                    self.does(sender, LOOKING_UP, (ids, over, ()), "finds {} open", ids)
            elif sender[1].claims_left and decision.act in (SEND, NO_ENTRY, NONE_IN_PROGRESS, NOT_PAID):
                asks = decision.act != SEND
                plan = Plan(key, self.now.size(key), self.now.count, None, decision.act)
                if not self.insert_at_once:
                    what = "reads the journal for key {}: {}"
                    self.does(sender, ASKING if asks else INSERTING, plan, what, key, decision.act)
                elif asks:
                    self.ask(*sender, plan)
                else:
                    self.claim(sender, plan)

    def ask(self, number, sender, plan):
        history = [entry.status for _, entry in self.history]
        sender = (number, sender)
        if forbids(self.rules, plan.question, history):
            self.does(sender, IDLE, (), "asks for the history, {}, and does not send", history)
        else:
            seen = sum(1 << at for at, _ in self.history)
            plan = plan._replace(seen=seen, question=SEND)
            self.does(sender, INSERTING, plan, "asks for the history, {}, and may send", history)

    def insert(self, sender):
        plan = sender[1].memory
        taken = self.now.size(plan.key) != plan.key_rows
        if taken or (self.rules.read_back == "transaction" and self.now.count != plan.rows):
            self.does(sender, IDLE, (), "cannot insert its claim, and begins again")
        else:
            self.claim(sender, plan)

    def claim(self, sender, plan):
        claim = Claim(plan.key, self.state.next_claim, plan.seen)
        own = Own(plan.key, claim.id, plan.key_rows, plan.rows)
        changes = {"next_claim": claim.id + 1, "spends": 1}
        what = "inserts claim {} with key {}"
        self.does(sender, READING_BACK, own, what, claim.id, plan.key, rows=self.adding(claim), **changes)
        if "late insert" in self.features:
            late = (*self.state.late, Late(claim, plan.key_rows))
            what = "inserts claim {} with key {}, and gets no response: it is still under way"
            self.does(sender, READING_BACK, own, what, claim.id, plan.key, late=late, **changes)

    def read_back(self, sender):
        own = sender[1].memory
        not_sent = End(own.key, own.id, NOT_SENT)
        if not any(claim.id == own.id for claim in self.now.claims):
            if not self.rules.fence:
                self.does(sender, IDLE, (), "does not find claim {}, writes nothing", own.id)
            elif self.now.size(own.key) == own.key_rows:
                what = "does not find claim {}, and writes NOT_SENT at its number"
                self.does(sender, IDLE, (), what, own.id, rows=self.adding(not_sent))
            else:
                self.does(sender, IDLE, (), "does not find claim {}: another row has its number", own.id)
        elif self.may_go_on(own):
            self.does(sender, SENDING, (own.key, own.id), "reads claim {} back", own.id)
        else:
            self.ends_unsent(sender, own.key, own.id, "reads claim {} back, and more that is new")
        if "crash" in self.features:
            self.does(sender, IDLE, (), "is killed before claim {} is sent", own.id)

    def may_go_on(self, own):
        """Returns whether nothing came between the reading of the table and the claim, which is there."""
        how = self.rules.read_back
        if how in ("nothing", "transaction"):
            return True
        if how == "nothing else":
            return self.now.count == own.rows + 1
        newest = [row for row in self.state.rows if type(row) is Claim or how == "newest row"]
        return type(newest[-1]) is Claim and newest[-1].id == own.id

    def ends_unsent(self, sender, key, claim, why):
        """Its number may be taken before it is written, if others mark claims."""
        if "seen" in self.features:
            self.does(sender, WITHDRAWING, (key, claim, self.now.size(key)), why, claim)
        else:
            rows = self.adding(End(key, claim, NOT_SENT))
            self.does(sender, IDLE, (), why + ": writes NOT_SENT", claim, rows=rows)

    def withdraw(self, sender):
        key, claim, size = sender[1].memory
        if self.now.size(key) == size:
            rows = self.adding(End(key, claim, NOT_SENT))
            self.does(sender, IDLE, (), "writes NOT_SENT of claim {}", claim, rows=rows)
        elif self.rules.written_again:
            memory = (key, claim, self.now.size(key))
            self.does(sender, WITHDRAWING, memory, "finds the number of NOT_SENT of claim {} taken: reads again", claim)
        else:
            self.does(sender, IDLE, (), "finds the number of NOT_SENT of claim {} taken", claim)

    def send(self, sender):
        key, claim = sender[1].memory
        stale = self.rules.five_seconds and self.state.stale >> claim & 1
        if stale:
            self.ends_unsent(sender, key, claim, "finds claim {} too old")
        if not stale or "stopped" in self.features:
            settled = any(other.id == claim and other.state == SETTLED for other in self.now.claims)
            what = SENDS_SETTLED if settled else "writes the first byte of claim {}"
            requests = (*self.state.requests, Request(claim, key, IN_TRANSIT))
            self.does(sender, WAITING, (key, claim), what, claim, requests=requests)

    def wait(self, sender):
        key, claim = sender[1].memory
        at = next(at for at, request in enumerate(self.state.requests) if request.id == claim)
        request = self.state.requests[at]
        requests = replaced(self.state.requests, at, request._replace(answer=""))
        ends = self.rules.end_is_over
        for what in (request.answer, UNKNOWN) if request.answer else (UNKNOWN,):
            over = self.state.over
            if self.rules.until and (ends == "any" or (ends == "not UNKNOWN" and what != UNKNOWN)):
                over |= 1 << claim
            repeats = what == REJECTED_429 and not self.rules.table_after_429 and sender[1].claims_left
            place, memory = (REPEATING, sender[1].memory) if repeats else (IDLE, ())
            rows = self.adding(End(key, claim, what))
            got = "gets no response" if what == UNKNOWN else "reads the response"
            text = got + ", and ends claim {}: {}"
            self.does(sender, place, memory, text, claim, what, requests=requests, rows=rows, over=over)
        if "crash" in self.features:
            self.does(sender, IDLE, (), "is killed while it sends claim {}", claim, requests=requests)

    def repeat(self, sender):
        key, _ = sender[1].memory
        self.claim(sender, Plan(key, self.now.size(key), self.now.count, None, SEND))

    def look_up(self, sender):
        ids, over, known = sender[1].memory
        if self.rules.service_first:
            self.does(sender, READING, (ids, over, self.state.entries), "looks up claims {}", ids)
        else:
            self.proves(sender, conclude(self.rules, known, self.state.entries), "looks up claims {}", ids)

    def read_after(self, sender):
        ids, over, entries = sender[1].memory
        ends = conclude(self.rules, premises(self.rules, ids, self.now, over), entries)
        if "unmerged" in self.features:
            self.proves(sender, ends, "reads the journal again")
        else:
            self.write(sender, ends)

    def proves(self, sender, ends, what, *about):
        self.does(sender, WRITING if ends else IDLE, ends, what, *about)

    def write(self, sender, ends):
        told = ", ".join(f"claim {end.id} is {end.what}" for end in ends)
        self.does(sender, IDLE, (), PROVES if ends else PROVES_NOTHING, told, rows=self.adding(*ends))
