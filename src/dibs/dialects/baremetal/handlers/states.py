"""States of a node, and changes of its power state."""

from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import location, node_in_path
from dibs.dialects.baremetal.documents.rendering import render_states
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.machines.model import states
from dibs.machines.operations import nodes as node_operations
from dibs.machines.operations import provisioning as operations

SOFT_POWER_SINCE = 27


def show_states(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/states"""
    ident = node_in_path(exchange)
    command = node_operations.GetNode(ident=ident, rules=("baremetal:node:get_states",))
    view = exchange.read(node_operations.get_node, command)
    return json_answer(render_states(exchange, view))


def set_power(exchange: Exchange) -> Response:
    """PUT /v1/nodes/{node}/states/power"""
    ident = node_in_path(exchange)
    body = exchange.body("body", schemas.POWER)
    target, timeout = body.get("target"), body.get("timeout")
    if target is None:
        raise bad_request("Missing mandatory parameter: target")
    soft = target in (states.SOFT_REBOOT, states.SOFT_POWER_OFF)
    if (soft or timeout is not None) and exchange.minor < SOFT_POWER_SINCE:
        raise not_acceptable()
    if timeout is not None and timeout < 1:
        raise bad_request("timeout has to be positive integer")
    command = operations.RequestPower(
        ident=ident,
        rules=("baremetal:node:set_power_state",),
        target=target,
        timeout=timeout,
    )
    exchange.write(operations.request_power, command)
    exchange.services.wake()
    return empty_answer(202, location(exchange, "nodes", ident, "states"))
