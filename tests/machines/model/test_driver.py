import pytest

from dibs.drivers import DRIVERS
from dibs.errors import BadValue
from dibs.machines.model.driver import (
    BootDevice,
    Outcome,
    boot_device_of,
    choose_interfaces,
    find_driver,
    with_boot_device,
)
from dibs.machines.model.errors import DriverNotFound
from dibs.machines.model.nodes import Node

DRIVER = DRIVERS["fake-hardware"]


def test_an_unknown_driver_is_named():
    assert find_driver(DRIVERS, "fake-hardware") is DRIVER
    with pytest.raises(DriverNotFound, match="ipmi"):
        find_driver(DRIVERS, "ipmi")


def test_only_named_interfaces_get_the_default_of_the_driver():
    values = {"raid_interface": "no-raid"}
    choose_interfaces(values, DRIVER, {"raid_interface", "power_interface"})
    assert values == {"raid_interface": "no-raid", "power_interface": "fake"}


def test_an_interface_that_the_driver_lacks_is_refused_with_the_valid_ones():
    with pytest.raises(BadValue, match=r"'x' is not supported .* Valid interfaces are no-raid, fake"):
        choose_interfaces({"raid_interface": "x"}, DRIVER, {"raid_interface"})


def test_an_unknown_driver_chooses_nothing():
    values = {"raid_interface": "x"}
    choose_interfaces(values, None, {"raid_interface"})
    assert values == {"raid_interface": "x"}


def test_the_boot_device_is_pxe_until_it_is_set():
    node = Node(id=1, uuid="u", driver="d", provision_state="active", driver_internal_info={"a": 1}, created_at=0)
    assert boot_device_of(node) == BootDevice("pxe", persistent=False)
    info = with_boot_device(node, BootDevice("disk", persistent=True))
    assert info == {"a": 1, "boot_device": {"device": "disk", "persistent": True}}


def test_an_outcome_that_waits_or_is_held_is_not_finished():
    assert Outcome().finished
    assert not Outcome(wait_seconds=0).finished
    assert not Outcome(held=True).finished
