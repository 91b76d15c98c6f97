"""Copy nodes: create each with its own uuid, move it to its provision state, then end its maintenance.

A node that is being copied is in maintenance, with a reason that marks it, from the request that creates it. No client
can use an incomplete node, and a later run finds the nodes to complete. All other existing nodes are compared only.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from dibs.importing.differences import differences, without_secrets
from dibs.importing.ironic.node_states import NOT_REACHABLE, REACHABLE, move_to, reachable_state, wait_until_stable
from dibs.importing.ironic.ports import copy_ports
from dibs.importing.report import Difference, Report
from dibs.importing.service import Json, Refused, Service

UNFINISHED = "dibs import has not finished with this node"

_ATTRIBUTES = (
    "name", "resource_class", "owner", "lessee", "description", "conductor_group", "properties", "extra",
    "driver_info", "instance_info", "instance_uuid", "instance_name", "network_data", "shard", "parent_node",
    "disable_power_off",
)  # fmt: skip
"""Attributes sent in the request that creates a node."""
_SET_LAST = ("automated_clean", "retired", "retired_reason", "protected", "protected_reason")
"""Attributes that are set after the node has reached its state. Set earlier, they would block the provision verbs or
start automated cleaning, which an available node of the source does not need."""
_INTERFACES = (
    "bios_interface", "boot_interface", "console_interface", "deploy_interface", "firmware_interface",
    "inspect_interface", "management_interface", "network_interface", "power_interface", "raid_interface",
    "rescue_interface", "storage_interface", "vendor_interface",
)  # fmt: skip
_COMPARED = (
    "driver", *_ATTRIBUTES, *_SET_LAST, "traits", "maintenance", "maintenance_reason", "provision_state",
    "chassis_uuid",
)  # fmt: skip
_SET_BY_ALLOCATION = ("instance_uuid", "instance_info", "maintenance", "maintenance_reason")

_CHILDREN_SINCE = (1, 83)


class NodeCopier(Struct, frozen=True):
    """Copies nodes from one bare-metal service to another."""

    source: Service
    target: Service
    drivers: dict[str, Json]
    """The drivers of the target, each with its enabled interfaces, by name."""
    report: Report
    fallback_driver: str | None = None
    """The driver for nodes whose own driver the target does not have."""

    def copy_all(self) -> None:
        """Copy every node of the source with its ports."""
        self.report.begin("node")
        for node in self.source.pages("/v1/nodes/detail", "nodes", **_children_query(self.source)):
            self.copy(node)
            self.report.advance("node")

    def copy(self, node: Json) -> None:
        """Copy one node, or complete or compare its existing copy."""
        try:
            self._copy(node)
        except Refused as refusal:
            self.report.refused("node", node["uuid"], node.get("name"), str(refusal))

    def end_maintenance(self, node: Json) -> None:
        """End the maintenance of a copied node, or give it the reason of its original if that is in maintenance."""
        path = f"/v1/nodes/{node['uuid']}/maintenance"
        if node["maintenance"]:
            self.target.send("PUT", path, {"reason": node.get("maintenance_reason")})
        else:
            self.target.send("DELETE", path)

    def is_unfinished(self, uuid: str) -> bool:
        """Return True for a node that an import has created and not completed."""
        found = self.target.find(f"/v1/nodes/{uuid}")
        return found is not None and _is_unfinished(found)

    def _copy(self, node: Json) -> None:
        found = self.target.find(f"/v1/nodes/{node['uuid']}")
        created = found is None or _is_unfinished(found)
        if found is None:
            self._create(node)
        if created:
            self._finish(node, marked=found is None or found["maintenance_reason"] is not None)
        copy_ports(self.source, self.target, node["uuid"], self.report)
        if created and not _waits_for_allocation(node):
            self.end_maintenance(node)
        found = self.target.get(f"/v1/nodes/{node['uuid']}")
        self.report.compared("node", node["uuid"], node.get("name"), self._compare(node, found), created=created)

    def _create(self, node: Json) -> None:
        body = {name: without_secrets(node[name]) for name in _ATTRIBUTES if node.get(name)}
        if _waits_for_allocation(node):
            body.pop("instance_uuid", None)
        driver = self._driver_for(node)
        if driver == node["driver"]:
            body |= {name: node[name] for name in _INTERFACES if self._has_interface(node, name)}
        if node.get("parent_node"):
            self._create_parent(node["parent_node"])
        body |= {"uuid": node["uuid"], "driver": driver, "maintenance": True, "automated_clean": False}
        self.target.send("POST", "/v1/nodes", body)
        self._mark(node["uuid"])

    def _finish(self, node: Json, marked: bool) -> None:
        """Continue where an earlier run stopped; every step can be repeated."""
        wait_until_stable(self.target, node["uuid"])
        if not marked:
            self._mark(node["uuid"])
        self.target.send("PUT", f"/v1/nodes/{node['uuid']}/traits", {"traits": node.get("traits") or []})
        move_to(self.target, node["uuid"], reachable_state(node["provision_state"]))
        changes = [_change(name, node[name]) for name in _SET_LAST if name in node and name != "automated_clean"]
        changes = [change for change in changes if change["value"]]
        # Null is a value too: it stands for the default of the service.
        changes.append(_change("automated_clean", node.get("automated_clean")))
        self.target.send("PATCH", f"/v1/nodes/{node['uuid']}", changes)

    def _mark(self, uuid: str) -> None:
        self.target.send("PUT", f"/v1/nodes/{uuid}/maintenance", {"reason": UNFINISHED})

    def _create_parent(self, uuid: str) -> None:
        """Create the parent of a node, which must exist before its children."""
        if self.target.find(f"/v1/nodes/{uuid}") is None:
            parent = self.source.find(f"/v1/nodes/{uuid}")
            if parent is not None:
                self._create(parent)

    def _driver_for(self, node: Json) -> str:
        driver = str(node["driver"])
        if driver in self.drivers:
            return driver
        if self.fallback_driver is None:
            known = ", ".join(sorted(self.drivers)) or "none"
            raise Refused(400, f"Dibs has no driver {driver} (available: {known}); choose a replacement with --driver")
        return self.fallback_driver

    def _has_interface(self, node: Json, name: str) -> bool:
        enabled = self.drivers[node["driver"]].get(f"enabled_{name}s") or []
        return bool(node.get(name)) and node[name] in enabled

    def _compare(self, node: Json, found: Json) -> Iterator[Difference]:
        names: Iterable[str] = _COMPARED
        if node["driver"] in self.drivers:
            names = (*names, *_INTERFACES)
        elif found["driver"] == self.fallback_driver:
            names = (name for name in names if name != "driver")
        if _waits_for_allocation(node) and not found.get("allocation_uuid"):
            names = (name for name in names if name not in _SET_BY_ALLOCATION)
        why = {
            "chassis_uuid": "an import does not copy chassis",
            **dict.fromkeys(_INTERFACES, "the driver in Dibs has other interfaces"),
        }
        if node["provision_state"] not in REACHABLE:
            why["provision_state"] = NOT_REACHABLE
        return differences(node, found, names, why)


def drivers_of(service: Service) -> dict[str, Json]:
    """Return the drivers of a service with their details, by name."""
    return {driver["name"]: driver for driver in service.get("/v1/drivers", detail="true")["drivers"]}


def _waits_for_allocation(node: Json) -> bool:
    """Return True for an available node with an allocation: its maintenance ends when the allocation is copied."""
    return bool(node.get("allocation_uuid")) and reachable_state(node["provision_state"]) == "available"


def _is_unfinished(found: Json) -> bool:
    """Return True for a node in maintenance for an import.

    A second request sets the maintenance reason; between the two the node is in ``enroll`` without a reason.
    """
    just_created = found["provision_state"] == "enroll" and found["maintenance_reason"] is None
    return bool(found["maintenance"]) and (just_created or found["maintenance_reason"] == UNFINISHED)


def _change(name: str, value: object) -> Json:
    return {"op": "add", "path": f"/{name}", "value": value}


def _children_query(service: Service) -> dict[str, str]:
    """Return the query that includes child nodes, which lists omit by default since 1.83."""
    return {"include_children": "true"} if service.version and service.version >= _CHILDREN_SINCE else {}
