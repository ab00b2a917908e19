#!/usr/bin/env python3
"""Walks through all states that the journal's rules can reach, breadth first, and prints the violated invariants.

    model.py [--quick] [--quiet] [--decisions FILE] [NAME...]

It runs the experiments whose names begin so, or those of `make test` (--quick), or all. For each invariant that is
violated it prints the shortest way there, unless it is told to be quiet. Exit status 1: an experiment did not end as
expected. --decisions writes the decisions of the table, for the comparison with `src/ledger/table.rs`.

rules.py and look_up.py have the rules, world.py has what can happen, invariants.py what must not, experiments.py what
is tried.
"""

import argparse
import sys
import time
from collections import deque

from decisions import Decisions
from experiments import EXPERIMENTS
from invariants import CHARGED_TWICE, INVARIANTS, REFUNDED_TWICE, SENT_SETTLED, violated
from merging import Merger, may_merge
from senders import PROVES, SENDS_SETTLED
from world import World

# More states than any experiment has.
MOST = 5_000_000


class Walk:
    """All states of an experiment."""

    def __init__(self, experiment, decisions=None):
        self.experiment = experiment
        features = frozenset(experiment.features)
        self.world = World(experiment.rules, features, experiment.senders, experiment.settlements)
        self.merger = Merger(self.world) if may_merge(self.world) and not experiment.unmerged else None
        # Each state, and the one from which it was reached first.
        self.before = {self.world.first: None}
        # The first state that violates each invariant, and the first of each way in which a claim stays open.
        self.found = {}
        self.proved = set()
        self.steps = 0
        self.is_cut = False
        self.walk(decisions)

    def walk(self, decisions):
        before, found, merge = self.before, self.found, self.merger and self.merger.merge
        queue = deque(before)
        while queue:
            state = queue.popleft()
            wrong = violated(self.world, state)
            for what in wrong:
                found.setdefault(what, state)
            if self.experiment.until_found and self.experiment.expected <= set(found):
                return
            if CHARGED_TWICE in wrong or REFUNDED_TWICE in wrong:
                continue
            if len(before) >= MOST:
                self.is_cut = True
                return
            for step in self.world.steps(state):
                self.steps += 1
                to = step.to
                if decisions:
                    decisions.meet(self.world, to)
                if step.what is SENDS_SETTLED:
                    found.setdefault(SENT_SETTLED, state)
                if merge:
                    to = merge(to)
                if to not in before:
                    before[to] = state
                    queue.append(to)
                    if step.what is PROVES:
                        self.proved.update(end.what for end in step.to.rows[len(state.rows) :])

    def violations(self):
        return [what for what in INVARIANTS if what in self.found]

    def is_as_expected(self):
        violations = set(self.violations())
        expected = self.experiment.expected
        return not self.is_cut and (expected <= violations if self.experiment.until_found else expected == violations)

    def way_to(self, state):
        """The steps to a state. Merged senders are sorted, so that their numbers may change on the way."""
        told = []
        while self.before[state] is not None:
            before = self.before[state]
            for step in self.world.steps(before):
                to = self.merger.merge(step.to) if self.merger else step.to
                if to == state:
                    break
            who = "" if step.sender is None else f"sender {step.sender + 1} "
            told.append(who + step.what.format(*step.about))
            state = before
        return told[::-1]


def run(experiment, decisions, quiet):
    began = time.process_time()
    walk = Walk(experiment, decisions)
    seconds = time.process_time() - began
    how = "as expected" if walk.is_as_expected() else "NOT EXPECTED"
    counts = f"{len(walk.before):,} states, {walk.steps:,} steps, {seconds:.0f} s"
    end = ", cut off" if walk.is_cut else ", until found" if experiment.until_found else ""
    violations = walk.violations()
    print(f"{how}: {experiment.name} ({experiment.about}): {counts}{end}: {'; '.join(violations) or 'all hold'}")
    stay_open = sorted(set(walk.found) - set(violations))
    print(f"    looked up and proved: {', '.join(sorted(walk.proved)) or 'nothing'}")
    print(f"    stays open: {'; '.join(stay_open) or 'nothing'}")
    for what in () if quiet else violations:
        steps = walk.way_to(walk.found[what])
        print(f"    {what}, after {len(steps)} steps:")
        for number, step in enumerate(steps, 1):
            print(f"        {number:2} {step}")
    sys.stdout.flush()
    return walk.is_as_expected(), len(walk.before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--decisions", metavar="FILE")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    names = tuple(arguments.names)
    chosen = [one for one in EXPERIMENTS if one.name.startswith(names or "") and (one.quick or not arguments.quick)]
    if not chosen:
        parser.error("no experiment has such a name")
    decisions = Decisions() if arguments.decisions else None
    results = [run(experiment, decisions, arguments.quiet) for experiment in chosen]
    if decisions:
        decisions.write(arguments.decisions)
    right, states = sum(right for right, _ in results), sum(states for _, states in results)
    print(f"{right} of {len(results)} experiments as expected, {states:,} states, {time.process_time():.0f} s")
    return right < len(results)


if __name__ == "__main__":
    sys.exit(main())
