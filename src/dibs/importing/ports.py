"""Ports of a node: told apart by their uuids, and made whole by one request each."""

from dibs.importing.differences import differences
from dibs.importing.report import Report
from dibs.importing.service import Refused, Service

_COPIED = (
    "address", "extra", "is_smartnic", "local_link_connection", "physical_network", "pxe_enabled", "name",
    "description", "vendor", "category", "available_for_dynamic_portgroup",
)  # fmt: skip
_WHY = {"portgroup_uuid": "Dibs has no port groups"}


def copy_of_node(there: Service, here: Service, node: str, report: Report) -> None:
    """Copy the ports of one node."""
    known = {port["uuid"]: port for port in here.pages("/v1/ports/detail", "ports", node=node)}
    for port in there.pages("/v1/ports/detail", "ports", node=node):
        found = known.get(port["uuid"])
        made = found is None
        try:
            if found is None:
                body = {name: port[name] for name in _COPIED if port.get(name) not in (None, "", {})}
                found = here.send("POST", "/v1/ports", {**body, "uuid": port["uuid"], "node_uuid": node}) or {}
        except Refused as refusal:
            report.refused("port", port["uuid"], port["address"], str(refusal))
            continue
        names = (*_COPIED, "node_uuid", "portgroup_uuid")
        report.compared("port", port["uuid"], port["address"], differences(port, found, names, _WHY), made=made)
