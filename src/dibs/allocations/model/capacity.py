"""How many nodes of each class were, are and will be taken at which time, as far as is known today."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
    """For each step from now on, the most nodes that are taken at the same time."""
    before: Sequence[int] = ()
    """The same for steps before now, the oldest first."""

    @property
    def percent(self) -> int:
        """How much of the time of all usable nodes is taken, from now on."""
        return _percent(self.taken, self.total - self.out)

    @property
    def percent_before(self) -> int:
        """How much of the time of today's nodes was taken, before now."""
        return _percent(self.before, self.total)


class Change(NamedTuple):
    """The moment at which a node got an instance, or lost it."""

    moment: int
    used: bool
    """Whether it has one from then on."""


def windows_of_use(changes: Iterable[Change], used: bool, start: int, now: int) -> list[tuple[int, int]]:
    """Return when a node had an instance since ``start``; ``changes`` has the newest first, ``used`` is the present."""
    windows = []
    end = now if used else None
    for change in changes:
        if not change.used:
            end = change.moment
        elif end is not None:
            windows.append((change.moment, end))
            end = None
    return windows if end is None else [*windows, (start, end)]


def joined(windows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return windows without those that overlap: a node that is booked and in use is taken once."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


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


def _percent(taken: Sequence[int], usable: int) -> int:
    return round(100 * sum(taken) / (usable * len(taken))) if usable and taken else 0
