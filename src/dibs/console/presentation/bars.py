"""Bars of a timeline: what occupies a node or waits for one, positioned by percentages of the window."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.schedules import HOLD, LEASE, Occupation
from dibs.console import times
from dibs.console.presentation.lines import CLEANING, OUT, Line, label_of
from dibs.console.times import Zone

ENDED = frozenset({"TERMINATED", "TERMINATING"})


class Tick(Struct, frozen=True, kw_only=True):
    """A label of the time axis."""

    left: float
    text: str
    detail: str


class Scale(Struct, frozen=True, kw_only=True):
    """The window that a timeline shows."""

    start: int
    end: int
    now: int
    zone: Zone
    cleaning: int = 0
    """How long a host stays free before and after each lease."""
    turnover: int = 0
    """How long undeploying and cleaning a node is expected to take."""

    def at(self, moment: int) -> float:
        """Return the position of a moment in percent, within the window."""
        inside = min(max(moment, self.start), self.end)
        return round(100 * (inside - self.start) / (self.end - self.start), 3)

    @property
    def now_left(self) -> float | None:
        """The position of the present; None outside the window."""
        return self.at(self.now) if self.start <= self.now < self.end else None

    def ticks(self) -> list[Tick]:
        """Return the labels of the axis: hours of a day, days, or weeks, whichever fits."""
        days = (self.end - self.start) / times.DAY
        if days <= 3:
            return [
                self._tick(moment, "%H:%M", "%a %d %b")
                for moment in self._every(6 if days > 1 else 2 if days > 0.5 else 1)
            ]
        step = 1 if days <= 16 else 7
        moments = [self.zone.days_later(self.start, day) for day in range(0, round(days), step)]
        return [self._tick(moment, "%a %d", "%b") for moment in moments]

    def _every(self, hours: int) -> Iterator[int]:
        return iter(range(self.start, self.end, hours * times.HOUR))

    def _tick(self, moment: int, text: str, detail: str) -> Tick:
        date = self.zone.local(moment)
        return Tick(left=self.at(moment), text=f"{date:{text}}", detail=f"{date:{detail}}")


class Bar(Struct, frozen=True, kw_only=True):
    """A bar of a row."""

    kind: str
    """The class of the style: alloc, lease, hold, clean, maint or queue."""
    left: float
    width: float
    text: str
    title: str
    href: str | None = None
    end: int | None = None
    """None: no end is known."""
    ends_inside: bool = False
    """Its end is within the window, so that it can be dragged."""
    countdown: bool = False
    """Its text is the time that is left."""


_KINDS = {"allocation": "alloc", "lease": "lease", "hold": "hold"}


def bars_of(line: Line, scale: Scale) -> list[Bar]:
    """Return the bars of a node that are within the window."""
    bars = [bar for each in line.occupations for bar in (*_cleaning(each, scale), _bar(each, scale))]
    if line.mood == OUT:
        bars.insert(0, _maintenance(line, scale))
    if line.state in CLEANING:
        bars.insert(0, _being_cleaned(line, scale))
    return [bar for bar in bars if bar.width > 0]


def turn_of(waiting: Allocation, scale: Scale) -> Bar:
    """Return the bar of an allocation in the queue: from its promised start on, or from now on without one."""
    if waiting.promised_at is None:
        title = f"No start is known: {waiting.depends_on}" if waiting.depends_on else "No start is known yet"
        return _placed(scale, scale.now, min(scale.end, scale.now + times.DAY), kind="queue", text=title, title=title)
    start, end = waiting.promised_at, waiting.ends_at
    if waiting.lifetime_seconds is not None:
        end = start + waiting.lifetime_seconds * times.SECOND
    title = f"{scale.zone.short(start, scale.now)} at the latest"
    return _placed(scale, start, end, kind="queue", text=title, title=title)


def _bar(each: Occupation, scale: Scale) -> Bar:
    label = label_of(each)
    until = f"until {scale.zone.short(each.end, scale.now)}" if each.end is not None else "no end"
    counts = each.kind == HOLD and each.end is not None
    return _placed(
        scale,
        each.start,
        each.end,
        kind=("maint" if each.maintenance else _KINDS[each.kind]) + (" ended" if each.status in ENDED else ""),
        text=times.duration((each.end or 0) - scale.now) if counts else label,
        title=f"{label}, {scale.zone.short(each.start, scale.now)} {until}",
        href=f"/console/leases/{each.uuid}" if each.kind == LEASE and each.visible else None,
        countdown=counts,
    )


def _cleaning(each: Occupation, scale: Scale) -> Iterator[Bar]:
    """Yield the times before and after a lease in which no other lease can have the host."""
    if each.kind == LEASE and each.end is not None and scale.cleaning:
        for start, end in ((each.start - scale.cleaning, each.start), (each.end, each.end + scale.cleaning)):
            title = f"cleaning until {scale.zone.short(end, scale.now)}"
            yield _placed(scale, start, end, kind="clean", text="", title=title)


def _being_cleaned(line: Line, scale: Scale) -> Bar:
    """Return the bar of a node that is being cleaned: from its last change of state, as long as that usually takes."""
    start = line.since or scale.now
    end = max(start + scale.turnover, scale.now)
    return _placed(
        scale,
        start,
        end,
        kind="clean",
        text=line.state,
        title=f"{line.state} since {scale.zone.short(start, scale.now)}",
    )


def _maintenance(line: Line, scale: Scale) -> Bar:
    """Return the bar of maintenance. It has no end: the bar covers a day from now on."""
    text = f"{line.state}: {line.fault}" if line.fault and line.fault != line.state else line.state
    end = min(scale.end, scale.now + times.DAY)
    bar = _placed(scale, scale.now, end, kind="maint", text=text, title=f"{text}, no end")
    return replace(bar, end=None)


def _placed(scale: Scale, start: int, end: int | None, **shown: Any) -> Bar:
    left = scale.at(start)
    width = round(scale.at(scale.end if end is None else end) - left, 3)
    inside = end is not None and scale.start < end < scale.end
    return Bar(left=left, width=width, end=end, ends_inside=inside, **shown)
