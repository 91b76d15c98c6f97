"""How many nodes of each class are free at which time, as far as is known today."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct


class Use(Struct, frozen=True, kw_only=True):
    """Some nodes of a class that are in use or booked in a window."""

    resource_class: str | None
    start: int
    end: int | None
    """None: no end is known."""
    count: int


class ClassCapacity(Struct, frozen=True, kw_only=True):
    """The nodes of one class, and how many of them are taken in each step of a window."""

    resource_class: str | None
    total: int
    out: int
    """Nodes in maintenance, retired or failed, which no user can have."""
    taken: Sequence[int]
    """For each step, the most nodes that are taken at the same time."""

    @property
    def percent(self) -> int:
        """The share of node-time that is taken, of all nodes that can be had."""
        usable = (self.total - self.out) * len(self.taken)
        return round(100 * sum(self.taken) / usable) if usable else 0


def taken_in_steps(uses: Iterable[Use], start: int, step: int, count: int) -> list[int]:
    """Return the most nodes that are taken at the same time in each of ``count`` steps from ``start`` on."""
    changes: Counter[int] = Counter()
    end = start + step * count
    for use in uses:
        until = end if use.end is None else min(use.end, end)
        if until > max(use.start, start):
            changes[max(use.start, start)] += use.count
            changes[until] -= use.count
    taken, steps = 0, []
    moments = sorted(changes)
    for begin in range(start, end, step):
        peak = 0
        while moments and moments[0] < begin + step:
            # What is taken before the first change of the step counts only if the step begins before that change.
            peak = max(peak, taken if moments[0] > begin else 0)
            # A node that is released and taken at the same moment is one node: the sum of changes counts.
            taken += changes[moments.pop(0)]
            peak = max(peak, taken)
        steps.append(max(peak, taken))
    return steps
