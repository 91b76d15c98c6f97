"""Allocations of Ironic: requests for a node that have found one.

An allocation is made for the very node that it has in the source. One whose node is in use is entered for it
afterwards (``node``); one whose node is free is made through a short reservation of that node, so that the candidates
which it names stay as they were, and nobody comes in between.
"""

from dibs.importing.differences import differences
from dibs.importing.nodes import NodeCopier
from dibs.importing.report import Report
from dibs.importing.service import Json, Refused, Service

SINCE = (1, 52)
_COPIED = ("name", "resource_class", "traits", "candidate_nodes", "extra", "owner")


def copy_all(there: Service, here: Service, nodes: NodeCopier, report: Report) -> None:
    """Every allocation that has a node."""
    if there.version is None or there.version < SINCE:
        return
    report.begin("allocation")
    for allocation in there.pages("/v1/allocations", "allocations"):
        _copy(here, allocation, nodes, report)
        report.advance("allocation")


def _copy(here: Service, allocation: Json, nodes: NodeCopier, report: Report) -> None:
    uuid, name = allocation["uuid"], allocation["name"]
    if allocation["state"] == "error":
        report.left_out("allocation", uuid, name, f"it found no node: {allocation['last_error']}")
        return
    if allocation["state"] != "active":
        report.refused("allocation", uuid, name, f"it is {allocation['state']}; run again when it has a node")
        return
    try:
        found = here.find(f"/v1/allocations/{uuid}")
        made = found is None
        if found is None:
            found = _make(here, allocation, nodes)
    except Refused as refusal:
        report.refused("allocation", uuid, name, str(refusal))
        return
    report.compared(
        "allocation", uuid, name, differences(allocation, found, (*_COPIED, "node_uuid", "state")), made=made
    )


def _make(here: Service, allocation: Json, nodes: NodeCopier) -> Json:
    node = nodes.there.get(f"/v1/nodes/{allocation['node_uuid']}")
    found = here.find(f"/v1/nodes/{node['uuid']}")
    if found is None:
        raise Refused(404, f"its node {node['uuid']} is not here")
    body = {name: allocation[name] for name in _COPIED if allocation.get(name)}
    body["uuid"] = allocation["uuid"]
    if found["provision_state"] == "active":
        body["node"] = node["uuid"]
    else:
        if nodes.is_unfinished(node["uuid"]):
            nodes.let_go({**node, "maintenance": False})
        body["reservation_uuid"] = _reserve(here, allocation["uuid"], node["uuid"])
    made = here.send("POST", "/v1/allocations", body) or {}
    if node["maintenance"]:
        nodes.let_go(node)
    return made


def _reserve(here: Service, instance: str, node: str) -> str:
    """Keep the node for a moment, or find the reservation that a run before this one left behind."""
    try:
        made = here.send("POST", "/v1/reservations", {"instance_uuid": instance, "node_uuid": [node]}) or {}
        return str(made["reservation"]["uuid"])
    except Refused:
        for reservation in here.pages("/v1/reservations", "reservations"):
            if reservation["instance_uuid"] == instance and reservation["node_uuid"] == node:
                return str(reservation["uuid"])
        raise
