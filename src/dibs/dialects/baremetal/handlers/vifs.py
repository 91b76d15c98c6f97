"""Virtual interfaces of a node."""

from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import node_in_path, read_ident
from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.machines.model.patching.values import read_uuid
from dibs.machines.operations import vifs as operations
from dibs.machines.operations.nodes import GetNode

PORT_SINCE = 67


def list_vifs(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/vifs"""
    command = GetNode(ident=node_in_path(exchange), rules=("baremetal:node:vif:list",))
    return json_answer({"vifs": [{"id": vif} for vif in exchange.read(operations.list_vifs, command)]})


def attach_vif(exchange: Exchange) -> Response:
    """POST /v1/nodes/{node}/vifs"""
    body = exchange.body("vif", schemas.VIF)
    named = {name: body[name] for name in ("port_uuid", "portgroup_uuid") if name in body}
    if exchange.minor < PORT_SINCE:
        named = {}
    if len(named) > 1:
        raise bad_request("Cannot specify both port_uuid and portgroup_uuid")
    command = operations.AttachVif(
        ident=node_in_path(exchange),
        rules=("baremetal:node:vif:attach",),
        vif=read_ident("id", body["id"], exchange.minor),
        **{name.removesuffix("_uuid"): read_uuid(name, value) for name, value in named.items()},
    )
    exchange.write(operations.attach_vif, command)
    return empty_answer(204)


def detach_vif(exchange: Exchange) -> Response:
    """DELETE /v1/nodes/{node}/vifs/{vif}"""
    command = operations.DetachVif(
        ident=node_in_path(exchange),
        rules=("baremetal:node:vif:detach",),
        vif=read_ident("vif_id", exchange.arguments["vif"], exchange.minor),
    )
    exchange.write(operations.detach_vif, command)
    return empty_answer(204)
