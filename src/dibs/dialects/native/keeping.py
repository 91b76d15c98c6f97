"""Answer how long an allocation or a lease can be kept at most."""

from dibs.allocations.operations import endings as allocations
from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.dialects.native.times import render_time
from dibs.http.messages import Response
from dibs.leases.model.matching.latest_end import LatestEnd
from dibs.leases.operations import availability as leases


def show_of_allocation(exchange: Exchange) -> Response:
    """GET /v1/allocations/{allocation}/latest-end"""
    command = allocations.FindLatestEnd(ident=exchange.arguments["allocation"], rules=exchange.services.lifetime_rules)
    return _answer(exchange.read(allocations.find_latest_end, command))


def show_of_lease(exchange: Exchange) -> Response:
    """GET /v1/leases/{lease}/latest-end"""
    access = exchange.services.lease_policy.access(exchange.actor)
    command = leases.FindLatestEnd(uuid=exchange.arguments["lease"], rules=exchange.services.lease_rules)
    return _answer(exchange.services.runner.read(leases.find_latest_end, access, command))


def _answer(found: LatestEnd) -> Response:
    return json_answer({"end": render_time(found.end), "latest": render_time(found.latest), "reason": found.reason})
