"""Rooms: what the quota of a project leaves to it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from dibs.quotas.model.errors import QuotaExceeded
from dibs.quotas.model.quotas import ALL_CLASSES, Limits, Quota
from dibs.quotas.model.uses import Count, Queued, Use, booked_ahead, counted, most_at_once

_SECOND = 1_000_000
_HOUR = 3_600 * _SECOND
_NEW = "new"
"""The holder of nodes that a project asks for and has not got yet."""


class Room:
    """The quota of one project, and what the project uses of it from now on."""

    def __init__(self, quota: Quota, uses: Iterable[Use], queued: Iterable[Queued], now: int) -> None:
        self.quota = quota
        self._now = now
        self._uses = counted(uses, now)
        self._queued = list(queued)
        self._answers: dict[tuple[str | None, int, int, int], QuotaExceeded | None] = {}

    def check(self, holders: Collection[str], queued: Mapping[str, int]) -> None:
        """Raise QuotaExceeded when these holders, or these numbers of new allocations by class, exceed a limit."""
        for resource_class, limits in sorted(self.quota.limits.items()):
            exceeded = self._excess(resource_class, limits, self._of_class(resource_class), holders)
            asked = queued.get(resource_class, 0) if resource_class else sum(queued.values())
            exceeded = exceeded or self._queue_excess(resource_class, limits, self._count_queued(resource_class), asked)
            if exceeded is not None:
                raise exceeded

    def reason_against(self, resource_class: str | None, count: int, start: int, end: int) -> QuotaExceeded | None:
        """Return why the project may not have this number of further nodes of a class in a window; None when it may."""
        asked = (resource_class, count, start, end)
        if asked not in self._answers:
            self._answers[asked] = self.reason_against_uses(self._new(*asked))
        return self._answers[asked]

    def reason_against_uses(self, new: Sequence[Use]) -> QuotaExceeded | None:
        """Return why the project may not have these uses in addition; None when it may."""
        holders = {use.holder for use in new}
        for resource_class, limits in sorted(self.quota.limits.items()):
            uses = [*self._of_class(resource_class), *_of_class(new, resource_class)]
            exceeded = self._excess(resource_class, limits, uses, holders)
            if exceeded is not None:
                return exceeded
        return None

    def reason_against_queued(self, resource_class: str | None, count: int) -> QuotaExceeded | None:
        """Return why this number of further allocations of a class may not enter the queue; None when they may."""
        for name, limits in sorted(self.quota.limits.items()):
            if name in (ALL_CLASSES, resource_class):
                exceeded = self._queue_excess(name, limits, self._count_queued(name) + count, count)
                if exceeded is not None:
                    return exceeded
        return None

    def add(self, resource_class: str | None, count: int, start: int, end: int) -> None:
        """Count this number of further nodes of a class in a window."""
        self._uses += (use._replace(holder="") for use in self._new(resource_class, count, start, end))
        # What was too much before is too much now.
        self._answers = {asked: exceeded for asked, exceeded in self._answers.items() if exceeded is not None}

    def used(self, resource_class: str) -> Limits:
        """Return what the project uses of each limit; the longest lease for the duration."""
        uses = self._of_class(resource_class)
        holders = {use.holder for use in uses}
        longest = max((use.end - use.start for use in uses if use.leased), default=0)
        return Limits(
            nodes=most_at_once(uses, holders).total,
            node_hours=-(-booked_ahead(uses, holders, self._now).total // _HOUR),
            lease_seconds=longest // _SECOND,
            queued=self._count_queued(resource_class),
        )

    def _excess(
        self, resource_class: str, limits: Limits, uses: Sequence[Use], holders: Collection[str]
    ) -> QuotaExceeded | None:
        """Return the error of the first limit on nodes that these holders exceed."""
        for what, limit, count in self._counts(limits, uses, holders):
            if count.asked and count.total > limit:
                return self._error(what, resource_class, limit, count.used, count.asked)
        return None

    def _queue_excess(self, resource_class: str, limits: Limits, waiting: int, asked: int) -> QuotaExceeded | None:
        if limits.queued is None or not asked or waiting <= limits.queued:
            return None
        return self._error("queued allocations", resource_class, limits.queued, waiting - asked, asked)

    def _counts(
        self, limits: Limits, uses: Sequence[Use], holders: Collection[str]
    ) -> Iterator[tuple[str, int, Count]]:
        if limits.nodes is not None:
            yield "nodes", limits.nodes, most_at_once(uses, holders)
        if limits.node_hours is not None:
            ahead = booked_ahead(uses, holders, self._now)
            # A part of an hour counts as an hour.
            total = -(-ahead.total // _HOUR)
            used = ahead.used // _HOUR
            yield "node-hours booked ahead", limits.node_hours, Count(used, total - used if ahead.asked else 0)
        if limits.lease_seconds is not None:
            lengths = [use.end - use.start for use in uses if use.leased and use.holder in holders]
            yield "seconds of a lease", limits.lease_seconds, Count(0, max(lengths, default=0) // _SECOND)

    def _error(self, what: str, resource_class: str, limit: int, used: int, asked: int) -> QuotaExceeded:
        of_class = f" of class {resource_class}" if resource_class else ""
        return QuotaExceeded(what=what + of_class, project=self.quota.project, limit=limit, used=used, asked=asked)

    def _of_class(self, resource_class: str) -> list[Use]:
        return _of_class(self._uses, resource_class)

    def _new(self, resource_class: str | None, count: int, start: int, end: int) -> list[Use]:
        first = -1 - len(self._uses)  # No node has such an id.
        return [
            Use(self.quota.project, _NEW, first - place, resource_class, start, max(end, start + 1))
            for place in range(count)
        ]

    def _count_queued(self, resource_class: str) -> int:
        return sum(each.number for each in self._queued if resource_class in (ALL_CLASSES, each.resource_class))


def _of_class(uses: Iterable[Use], resource_class: str) -> list[Use]:
    return [use for use in uses if resource_class in (ALL_CLASSES, use.resource_class)]
