import uuid

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.flavors.model.errors import FlavorNotFound
from dibs.flavors.operations.flavors import ChangeFlavorAccess, add_flavor_access
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.servers.model.servers import ServerQuery
from dibs.servers.operations.launching import LaunchServers, TooFewHosts, fail_servers, launch_servers
from dibs.servers.operations.servers import list_servers
from tests.builders import Ledger
from tests.server_builders import MEMBER, flavor, host, launch, node_flavor


def claims_of(ledger: Ledger, uuid: str) -> dict[tuple[str, str], int]:
    rows = ledger.store.read(lambda tx: claim_views.of_consumer(tx, uuid))
    return {(row["provider"], row["resource_class"]): row["amount"] for row in rows}


def test_server_claims_the_resources_of_its_flavor(ledger: Ledger) -> None:
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


def test_server_without_a_host_gives_the_reason_and_claims_nothing(ledger: Ledger) -> None:
    host(ledger, vcpus=8)
    made = launch(ledger, flavor(ledger, vcpus=9, name="large"))
    assert made.status == "ERROR"
    assert made.fault == "No valid host was found. There is no room for flavor large."
    assert claims_of(ledger, made.server.uuid) == {}


def test_private_flavor_is_for_projects_with_access(ledger: Ledger) -> None:
    host(ledger)
    private = flavor(ledger, public=False)
    with pytest.raises(FlavorNotFound):
        launch(ledger, private, visibility=frozenset({"p"}))
    ledger.runner.write(
        add_flavor_access, SERVICE, ChangeFlavorAccess(flavor=private.flavor, visibility=EVERY_PROJECT, project="p")
    )
    assert launch(ledger, private, visibility=frozenset({"p"})).status == "ACTIVE"


def test_server_on_a_node_is_its_instance_and_starts_its_deployment(ledger: Ledger) -> None:
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


def test_each_server_of_one_command_gets_a_host_or_the_reason(ledger: Ledger) -> None:
    host(ledger, vcpus=2)
    command = LaunchServers(
        flavor=flavor(ledger).flavor,
        visibility=EVERY_PROJECT,
        servers=tuple((f"3c000000-0000-4000-8000-00000000000{number}", f"s-{number}") for number in range(3)),
    )
    launched = ledger.runner.write(launch_servers, MEMBER, command)
    assert [(view.server.name, view.status) for view in launched] == [
        ("s-0", "ACTIVE"),
        ("s-1", "ACTIVE"),
        ("s-2", "ERROR"),
    ]


def test_unknown_host_is_the_reason_of_every_server(ledger: Ledger) -> None:
    host(ledger, "one")
    made = launch(ledger, flavor(ledger), host="four")
    assert (made.status, made.fault) == ("ERROR", "No valid host was found. Host four could not be found.")


def test_batch_with_too_few_nodes_starts_no_deployment(ledger: Ledger) -> None:
    nodes = [ledger.enrol(resource_class="gold") for _ in range(2)]
    kind = node_flavor(ledger, "gold")
    command = LaunchServers(
        flavor=kind.flavor,
        visibility=EVERY_PROJECT,
        servers=tuple((str(uuid.uuid4()), f"s-{number}") for number in range(3)),
        least=3,
    )
    with pytest.raises(TooFewHosts):
        ledger.runner.write(launch_servers, MEMBER, command)
    assert ledger.runner.read(list_servers, SERVICE, ServerQuery(visibility=EVERY_PROJECT)) == []
    failed = ledger.runner.write(fail_servers, MEMBER, command)
    assert [(view.status, view.fault) for view in failed] == [
        ("ERROR", "No valid host was found. There are not enough hosts available.")
    ] * 3
    for node in nodes:
        assert (ledger.node(node).instance_uuid, ledger.node(node).provision_state) == (None, states.AVAILABLE)
    assert [claims_of(ledger, view.server.uuid) for view in failed] == [{}] * 3


def test_batch_without_any_place_ends_in_error_at_once(ledger: Ledger) -> None:
    host(ledger, vcpus=1)
    size = flavor(ledger, vcpus=2, name="large")
    ids = tuple((str(uuid.uuid4()), f"s-{number}") for number in range(3))
    command = LaunchServers(flavor=size.flavor, visibility=EVERY_PROJECT, servers=ids, least=2)
    made = ledger.runner.write(launch_servers, MEMBER, command)
    assert [view.status for view in made] == ["ERROR"] * 3
    assert made[0].fault == "No valid host was found. There is no room for flavor large."
