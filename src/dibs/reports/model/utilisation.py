"""Node hours by week, class and project, from the moments at which uses of nodes began and ended."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from dibs.allocations.model.capacity import joined

HOUR = 3_600_000_000
WEEK = 7 * 24 * HOUR
MONDAY = 4 * 24 * HOUR
"""The first Monday after the epoch."""


class UseKey(NamedTuple):
    """The use of a node by an allocation or a lease."""

    kind: str
    object_id: str
    node: str


class UseChange(NamedTuple):
    """The beginning or the end of a use."""

    key: UseKey
    project: str | None
    moment: int
    begins: bool


class Utilisation(Struct, frozen=True, kw_only=True):
    """How long a project had nodes of a class in one week."""

    week: int
    """Its beginning: Monday, 0:00 UTC."""
    resource_class: str
    project: str | None
    node_hours: float
    nodes: int | None
    """How many nodes of the class there are today; None when that is not shown."""
    share: float | None
    """The part of the time of these nodes, as far as the week is over and known; None without nodes."""


Windows = Mapping[tuple[str | None, str], list[tuple[int, int]]]


def windows_of(
    present: Mapping[UseKey, str | None], changes: Iterable[UseChange], since: int, now: int
) -> dict[tuple[str | None, str], list[tuple[int, int]]]:
    """Return when each project had each node since a moment.

    ``present`` has the uses that go on, and ``changes`` the newest first. A use that began before all known changes
    counts from the moment on. A node that a project has by a lease and an allocation at the same time counts once.
    """
    ends = dict.fromkeys(present, now)
    projects = dict(present)
    found: dict[tuple[str | None, str], list[tuple[int, int]]] = defaultdict(list)
    for change in changes:
        if not change.begins:
            ends[change.key], projects[change.key] = change.moment, change.project
        elif (end := ends.pop(change.key, None)) is not None:
            found[projects[change.key], change.key.node].append((max(change.moment, since), end))
    for key, end in ends.items():
        found[projects[key], key.node].append((since, end))
    return {holder: joined(windows) for holder, windows in found.items()}


def weekly(
    windows: Windows, classes: Mapping[str, str | None], totals: Mapping[str, int] | None, since: int, now: int
) -> list[Utilisation]:
    """Return the node hours of each week, class and project; ``classes`` has the class of each node.

    ``totals`` has the number of nodes of each class; None when it is not shown.
    """
    hours: dict[tuple[int, str, str | None], float] = defaultdict(float)
    for (project, node), of_node in windows.items():
        for start, end in of_node:
            for week, length in _split(start, end):
                hours[week, classes.get(node) or "", project] += length / HOUR
    return [
        Utilisation(
            week=week,
            resource_class=kind,
            project=project,
            node_hours=round(used, 3),
            nodes=None if totals is None else totals.get(kind, 0),
            share=_share(used, totals.get(kind, 0) if totals is not None else 0, _length(week, since, now)),
        )
        for (week, kind, project), used in sorted(hours.items(), key=lambda item: (*item[0][:2], item[0][2] or ""))
        if used
    ]


def week_of(moment: int) -> int:
    """Return the beginning of the week of a moment."""
    return (moment - MONDAY) // WEEK * WEEK + MONDAY


def _split(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield each week of a window, and how much of the window lies in it."""
    week = week_of(start)
    while week < end:
        yield week, min(end, week + WEEK) - max(start, week)
        week += WEEK


def _share(hours: float, nodes: int, length: int) -> float | None:
    return round(hours / (nodes * length / HOUR), 4) if nodes else None


def _length(week: int, since: int, now: int) -> int:
    """Return how much of a week is over and known."""
    return min(now, week + WEEK) - max(since, week)
