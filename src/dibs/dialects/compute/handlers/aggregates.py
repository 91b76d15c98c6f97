"""Host aggregates: the pool of free hosts and one for each active reservation of hosts, which follow from leases."""

from typing import Any

from dibs.dialects.compute.errors import Refusal, not_found
from dibs.dialects.compute.exchange import Exchange, json_answer
from dibs.dialects.compute.microversions import AGGREGATE_UUIDS_SINCE
from dibs.dialects.compute.times import render_naive
from dibs.http.messages import Response
from dibs.leases.model.aggregates import HostAggregate
from dibs.servers.operations.aggregates import list_aggregates

OWNER_KEY = "blazar:owner"
PROJECT_VALUE = "filter_tenant_id"


def list_all(exchange: Exchange) -> Response:
    """GET /os-aggregates"""
    found = exchange.read(list_aggregates, None)
    return json_answer({"aggregates": [_render(exchange, each) for each in found]})


def show(exchange: Exchange) -> Response:
    """GET /os-aggregates/{aggregate}"""
    ident = exchange.arguments["aggregate"]
    for each in exchange.read(list_aggregates, None):
        if str(each.id) == ident:
            return json_answer({"aggregate": _render(exchange, each)})
    raise not_found(f"Aggregate {ident} could not be found.")


def refuse(exchange: Exchange) -> Response:
    """Refuse every change: aggregates are not stored."""
    raise Refusal(
        409,
        "Aggregates follow from hosts and leases and cannot be changed here: register hosts and create leases in the"
        " reservation API.",
    )


def _render(exchange: Exchange, aggregate: HostAggregate) -> dict[str, Any]:
    owner = {OWNER_KEY: aggregate.project_id, aggregate.project_id: PROJECT_VALUE} if aggregate.project_id else {}
    zone = {"availability_zone": aggregate.zone} if aggregate.zone else {}
    uuid = {"uuid": aggregate.uuid} if exchange.minor >= AGGREGATE_UUIDS_SINCE else {}
    return {
        "id": aggregate.id,
        **uuid,
        "name": aggregate.name,
        "availability_zone": aggregate.zone,
        "hosts": list(aggregate.hosts),
        "metadata": {**zone, **owner},
        "created_at": render_naive(aggregate.created_at),
        "updated_at": render_naive(aggregate.updated_at),
        "deleted_at": None,
        "deleted": False,
    }
