import pytest

from dibs.access.access import SERVICE
from dibs.servers.operations.hypervisors import SwitchService, switch_service
from tests.builders import Ledger
from tests.provider_builders import make, statements
from tests.server_builders import flavor, host, launch, node_flavor


@pytest.mark.parametrize(
    ("specs", "reason"),
    [
        ({"trait:CUSTOM_NOWHERE": "required"}, "No such trait(s): CUSTOM_NOWHERE."),
        ({"resources:CUSTOM_NOWHERE": "1"}, "No such resource class CUSTOM_NOWHERE."),
        ({"resources:VCPU": "0", "resources:MEMORY_MB": "0", "resources:DISK_GB": "0"}, "asks for no resources."),
    ],
)
def test_flavor_that_no_host_can_have_gives_the_reason(ledger: Ledger, specs: dict[str, str], reason: str) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger, extra_specs=specs))
    assert made.status == "ERROR"
    assert made.fault is not None
    assert made.fault.endswith(reason)


def test_host_with_a_disabled_service_gets_no_new_server(ledger: Ledger) -> None:
    host(ledger, "compute-1")
    size = flavor(ledger)
    ledger.runner.write(switch_service, SERVICE, SwitchService(host="compute-1", disabled=True))
    assert launch(ledger, size).status == "ERROR"
    ledger.runner.write(switch_service, SERVICE, SwitchService(host="compute-1", disabled=False))
    assert launch(ledger, size).status == "ACTIVE"


def test_requested_host_is_used_even_when_others_have_room(ledger: Ledger) -> None:
    for name in ("one", "two", "three"):
        host(ledger, name, vcpus=1)
    size = flavor(ledger)
    assert launch(ledger, size, host="two").host == "two"
    assert launch(ledger, size, host="two").status == "ERROR"


def test_node_that_its_driver_cannot_deploy_is_not_chosen(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", driver_info={"fake_delay_deploy": "soon"})
    made = launch(ledger, node_flavor(ledger, "gold"))
    assert made.status == "ERROR"
    assert made.fault is not None
    assert made.fault.endswith("not 'soon'.")
    assert ledger.node(node).instance_uuid is None


def test_node_without_a_live_conductor_is_not_chosen(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    ledger.change(node, conductor_group="")
    ledger.clock.move(10_000_000)
    made = launch(ledger, node_flavor(ledger, "gold"))
    assert made.status == "ERROR"
    assert made.fault is not None
    assert "conductor" in made.fault


def test_provider_without_the_resources_of_the_flavor_is_not_chosen(ledger: Ledger) -> None:
    make(ledger, "storage", DISK_GB=1_000)
    assert launch(ledger, flavor(ledger)).status == "ERROR"
    host(ledger, "compute-1")
    assert launch(ledger, flavor(ledger)).host == "compute-1"


def test_launch_takes_as_many_statements_among_many_hosts_as_among_few(ledger: Ledger) -> None:
    size = flavor(ledger)
    host(ledger)
    launch(ledger, size)
    few = statements(ledger, lambda: launch(ledger, size))
    for _ in range(20):
        host(ledger)
    # The first search after a change of the structure loads it.
    launch(ledger, size)
    assert statements(ledger, lambda: launch(ledger, size)) == few
