"""Copy Ironic's allocations, each with the node that it holds in the source.

If the node is deployed, the allocation is backfilled (``node``). If the node is available, a short reservation of that
node selects it: the allocation keeps its own ``candidate_nodes``, and no other client can take the node in between.
"""

from dibs.importing.differences import differences
from dibs.importing.ironic.nodes import NodeCopier
from dibs.importing.report import Report
from dibs.importing.service import Json, Refused, Service

ALLOCATIONS_SINCE = (1, 52)
_COPIED = ("name", "resource_class", "traits", "candidate_nodes", "extra", "owner")


def copy_allocations(source: Service, target: Service, nodes: NodeCopier, report: Report) -> None:
    """Copy every allocation that holds a node."""
    if source.version is None or source.version < ALLOCATIONS_SINCE:
        return
    report.begin("allocation")
    for allocation in source.pages("/v1/allocations", "allocations"):
        _copy(target, allocation, nodes, report)
        report.advance("allocation")


def _copy(target: Service, allocation: Json, nodes: NodeCopier, report: Report) -> None:
    uuid, name = allocation["uuid"], allocation["name"]
    if allocation["state"] == "error":
        report.left_out("allocation", uuid, name, f"the allocation failed: {allocation['last_error']}")
        return
    if allocation["state"] != "active":
        reason = f"its state is {allocation['state']}; run the import again when it is active"
        report.refused("allocation", uuid, name, reason)
        return
    try:
        found = target.find(f"/v1/allocations/{uuid}")
        created = found is None
        if found is None:
            found = _create(target, allocation, nodes)
    except Refused as refusal:
        report.refused("allocation", uuid, name, str(refusal))
        return
    compared = differences(allocation, found, (*_COPIED, "node_uuid", "state"))
    report.compared("allocation", uuid, name, compared, created=created)


def _create(target: Service, allocation: Json, nodes: NodeCopier) -> Json:
    node = nodes.source.get(f"/v1/nodes/{allocation['node_uuid']}")
    found = target.find(f"/v1/nodes/{node['uuid']}")
    if found is None:
        raise Refused(404, f"node {node['uuid']} does not exist in Dibs")
    body = {name: allocation[name] for name in _COPIED if allocation.get(name)}
    body["uuid"] = allocation["uuid"]
    if found["provision_state"] == "active":
        body["node"] = node["uuid"]
    else:
        if nodes.is_unfinished(node["uuid"]):
            nodes.end_maintenance({**node, "maintenance": False})
        body["reservation_uuid"] = _reserve(target, allocation["uuid"], node["uuid"])
    created = target.send("POST", "/v1/allocations", body) or {}
    if node["maintenance"]:
        nodes.end_maintenance(node)
    return created


def _reserve(target: Service, instance: str, node: str) -> str:
    """Reserve the node, or return the reservation that an earlier, interrupted run left behind."""
    try:
        created = target.send("POST", "/v1/reservations", {"instance_uuid": instance, "node_uuid": [node]}) or {}
        return str(created["reservation"]["uuid"])
    except Refused:
        for reservation in target.pages("/v1/reservations", "reservations"):
            if reservation["instance_uuid"] == instance and reservation["node_uuid"] == node:
                return str(reservation["uuid"])
        raise
