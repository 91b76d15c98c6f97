"""One node: facts, traits, state history, what occupies it, and the coming week."""

import shlex

from dibs.console.exchange import Exchange
from dibs.console.presentation.bars import bars_of
from dibs.console.presentation.changes import Change, change_of
from dibs.console.times import DAY
from dibs.console.views.reading import lines_of, read_schedule, scale_of
from dibs.errors import Forbidden
from dibs.events.model.access import visible_events
from dibs.events.model.stored import EventQuery
from dibs.events.operations.listing import list_events
from dibs.http.messages import Response
from dibs.machines.model.node_query import Equals
from dibs.machines.operations.nodes import GetNode, NodeView, get_node

WEEK_DAYS = 7
BOOKINGS_DAYS = 3_650
EVENTS_MAX = 100
HISTORY_MAX = 20
"""The latest events of a node that are read, and the changes of its state that are shown."""

_FACTS = (
    ("Class", "resource_class"),
    ("Owner", "owner"),
    ("Lessee", "lessee"),
    ("Provision state", "provision_state"),
    ("Power", "power_state"),
    ("Driver", "driver"),
    ("Instance", "instance_uuid"),
    ("Description", "description"),
)
_STATE = frozenset(
    {"provision_state", "power_state", "maintenance", "maintenance_reason", "fault", "retired", "last_error"}
)


def show(exchange: Exchange) -> Response:
    """GET /nodes/{node}"""
    view = exchange.read(get_node, exchange.machines, GetNode(ident=exchange.arguments["node"], rules=()))
    start = exchange.zone.midnight(exchange.now)
    schedule = read_schedule(
        exchange,
        start=start,
        end=start + BOOKINGS_DAYS * DAY,
        limit=1,
        conditions=(Equals("uuid", view.node.uuid),),
    )
    (line,) = lines_of(schedule, exchange.now)
    scale = scale_of(exchange, start, exchange.zone.days_later(start, WEEK_DAYS))
    return exchange.page(
        "node.html",
        line=line,
        facts=_facts(view),
        properties=sorted((key, str(value)) for key, value in view.node.properties.items()),
        traits=view.traits,
        scale=scale,
        bars=bars_of(line, scale),
        history=_history(exchange, view.node.uuid),
        command=f"dibs node show {shlex.quote(line.name)}",
    )


def _history(exchange: Exchange, uuid: str) -> list[Change]:
    """Return the latest changes of the node's state, as far as the user may see its events."""
    try:
        projects = visible_events(exchange.machines)
    except Forbidden:
        return []
    query = EventQuery(projects=projects, node=uuid, type="node", limit=EVENTS_MAX)
    found = exchange.read(list_events, exchange.machines, query)
    changes = [change_of(event, exchange.zone, _STATE) for event in found]
    return [change for change in changes if change.words][:HISTORY_MAX]


def _facts(view: NodeView) -> list[tuple[str, str]]:
    facts = [(title, str(getattr(view.node, name))) for title, name in _FACTS if getattr(view.node, name)]
    return [*facts, *([("Conductor", view.conductor)] if view.conductor else []), ("UUID", view.node.uuid)]
