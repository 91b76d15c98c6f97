from typing import Any

import pytest

from dibs.ledger.model.inventories import Inventory
from dibs.servers.model.hypervisors import COMPUTE_TYPE, NODE_TYPE, Hypervisor


def node(in_use: bool, **properties: Any) -> Hypervisor:
    return Hypervisor(
        id=1,
        uuid="n",
        name="n",
        disabled=False,
        node=True,
        in_use=in_use,
        hypervisor_type=NODE_TYPE,
        properties=properties,
        changed_at=0,
    )


def test_compute_host_counts_reserved_units_as_used() -> None:
    vcpus = Inventory(provider="h", resource_class="VCPU", total=8, reserved=1, max_unit=8, used=2)
    host = Hypervisor(
        id=1,
        uuid="h",
        name="h",
        disabled=False,
        node=False,
        hypervisor_type=COMPUTE_TYPE,
        inventories={"VCPU": vcpus},
        changed_at=0,
    )
    assert (host.size("VCPU"), host.used("VCPU")) == (8, 3)
    assert (host.size("DISK_GB"), host.used("DISK_GB")) == (0, 0)


def test_node_is_used_as_a_whole_or_not_at_all() -> None:
    assert (node(True, cpus="8").used("VCPU"), node(False, cpus="8").used("VCPU")) == (8, 0)


@pytest.mark.parametrize("value", [None, "many", [], {}])
def test_node_with_an_unreadable_property_has_size_0(value: Any) -> None:
    assert node(True, memory_mb=value).size("MEMORY_MB") == 0
