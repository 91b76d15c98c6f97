"""One node: facts, traits, what occupies it, and the coming week."""

from dibs.console.bars import Scale, bars_of
from dibs.console.exchange import Exchange
from dibs.console.times import DAY
from dibs.console.views.reading import lines_of, read_schedule
from dibs.http.messages import Response
from dibs.machines.model.node_query import Equals
from dibs.machines.operations.nodes import GetNode, NodeView, get_node

WEEK_DAYS = 7
BOOKINGS_DAYS = 3_650

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
    scale = Scale(start=start, end=exchange.zone.days_later(start, WEEK_DAYS), now=exchange.now, zone=exchange.zone)
    return exchange.page(
        "node.html",
        line=line,
        facts=_facts(view),
        properties=sorted((key, str(value)) for key, value in view.node.properties.items()),
        traits=view.traits,
        scale=scale,
        bars=bars_of(line, scale),
        command=f"dibs node show {line.name}",
    )


def _facts(view: NodeView) -> list[tuple[str, str]]:
    facts = [(title, str(getattr(view.node, name))) for title, name in _FACTS if getattr(view.node, name)]
    return [*facts, *([("Conductor", view.conductor)] if view.conductor else []), ("UUID", view.node.uuid)]
