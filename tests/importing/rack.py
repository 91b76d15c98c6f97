"""Fill a real Ironic: one node for each case that an import must handle."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from keystoneauth1.session import Session
from keystoneauth1.token_endpoint import Token
from openstack.connection import Connection

from tests.bed.waiting import eventually

PROJECT = "4f4d6c1b2a0e4f7f8a4c5d0f5f2b7c11"


@dataclass
class Rack:
    """A filled Ironic."""

    url: str
    cloud: Connection
    nodes: dict[str, str] = field(default_factory=dict)
    """Names and uuids."""


def connect(url: str) -> Connection:
    """Connect the openstacksdk to a bare-metal service without authentication."""
    session = Session(auth=Token(url, "admin"))
    return Connection(session=session, baremetal_endpoint_override=url, baremetal_status_code_retries=0)


def fill(url: str) -> Rack:
    """Enroll the nodes and create the allocations."""
    rack = Rack(url, connect(url))
    _enroll(rack, "child")
    _enroll(rack, "bare")
    _enroll(rack, "manageable", "manage", extra={"rack": "r1"})
    _enroll(
        rack, "free", "manage", "provide",
        properties={"cpus": 64, "memory_mb": 262144}, extra={"rack": "r1"}, description="next to the door",
        traits=["CUSTOM_GPU", "HW_CPU_X86_AVX2"], ports=2, owner=PROJECT, automated_clean=True,
    )  # fmt: skip
    _enroll(rack, "broken", "manage", "provide", maintenance="fan 3")
    _enroll(rack, "old", "manage", retired=True, retired_reason="eight years")
    _enroll(rack, "used", "manage", "provide", instance_uuid=str(uuid.uuid4()), deploy=True, lessee=PROJECT)
    _enroll(rack, "precious", "manage", "provide", instance_uuid=str(uuid.uuid4()), deploy=True, protected=True)
    _enroll(rack, "asked-for", "manage", "provide", resource_class="gold", traits=["CUSTOM_GPU", "CUSTOM_NVME"])
    _enroll(rack, "asked-for-and-used", "manage", "provide", resource_class="silver")
    _enroll(rack, "secretive", driver_info={"ipmi_address": "10.0.0.7", "ipmi_password": "correct horse"})
    _enroll(rack, "by-hand", "manage", driver="manual-management")
    rack.cloud.baremetal.patch_node(rack.nodes["child"], [_add("parent_node", rack.nodes["manageable"])])
    for name in ("asked-for", "asked-for-and-used"):
        _power_off(rack, name)
    _allocate(rack, "gold-one", "gold", ["CUSTOM_GPU"], [rack.nodes["asked-for"], rack.nodes["free"]])
    _allocate(rack, "silver-one", "silver", [], [])
    _provision(rack, "asked-for-and-used", "active", "active")
    rack.cloud.baremetal.create_allocation(name="in-vain", resource_class="platinum")
    return rack


def _enroll(rack: Rack, name: str, *verbs: str, **options: Any) -> None:
    cloud = rack.cloud.baremetal
    body = {"name": name, "driver": options.pop("driver", "fake-hardware"), "resource_class": "compute"}
    traits, ports, reason = options.pop("traits", []), options.pop("ports", 0), options.pop("maintenance", None)
    deploy, later = options.pop("deploy", False), {}
    for attribute in ("owner", "lessee", "retired", "retired_reason", "protected", "instance_uuid", "automated_clean"):
        if attribute in options:
            later[attribute] = options.pop(attribute)
    node = cloud.create_node(**body | options)
    rack.nodes[name] = node.id
    if traits:
        cloud.set_node_traits(node, traits)
    for number in range(ports):
        cloud.create_port(
            node_id=node.id,
            address=f"52:54:00:00:{len(rack.nodes):02x}:{number:02x}",
            extra={"slot": number},
            local_link_connection={"switch_id": "aa:bb:cc:dd:ee:ff", "port_id": f"eth{number}"},
        )
    for verb in verbs:
        _provision(rack, name, verb, {"manage": "manageable", "provide": "available"}[verb])
    protected = later.pop("protected", None)
    if later:
        cloud.patch_node(node.id, [_add(attribute, value) for attribute, value in later.items()])
    if deploy:
        _provision(rack, name, "active", "active")
    if protected:
        cloud.patch_node(node.id, [_add("protected", True)])
    if reason:
        cloud.set_node_maintenance(node, reason)


def _provision(rack: Rack, name: str, verb: str, state: str) -> None:
    rack.cloud.baremetal.set_node_provision_state(rack.nodes[name], verb)

    def arrived() -> bool:
        node = rack.cloud.baremetal.get_node(rack.nodes[name])
        assert not node.last_error, node.last_error
        return node.provision_state == state and node.reservation is None

    eventually(arrived, 60, f"{name} in {state}")


def _power_off(rack: Rack, name: str) -> None:
    """Set the power state: fake hardware has none at first, and Ironic allocates no node without one."""
    rack.cloud.baremetal.set_node_power_state(rack.nodes[name], "power off")
    eventually(lambda: rack.cloud.baremetal.get_node(rack.nodes[name]).power_state == "power off", 30, "power off")


def _allocate(rack: Rack, name: str, resource_class: str, traits: list[str], candidates: list[str]) -> None:
    made = rack.cloud.baremetal.create_allocation(
        name=name, resource_class=resource_class, traits=traits, candidate_nodes=candidates, extra={"for": "a test"}
    )
    rack.cloud.baremetal.wait_for_allocation(made, timeout=30)


def _add(attribute: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": f"/{attribute}", "value": value}
