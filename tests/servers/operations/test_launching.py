import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.flavors.model.errors import FlavorNotFound
from dibs.flavors.operations.flavors import ChangeAccess, add_access
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.model.errors import ValidationFailed
from dibs.machines.model.nodes import Node
from dibs.servers.model.errors import ServerNotFound
from dibs.servers.operations.hypervisors import SwitchService, switch_service
from tests.builders import Ledger
from tests.provider_builders import statements
from tests.server_builders import MEMBER, delete, flavor, host, launch, look, node_flavor


def claims_of(ledger: Ledger, uuid: str) -> dict[tuple[str, str], int]:
    rows = ledger.store.read(lambda tx: claim_views.of_consumer(tx, uuid))
    return {(row["provider"], row["resource_class"]): row["amount"] for row in rows}


def test_a_server_claims_what_its_flavor_says(ledger: Ledger) -> None:
    place = host(ledger, "compute-1")
    size = flavor(ledger, vcpus=2, memory_mb=1024, disk_gb=5, ephemeral_gb=2, swap_mb=1025)
    made = launch(ledger, size)
    assert (made.status, made.host, made.fault) == ("ACTIVE", "compute-1", None)
    assert claims_of(ledger, made.server.uuid) == {
        (place.uuid, "VCPU"): 2,
        (place.uuid, "MEMORY_MB"): 1024,
        (place.uuid, "DISK_GB"): 9,
    }
    rows = ledger.store.read(lambda tx: claim_views.of_consumer(tx, made.server.uuid))
    assert {(row["project_id"], row["user_id"], row["consumer_type"]) for row in rows} == {("p", "mia", "INSTANCE")}


def test_a_server_that_goes_gives_everything_back(ledger: Ledger) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger))
    delete(ledger, made)
    assert claims_of(ledger, made.server.uuid) == {}
    with pytest.raises(ServerNotFound):
        look(ledger, made)


def test_a_server_that_finds_no_place_says_why_and_has_nothing(ledger: Ledger) -> None:
    host(ledger, vcpus=8)
    made = launch(ledger, flavor(ledger, vcpus=9, name="large"))
    assert made.status == "ERROR"
    assert made.fault == "No valid host was found. There is no room for flavor large."
    assert claims_of(ledger, made.server.uuid) == {}
    delete(ledger, made)
    with pytest.raises(ServerNotFound):
        look(ledger, made)


@pytest.mark.parametrize(
    ("specs", "reason"),
    [
        ({"trait:CUSTOM_NOWHERE": "required"}, "No such trait(s): CUSTOM_NOWHERE."),
        ({"resources:CUSTOM_NOWHERE": "1"}, "No such resource class CUSTOM_NOWHERE."),
        ({"resources:VCPU": "0", "resources:MEMORY_MB": "0", "resources:DISK_GB": "0"}, "asks for no resources."),
    ],
)
def test_what_nobody_has_ends_in_an_error(ledger: Ledger, specs: dict[str, str], reason: str) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger, extra_specs=specs))
    assert made.status == "ERROR"
    assert made.fault is not None
    assert made.fault.endswith(reason)


def test_a_flavor_that_is_not_public_is_for_those_who_were_given_it(ledger: Ledger) -> None:
    host(ledger)
    secret = flavor(ledger, public=False)
    with pytest.raises(FlavorNotFound):
        launch(ledger, secret, visibility=frozenset({"p"}))
    ledger.runner.write(add_access, SERVICE, ChangeAccess(flavor=secret.flavor, visibility=EVERY_PROJECT, project="p"))
    assert launch(ledger, secret, visibility=frozenset({"p"})).status == "ACTIVE"


def test_nobody_is_put_on_a_host_whose_service_is_disabled(ledger: Ledger) -> None:
    host(ledger, "compute-1")
    size = flavor(ledger)
    off = ledger.runner.write(switch_service, SERVICE, SwitchService(host="compute-1", disabled=True))
    assert off.disabled
    assert launch(ledger, size).status == "ERROR"
    ledger.runner.write(switch_service, SERVICE, SwitchService(host="compute-1", disabled=False))
    assert launch(ledger, size).status == "ACTIVE"


def test_who_insists_on_a_host_gets_that_or_none(ledger: Ledger) -> None:
    for name in ("one", "two", "three"):
        host(ledger, name, vcpus=1)
    size = flavor(ledger)
    assert launch(ledger, size, host="two").host == "two"
    assert launch(ledger, size, host="two").status == "ERROR"
    assert launch(ledger, size, host="four").fault == "No valid host was found. Host four could not be found."


def test_a_server_on_a_node_is_its_instance_and_is_built_while_it_is_deployed(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_GPU",))
    kind = node_flavor(ledger, "gold", **{"trait:CUSTOM_GPU": "required"})
    made = launch(ledger, kind, name="db", image="some-image")
    assert (made.status, made.node) == ("BUILD", node.uuid)
    after = ledger.node(node)
    assert (after.instance_uuid, after.instance_name) == (made.server.uuid, "db")
    assert (after.provision_state, after.reservation) == (states.DEPLOYING, "conductor-1")
    assert after.instance_info["traits"] == ["CUSTOM_GPU"]
    assert after.instance_info["image_source"] == "some-image"
    assert claims_of(ledger, made.server.uuid) == {(node.uuid, "CUSTOM_GOLD"): 1}
    assert launch(ledger, kind).status == "ERROR"


def test_a_node_that_its_driver_cannot_deploy_is_no_place(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")

    def refuse(node: Node) -> None:
        raise ValidationFailed(node=node.uuid, reason="no image")

    made = launch(ledger, node_flavor(ledger, "gold"), validate=refuse)
    assert made.status == "ERROR"
    assert made.fault is not None
    assert made.fault.endswith("no image")
    assert ledger.node(node).instance_uuid is None


def test_a_node_of_a_driver_that_no_conductor_has_is_no_place(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    ledger.change(node, conductor_group="")
    ledger.clock.move(10_000_000)
    made = launch(ledger, node_flavor(ledger, "gold"))
    assert made.status == "ERROR"
    assert made.fault is not None
    assert "conductor" in made.fault


def test_a_launch_takes_as_many_statements_among_many_hosts_as_among_few(ledger: Ledger) -> None:
    size = flavor(ledger)
    host(ledger)
    launch(ledger, size)
    few = statements(ledger, lambda: launch(ledger, size, MEMBER))
    for _ in range(20):
        host(ledger)
    assert statements(ledger, lambda: launch(ledger, size, MEMBER)) == few


def test_several_servers_are_launched_each_for_itself(ledger: Ledger) -> None:
    host(ledger, vcpus=2)
    size = flavor(ledger)
    assert [launch(ledger, size).status for _ in range(3)] == ["ACTIVE", "ACTIVE", "ERROR"]
