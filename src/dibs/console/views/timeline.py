"""The timeline: nodes in groups, what occupies them and who waits for them, from hours to months."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from dibs.allocations.operations.promises import ListQueue, QueuedAllocation, list_queue
from dibs.console import filters
from dibs.console.errors import Refusal
from dibs.console.exchange import Exchange
from dibs.console.presentation.bars import Bar, Scale, bars_of, turn_of
from dibs.console.presentation.lines import Line
from dibs.console.times import DAY, HOUR, Zone
from dibs.console.views.reading import allocation_projects, lines_of, read_racks, read_schedule, rows_of, scale_of
from dibs.http.messages import Response

PAGE_ROWS = 80
QUEUE_ROWS = 8
"""The allocations at the head of the queue that the timeline shows; Mine shows all of a project."""
GROUPINGS: Mapping[str, str] = {"class": "resource_class", "rack": "chassis_uuid", "owner": "owner"}
_DEFAULT_ZOOM = "week"
_DEFAULT_GROUPING = "class"


class Zoom(Struct, frozen=True):
    """How much time the timeline shows: some hours, or some days from midnight on."""

    days: int = 0
    hours: int = 0

    def start(self, zone: Zone, moment: int) -> int:
        """Return the start of the window that has a moment near its start."""
        return zone.midnight(moment) if self.days else moment - moment % HOUR

    def later(self, zone: Zone, start: int, windows: int = 1) -> int:
        """Return the start some windows later."""
        return zone.days_later(start, windows * self.days) if self.days else start + windows * self.hours * HOUR

    def form(self, zone: Zone, start: int) -> str:
        """Return a start for a URL."""
        return zone.form(start)[:10] if self.days else zone.form(start)


ZOOMS: Mapping[str, Zoom] = {
    "8 h": Zoom(hours=8),
    "day": Zoom(1),
    "3 days": Zoom(3),
    "week": Zoom(7),
    "month": Zoom(30),
    "quarter": Zoom(91),
}


class Row(Struct, frozen=True, kw_only=True):
    """A row of the timeline; the first of a group has its heading."""

    heading: str | None
    count: str
    line: Line
    bars: list[Bar]


class Turn(Struct, frozen=True, kw_only=True):
    """A row of the queue."""

    queued: QueuedAllocation
    bar: Bar


def show(exchange: Exchange) -> Response:
    """GET /timeline"""
    changes = exchange.count_changes()
    asked = exchange.query
    zoom, by = _choose(asked, "zoom", ZOOMS, _DEFAULT_ZOOM), _choose(asked, "by", GROUPINGS, _DEFAULT_GROUPING)
    text = asked.get("filter", "")
    zone, size = exchange.zone, ZOOMS[zoom]
    start = size.start(zone, zone.read(asked["from"], "the start") if asked.get("from") else exchange.now)
    scale = scale_of(exchange, start, size.later(zone, start))
    is_rest = exchange.is_part and "after" in asked
    schedule = read_schedule(
        exchange,
        # The state of a node needs what occupies it now, also where the timeline shows another time.
        start=min(scale.start, exchange.now),
        end=max(scale.end, exchange.now + 1),
        limit=rows_of(exchange, PAGE_ROWS),
        conditions=filters.parse(text),
        sort_key=GROUPINGS[by],
        marker=asked.get("after"),
        grouped=True,
    )
    lines = lines_of(schedule, exchange.now)
    values = [row[GROUPINGS[by]] for row in schedule.nodes]
    counts = {count.value: f"{count.total} nodes, {count.available} available" for count in schedule.groups}
    names = read_racks(exchange) if by == "rack" else {}
    rows = list(_rows(lines, values, asked.get("group") if is_rest else None, counts, names, scale))
    here = {"filter": text, "zoom": zoom, "by": by, "from": size.form(zone, start) if asked.get("from") else None}
    more = None
    if schedule.more:
        more = exchange.url("/timeline", **here, after=lines[-1].uuid, group=_group(values[-1]))
    return exchange.page(
        "timeline_rows.html" if is_rest else "timeline.html",
        changes=changes,
        rows=rows,
        more=more,
        # A filter is about nodes; the queue is about classes.
        queue=None if text or is_rest else _queue(exchange, scale),
        scale=scale,
        filter=text,
        help=filters.HELP,
        zoom=zoom,
        zooms=ZOOMS,
        by=by,
        groupings=GROUPINGS,
        here_url=lambda **changes: exchange.url("/timeline", **{**here, **changes}),
        before=size.form(zone, size.later(zone, start, -1)),
        after=size.form(zone, scale.end),
        step=round(100 * (DAY if size.days else HOUR) / (scale.end - scale.start), 4),
        command="dibs lease list",
    )


def _queue(exchange: Exchange, scale: Scale) -> tuple[int, list[Turn]]:
    """Return how many allocations wait, and the first of those that the user sees."""
    found = exchange.read(list_queue, exchange.machines, ListQueue(projects=allocation_projects(exchange)))
    first = found.visible[:QUEUE_ROWS]
    return found.waiting, [Turn(queued=each, bar=turn_of(each.allocation, scale)) for each in first]


def _rows(
    lines: list[Line],
    values: list[str | None],
    shown: str | None,
    counts: Mapping[str | None, str],
    names: Mapping[str, str],
    scale: Scale,
) -> Iterator[Row]:
    """Yield the rows; ``shown`` is the group whose heading the page before has."""
    for line, value in zip(lines, values, strict=True):
        group = _group(value)
        heading = None if group == shown else names.get(value or "", value or "none")
        shown = group
        yield Row(heading=heading, count=counts.get(value, ""), line=line, bars=bars_of(line, scale))


def _group(value: str | None) -> str:
    """Return a group for a URL, in which an absent value differs from each value."""
    return "-" if value is None else f"={value}"


def _choose(asked: Mapping[str, str], name: str, choices: Mapping[str, Any], default: str) -> str:
    chosen = asked.get(name) or default
    if chosen not in choices:
        raise Refusal(400, f"The parameter {name} must be one of {', '.join(choices)}.")
    return chosen
