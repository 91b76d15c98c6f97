"""The fleet: every node with its state, holder, time left, next booking and fault."""

from dibs.console import filters
from dibs.console.exchange import Exchange
from dibs.console.times import DAY
from dibs.console.views.bulk import ACTIONS
from dibs.console.views.reading import lines_of, read_schedule, rows_of
from dibs.http.messages import Response

PAGE_ROWS = 60
BOOKINGS_DAYS = 60
"""How far ahead the next booking is looked for."""


def show(exchange: Exchange) -> Response:
    """GET /fleet"""
    changes = exchange.count_changes()
    text = exchange.query.get("filter", "")
    schedule = read_schedule(
        exchange,
        start=exchange.now,
        end=exchange.now + BOOKINGS_DAYS * DAY,
        limit=rows_of(exchange, PAGE_ROWS),
        conditions=filters.parse(text),
        marker=exchange.query.get("after"),
    )
    lines = lines_of(schedule, exchange.now)
    more = exchange.url("/fleet", filter=text, after=lines[-1].uuid) if schedule.more else None
    is_rest = exchange.is_part and "after" in exchange.query
    return exchange.page(
        "fleet_rows.html" if is_rest else "fleet.html",
        changes=changes,
        lines=lines,
        more=more,
        filter=text,
        help=filters.HELP,
        actions=ACTIONS,
        command=filters.command_options(text),
    )
