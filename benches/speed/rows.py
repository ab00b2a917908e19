"""One line of the table, and its verdict."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass
class Spread:
    """Median and quartiles over the rounds; the same number three times if there is one measurement."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        if len(values) < 2:
            return Spread(values[0], values[0], values[0])
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        return Spread(median, low, high)


@dataclasses.dataclass
class Row:
    """Ours compared with a peer. `ratio` is ours / theirs of each round, so that the machine's load cancels out."""

    work: str
    against: str
    figure: str
    unit: str
    ours: Spread
    theirs: Spread
    ratio: Spread
    rounds: int
    #: The goal for the ratio; None: measured for information only.
    target: float | None
    at_least: bool = False
    #: Beside our own call without something, or the disk alone: nobody is ahead.
    is_cost: bool = False

    @staticmethod
    def of(
        work: str,
        against: str,
        figure: str,
        unit: str,
        ours: Sequence[float],
        theirs: Sequence[float],
        target: float | None,
        at_least: bool = False,
    ) -> Row:
        ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
        spreads = Spread.of(ours), Spread.of(theirs), Spread.of(ratios)
        return Row(work, against, figure, unit, *spreads, len(ratios), target, at_least)

    def verdict(self) -> str:
        # Rounded as it is printed, so that the table does not contradict itself.
        ratio = float(f"{self.ratio.median:.2f}")
        ahead = ratio >= 1 if self.at_least else ratio <= 1
        if self.is_cost:
            return "what it costs"
        if self.target is None:
            return "no target; " + ("ahead" if ahead else "**the peer is ahead**")
        met = ratio >= self.target if self.at_least else ratio <= self.target
        if met:
            return "met"
        return "**missed**; ahead of the peer" if ahead else "**missed: the peer is ahead**"


def to_json(row: Row) -> dict[str, Any]:
    return dataclasses.asdict(row)


def from_json(data: dict[str, Any]) -> Row:
    spreads = {name: Spread(**data[name]) for name in ("ours", "theirs", "ratio")}
    return Row(**{**data, **spreads})
