"""Nodes: made with the uuid that they have, brought to their state, then let go.

A node that is being copied is in maintenance for a reason that says so, from the request that makes it on. So nobody is
given half a node, and a later run knows which ones to finish; every other node that is here already is compared only.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dibs.importing import ports
from dibs.importing.differences import differences, without_secrets
from dibs.importing.node_states import AS_IT_IS, NOT_ENTERED, bring_to, reachable_state, wait_until_at_rest
from dibs.importing.report import Difference, Report
from dibs.importing.service import Json, Refused, Service

UNFINISHED = "dibs import has not finished with this node"

_PLAIN = (
    "name", "resource_class", "owner", "lessee", "description", "conductor_group", "properties", "extra",
    "driver_info", "instance_info", "instance_uuid", "instance_name", "network_data", "shard", "parent_node",
    "disable_power_off",
)  # fmt: skip
"""Attributes that a node is made with."""
_LAST = ("automated_clean", "retired", "retired_reason", "protected", "protected_reason")
"""Attributes that are set when the node is in its state: before, they would keep it from getting there, or have it
cleaned, which a node that was free there does not need."""
_INTERFACES = (
    "bios_interface", "boot_interface", "console_interface", "deploy_interface", "firmware_interface",
    "inspect_interface", "management_interface", "network_interface", "power_interface", "raid_interface",
    "rescue_interface", "storage_interface", "vendor_interface",
)  # fmt: skip
_COMPARED = (
    "driver", *_PLAIN, *_LAST, "traits", "maintenance", "maintenance_reason", "provision_state", "chassis_uuid",
)  # fmt: skip
_SET_BY_ALLOCATION = ("instance_uuid", "instance_info", "maintenance", "maintenance_reason")

_CHILDREN_SINCE = (1, 83)


@dataclass(frozen=True)
class NodeCopier:
    """Copies nodes from one bare-metal service to another."""

    there: Service
    here: Service
    drivers: dict[str, Json]
    """What the target can drive, with the interfaces of each."""
    report: Report
    stand_in: str | None = None
    """The driver for nodes whose own driver the target does not have."""

    def copy_all(self) -> None:
        """Every node of the source, with its ports."""
        self.report.begin("node")
        for node in self.there.pages("/v1/nodes/detail", "nodes", **_with_children(self.there)):
            self.copy(node)
            self.report.advance("node")

    def copy(self, node: Json) -> None:
        """One node, whatever is here of it already."""
        try:
            self._copy(node)
        except Refused as refusal:
            self.report.refused("node", node["uuid"], node.get("name"), str(refusal))

    def let_go(self, node: Json) -> None:
        """End the maintenance of a node that was made here, unless its original is in maintenance."""
        path = f"/v1/nodes/{node['uuid']}/maintenance"
        if node["maintenance"]:
            self.here.send("PUT", path, {"reason": node.get("maintenance_reason")})
        else:
            self.here.send("DELETE", path)

    def is_unfinished(self, uuid: str) -> bool:
        """True for a node that an import began with."""
        found = self.here.find(f"/v1/nodes/{uuid}")
        return found is not None and _is_unfinished(found)

    def _copy(self, node: Json) -> None:
        found = self.here.find(f"/v1/nodes/{node['uuid']}")
        made = found is None or _is_unfinished(found)
        if found is None:
            self._make(node)
        if made:
            self._finish(node, marked=found is None or found["maintenance_reason"] is not None)
        ports.copy_of_node(self.there, self.here, node["uuid"], self.report)
        if made and not _waits_for_allocation(node):
            self.let_go(node)
        found = self.here.get(f"/v1/nodes/{node['uuid']}")
        self.report.compared("node", node["uuid"], node.get("name"), self._compare(node, found), made=made)

    def _make(self, node: Json) -> None:
        body = {name: without_secrets(node[name]) for name in _PLAIN if node.get(name)}
        if _waits_for_allocation(node):
            body.pop("instance_uuid", None)
        driver = self._driver_for(node)
        if driver == node["driver"]:
            body |= {name: node[name] for name in _INTERFACES if self._has_interface(node, name)}
        if node.get("parent_node"):
            self._have_parent(node["parent_node"])
        body |= {"uuid": node["uuid"], "driver": driver, "maintenance": True, "automated_clean": False}
        self.here.send("POST", "/v1/nodes", body)
        self._mark(node["uuid"])

    def _finish(self, node: Json, marked: bool) -> None:
        """Go on from wherever an earlier run stopped; every step may have been done already."""
        wait_until_at_rest(self.here, node["uuid"])
        if not marked:
            self._mark(node["uuid"])
        self.here.send("PUT", f"/v1/nodes/{node['uuid']}/traits", {"traits": node.get("traits") or []})
        bring_to(self.here, node["uuid"], reachable_state(node["provision_state"]))
        changes = [_change(name, node[name]) for name in _LAST if name in node and name != "automated_clean"]
        changes = [change for change in changes if change["value"]]
        # Null is a value of its own: the service's default.
        changes.append(_change("automated_clean", node.get("automated_clean")))
        self.here.send("PATCH", f"/v1/nodes/{node['uuid']}", changes)

    def _mark(self, uuid: str) -> None:
        self.here.send("PUT", f"/v1/nodes/{uuid}/maintenance", {"reason": UNFINISHED})

    def _have_parent(self, uuid: str) -> None:
        """A parent must be there before its children are."""
        if self.here.find(f"/v1/nodes/{uuid}") is None:
            parent = self.there.find(f"/v1/nodes/{uuid}")
            if parent is not None:
                self._make(parent)

    def _driver_for(self, node: Json) -> str:
        driver = str(node["driver"])
        if driver in self.drivers:
            return driver
        if self.stand_in is None:
            known = ", ".join(sorted(self.drivers)) or "none"
            raise Refused(400, f"the target has no driver {driver} (it has {known}); --driver names one to use instead")
        return self.stand_in

    def _has_interface(self, node: Json, name: str) -> bool:
        enabled = self.drivers[node["driver"]].get(f"enabled_{name}s") or []
        return bool(node.get(name)) and node[name] in enabled

    def _compare(self, node: Json, found: Json) -> Iterator[Difference]:
        names: Iterable[str] = _COMPARED
        if node["driver"] in self.drivers:
            names = (*names, *_INTERFACES)
        elif found["driver"] == self.stand_in:
            names = (name for name in names if name != "driver")
        if _waits_for_allocation(node) and not found.get("allocation_uuid"):
            names = (name for name in names if name not in _SET_BY_ALLOCATION)
        why = {
            "chassis_uuid": "Dibs has no chassis",
            **dict.fromkeys(_INTERFACES, "the driver of the target has other interfaces"),
        }
        if node["provision_state"] not in AS_IT_IS:
            why["provision_state"] = NOT_ENTERED
        return differences(node, found, names, why)


def drivers_of(service: Service) -> dict[str, Json]:
    """The drivers of a service with what they can do, by name."""
    return {driver["name"]: driver for driver in service.get("/v1/drivers", detail="true")["drivers"]}


def _waits_for_allocation(node: Json) -> bool:
    """True for a free node that an allocation has: it is let go when its allocation is made, and not before."""
    return bool(node.get("allocation_uuid")) and reachable_state(node["provision_state"]) == "available"


def _is_unfinished(found: Json) -> bool:
    """The reason is given by a second request; between the two the node is in ``enroll``, without any."""
    just_made = found["provision_state"] == "enroll" and found["maintenance_reason"] is None
    return bool(found["maintenance"]) and (just_made or found["maintenance_reason"] == UNFINISHED)


def _change(name: str, value: object) -> Json:
    return {"op": "add", "path": f"/{name}", "value": value}


def _with_children(service: Service) -> dict[str, str]:
    """Since 1.83 a list of nodes leaves out those inside others unless it is asked for them."""
    return {"include_children": "true"} if service.version and service.version >= _CHILDREN_SINCE else {}
