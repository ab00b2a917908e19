"""One state for all that nothing can tell apart, so that there are fewer to walk through.

It is for the rules of `may_merge`: a claim is what its strongest end says, and of the rows that were there when a
sender read the journal it asks only whether none, or exactly one, was added since.
"""

from rules import IN_PROGRESS, NO_END, SETTLED, UNKNOWN, Checkout, Claim, End, is_authorization
from states import ASKING, INSERTING, READING, READING_BACK, SENDING, WITHDRAWING, Late, Own, Plan

# A number of rows with which no sender goes on.
ANOTHER = -9


def may_merge(world):
    rules = world.rules
    strict = rules.read_back in ("nothing else", "transaction") and rules.ends == "strongest" and rules.service_first
    # A backup restores a number of rows.
    return strict and rules.one_of_several != "not seen" and not world.first.backups


def remembered(rows, now, merged):
    """A number of rows that a sender has read, now that the journal is merged."""
    added = now - rows
    return merged - added if added in (0, 1) else ANOTHER


class Merger:
    def __init__(self, world):
        self.world = world
        senders = world.first.senders
        self.senders_are_equal = len({(sender.keys, sender.claims_left) for sender in senders}) == 1
        # Authorizations name entries by their numbers.
        self.entries_have_numbers = any(is_authorization(key) for sender in senders for key in sender.keys)

    def merge(self, state):
        now = self.world.journal(state.rows)
        rows, sizes, over = [], {None: int(now.checkout)}, 0
        for claim in now.claims:
            rows.append(Claim(claim.key, claim.id, None))
            sizes[claim.key] = sizes.get(claim.key, 0) + 1
            if claim.state not in (NO_END, UNKNOWN):
                rows.append(End(claim.key, claim.id, claim.state))
                sizes[claim.key] += 1
            # One that was settled may be opened again by its sender's end.
            if claim.state in (NO_END, UNKNOWN, IN_PROGRESS, SETTLED):
                over |= state.over & 1 << claim.id
        if now.checkout:
            rows.append(Checkout())
        stale, senders = 0, []
        for sender in state.senders:
            if sender.at in (READING_BACK, SENDING):
                stale |= state.stale & 1 << sender.memory[1]
            senders.append(self.merged_sender(sender, state, now, rows, sizes))
        late = []
        for insert in state.late:
            key = insert.claim.key
            # Another cannot arrive any more.
            if now.size(key) == insert.key_rows:
                late.append(Late(insert.claim._replace(seen=None), sizes.get(key, 0)))
        return state._replace(
            rows=tuple(rows),
            over=over,
            stale=stale,
            requests=tuple(sorted(state.requests)),
            entries=state.entries if self.entries_have_numbers else tuple(sorted(state.entries)),
            senders=tuple(sorted(senders) if self.senders_are_equal else senders),
            late=tuple(sorted(late)),
        )

    def merged_sender(self, sender, state, now, rows, sizes):
        memory = sender.memory
        if sender.at in (ASKING, INSERTING, READING_BACK):
            key_rows = remembered(memory.key_rows, now.size(memory.key), sizes.get(memory.key, 0))
            all_rows = remembered(memory.rows, now.count, len(rows))
            if sender.at == READING_BACK:
                memory = Own(memory.key, memory.id, key_rows, all_rows)
            else:
                memory = Plan(memory.key, key_rows, all_rows, None, memory.question)
        elif sender.at == WITHDRAWING:
            key, claim, size = memory
            memory = (key, claim, remembered(size, now.size(key), sizes.get(key, 0)))
        elif sender.at == READING and not self.entries_have_numbers:
            ids, over, entries = memory
            memory = (ids, over, tuple(sorted(entries)))
        else:
            return sender
        return sender._replace(memory=memory)
