"""A year of events: what audit, history, reports and claims cost with it."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import bindparam, delete, insert, select

from bench.claims import cost_of_events
from bench.cpu import cpu_seconds
from bench.services.engines import Engine, collect_statistics
from bench.tables import FIGURES_HEAD, figure, progress
from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.allocations.operations.why import ExplainNodes
from dibs.database import open_store
from dibs.events.model.stored import EventQuery
from dibs.events.operations.listing import ReadPublished, list_events, read_published
from dibs.events.operations.retention import COUNT_MAX, RemoveOldEvents, remove_old_events
from dibs.events.tables import event_positions, events
from dibs.machines.model.nodes import Node
from dibs.reports.operations.history import ShowNodeAt, show_node_at
from dibs.reports.operations.past_why import ExplainNodesAt, explain_nodes_at
from dibs.reports.operations.utilisation import ReportUtilisation, report_utilisation
from tests.builders import FIRST_INSTANT, Ledger
from tests.laws import connect

PER_HOUR = 1_000
YEAR = 365 * 24 * PER_HOUR
"""The number of events in a year."""
HOUR = 3_600_000_000
DAY = 24 * HOUR
NODES = 1_000
PATTERN = 12_000
"""Events that are written one by one; the others are copies of these, each copy at a later time."""
PIECE = 200_000
"""Events that one statement copies."""
ROUNDS = 5

_STEPS: tuple[tuple[str, Any, Any], ...] = (
    ("allocation.granted", '{"state":"allocating"}', '{"state":"active"}'),
    ("claim.created", None, '{"CUSTOM_GOLD":1}'),
    ("node.changed", '{"instance_uuid":null}', '{"instance_uuid":"00000000-0000-4000-8000-000000000001"}'),
    ("allocation.deleted", '{"state":"active"}', None),
    ("claim.deleted", '{"CUSTOM_GOLD":1}', None),
    ("node.changed", '{"instance_uuid":"00000000-0000-4000-8000-000000000001"}', '{"instance_uuid":null}'),
)
"""What happens to a node again and again."""
_SAME = [column.name for column in events.c if column.name not in ("id", "position", "happened_at")]
_COPY = insert(events).from_select(
    ["position", "happened_at", *_SAME],
    select(
        events.c.position + bindparam("further"),
        events.c.happened_at + bindparam("later"),
        *(events.c[name] for name in _SAME),
    )
    .where(events.c.position > bindparam("after"), events.c.position <= bindparam("last"))
    .order_by(events.c.position),
)


def measure_history(engine_name: str, count: int) -> Iterator[str]:
    """Yield the cost of each use of events with ``count`` of them, of which the newest is from now."""
    engine = Engine(engine_name)
    url = engine.databases.fresh()
    store = open_store(url)
    try:
        ledger = Ledger(store)
        nodes = [ledger.enrol(name=f"n{number}", resource_class="gold") for number in range(NODES)]
        progress(f"writing {count:,} events")
        _fill(url, nodes, count)
        period = f"{count / PER_HOUR / 24:,.0f} days at {PER_HOUR:,} changes per hour"
        yield f"\n{count:,} events of {NODES:,} nodes: {period}; CPU of process and database server\n"
        yield from FIGURES_HEAD
        for name, act in _uses(ledger, nodes[0], count).items():
            progress(name)
            yield figure(name, _cpu(engine, act))
        yield cost_of_events(ledger)
    finally:
        store.close()
        engine.close()


def _fill(url: str, nodes: list[Node], count: int) -> None:
    first = FIRST_INSTANT - count * HOUR // PER_HOUR
    have = min(PATTERN, count)
    with connect(url) as connection:
        with connection.begin():
            connection.execute(delete(events))
            connection.execute(insert(events), [_row(nodes, number, first) for number in range(have)])
        while have < count:
            more = min(have, count - have)
            for after in range(0, more, PIECE):
                values = {"further": have, "later": have * HOUR // PER_HOUR, "after": after}
                with connection.begin():
                    connection.execute(_COPY, {**values, "last": min(after + PIECE, more)})
            have += more
        with connection.begin():
            connection.execute(insert(event_positions).values(id=1, position=count))
            collect_statistics(connection)


def _row(nodes: list[Node], number: int, first: int) -> dict[str, Any]:
    """Return one of the events that are copied. Some hundred nodes change at the same time."""
    turn, place = divmod(number, NODES // 2)
    kind, before, after = _STEPS[turn % len(_STEPS)]
    node = nodes[place + NODES // 2 * (turn // len(_STEPS) % 2)].uuid
    return {
        "position": number + 1,
        "happened_at": first + (number + 1) * HOUR // PER_HOUR,
        "type": kind,
        "object_id": node,
        "node": node,
        "project_id": f"p{place % 50}",
        "actor_user": "u",
        "actor_project": "p",
        "request_id": "req-00000000-0000-4000-8000-000000000001",
        "operation": "replace_claims",
        "before_state": before,
        "after_state": after,
    }


def _uses(ledger: Ledger, node: Node, count: int) -> Mapping[str, Callable[[], object]]:
    def read(operation: Any, command: Any) -> Callable[[], object]:
        return lambda: ledger.runner.read(operation, SERVICE, command)

    now, middle = ledger.clock(), ledger.clock() - count * HOUR // PER_HOUR // 2
    of_node = EventQuery(projects=EVERY_PROJECT, node=node.uuid, since=now - 7 * DAY)
    of_hour = EventQuery(projects=EVERY_PROJECT, since=middle, until=middle + HOUR)
    report = ReportUtilisation(projects=EVERY_PROJECT, weeks=8, with_totals=True)
    past = ExplainNodesAt(asked=ExplainNodes(resource_class="gold"), moment=now - 2 * DAY)
    old = RemoveOldEvents(seconds=0)
    return {
        "audit, the newest 100": read(list_events, EventQuery(projects=EVERY_PROJECT)),
        "audit, the newest 100 of one project": read(list_events, EventQuery(projects=frozenset({"p7"}))),
        "audit, one week of one node": read(list_events, of_node),
        "audit, one hour in the middle": read(list_events, of_hour),
        "stream, 100 events after a position": read(read_published, ReadPublished(after=count - 100, count_max=100)),
        "a node two days ago": read(show_node_at, ShowNodeAt(ident=node.uuid, moment=now - 2 * DAY)),
        "why, two days ago": read(explain_nodes_at, past),
        "utilisation of eight weeks": read(report_utilisation, report),
        f"removal of {COUNT_MAX} old events": lambda: ledger.runner.write(remove_old_events, SERVICE, old),
    }


def _cpu(engine: Engine, act: Callable[[], object]) -> str:
    """Return the mean CPU time of some calls, after one that is not counted."""
    act()
    own, servers = time.process_time(), cpu_seconds(engine.pid) if engine.pid else 0.0
    for _ in range(ROUNDS):
        act()
    own = (time.process_time() - own) * 1_000 / ROUNDS
    database = (cpu_seconds(engine.pid) - servers) * 1_000 / ROUNDS if engine.pid else 0.0
    return f"{own:,.1f} + {database:,.1f} ms"
