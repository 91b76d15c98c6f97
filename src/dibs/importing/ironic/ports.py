"""Copy the ports of a node. Each port keeps its uuid and is created by a single request."""

from dibs.importing.differences import differences
from dibs.importing.report import Report
from dibs.importing.service import Refused, Service

_COPIED = (
    "address", "extra", "is_smartnic", "local_link_connection", "physical_network", "pxe_enabled", "name",
    "description", "vendor", "category", "available_for_dynamic_portgroup",
)  # fmt: skip
_WHY = {"portgroup_uuid": "an import does not copy port groups"}


def copy_ports(source: Service, target: Service, node: str, report: Report) -> None:
    """Copy the ports of one node."""
    known = {port["uuid"]: port for port in target.pages("/v1/ports/detail", "ports", node=node)}
    for port in source.pages("/v1/ports/detail", "ports", node=node):
        found = known.get(port["uuid"])
        created = found is None
        try:
            if found is None:
                body = {name: port[name] for name in _COPIED if port.get(name) not in (None, "", {})}
                found = target.send("POST", "/v1/ports", {**body, "uuid": port["uuid"], "node_uuid": node}) or {}
        except Refused as refusal:
            report.refused("port", port["uuid"], port["address"], str(refusal))
            continue
        names = (*_COPIED, "node_uuid", "portgroup_uuid")
        report.compared("port", port["uuid"], port["address"], differences(port, found, names, _WHY), created=created)
