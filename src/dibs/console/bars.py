"""Bars of a timeline: what occupies a node, positioned by percentages of the window."""

from collections.abc import Iterator

from msgspec import Struct

from dibs.allocations.model.schedules import LEASE, Occupation
from dibs.console import times
from dibs.console.lines import OUT, Line, label_of
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
            return [self._tick(moment, "%H:%M", "%a %d %b") for moment in self._every(6 if days > 1 else 2)]
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
    """The class of the style: alloc, lease, hold or maint."""
    left: float
    width: float
    text: str
    title: str
    href: str | None
    uuid: str | None
    start: int
    end: int | None
    open: bool
    """No end is known."""
    ends_inside: bool
    """Its end is within the window, so that it can be dragged."""


_KINDS = {"allocation": "alloc", "lease": "lease", "hold": "hold"}


def bars_of(line: Line, scale: Scale) -> list[Bar]:
    """Return the bars of a node that are within the window."""
    bars = [
        _bar(each, scale) for each in line.occupations if each.start < scale.end and _end(each, scale) > scale.start
    ]
    if line.mood == OUT:
        bars.insert(0, _maintenance(line, scale))
    return [bar for bar in bars if bar.width > 0]


def _bar(each: Occupation, scale: Scale) -> Bar:
    label = label_of(each)
    text = times.duration(each.end - scale.now) if each.kind == "hold" and each.end is not None else label
    until = f"until {scale.zone.short(each.end, scale.now)}" if each.end is not None else "no end"
    left = scale.at(each.start)
    href = f"/console/leases/{each.uuid}" if each.kind == LEASE and each.visible else None
    return Bar(
        kind=_KINDS[each.kind] + (" ended" if each.status in ENDED else ""),
        left=left,
        width=round(scale.at(_end(each, scale)) - left, 3),
        text=text,
        title=f"{label}, {scale.zone.short(each.start, scale.now)} {until}",
        href=href,
        uuid=each.uuid,
        start=each.start,
        end=each.end,
        open=each.end is None,
        ends_inside=each.end is not None and each.end < scale.end,
    )


def _maintenance(line: Line, scale: Scale) -> Bar:
    """Maintenance has no end: it is shown from now on, up to the end of the day."""
    left = scale.at(scale.now)
    end = min(scale.end, scale.now + times.DAY)
    return Bar(
        kind="maint",
        left=left,
        width=round(scale.at(end) - left, 3),
        text=f"{line.state}: {line.fault}" if line.fault and line.fault != line.state else line.state,
        title=f"{line.state}, no end",
        href=None,
        uuid=None,
        start=scale.now,
        end=None,
        open=True,
        ends_inside=False,
    )


def _end(each: Occupation, scale: Scale) -> int:
    return scale.end if each.end is None else each.end
