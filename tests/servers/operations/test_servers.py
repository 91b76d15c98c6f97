import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.access.actor import Actor
from dibs.access.compute_policy import ComputePolicy
from dibs.errors import Forbidden
from dibs.machines.model import states
from dibs.machines.model.nodes import Node
from dibs.machines.operations.nodes import SetMaintenance, delete_node, set_maintenance
from dibs.servers.model.errors import ServerHasNoMachine, ServerNotFound
from dibs.servers.model.metadata import MetadataChange
from dibs.servers.model.servers import NODE_LOST, ServerQuery, ServerView
from dibs.servers.operations.servers import (
    ChangeMetadata,
    ChangeServer,
    OneServer,
    SwitchServer,
    change_metadata,
    change_server,
    get_server,
    list_servers,
    switch_server,
)
from tests.builders import Ledger
from tests.manual_conductor import ManualConductor
from tests.server_builders import delete, flavor, host, launch, look, node_flavor


def with_status(ledger: Ledger, *statuses: str) -> list[str]:
    query = ServerQuery(visibility=EVERY_PROJECT, statuses=statuses)
    return [view.server.name for view in ledger.runner.read(list_servers, SERVICE, query)]


def switch(ledger: Ledger, view: ServerView, action: str, target: str) -> None:
    command = SwitchServer(uuid=view.server.uuid, action=action, target=target)
    ledger.runner.write(switch_server, SERVICE, command)


def test_server_is_active_once_its_node_is(
    ledger: Ledger, conductor: ManualConductor, node: Node, built: ServerView
) -> None:
    assert built.status == "BUILD"
    conductor.finish(node, conductor.take(node), power_state=states.POWER_ON)
    after = look(ledger, built)
    assert (after.status, after.fault) == ("ACTIVE", None)
    assert after.launched_at is not None
    assert with_status(ledger, "ACTIVE") == ["server"]
    assert with_status(ledger, "BUILD", "ERROR") == []


def test_server_shows_why_its_deployment_failed(
    ledger: Ledger, conductor: ManualConductor, node: Node, built: ServerView
) -> None:
    conductor.fail(node, conductor.take(node), "the disk is full")
    after = look(ledger, built)
    assert (after.status, after.fault) == ("ERROR", "Failed to deploy: the disk is full")


def test_server_whose_node_was_removed_shows_an_error_and_can_be_deleted(
    ledger: Ledger, conductor: ManualConductor, node: Node, built: ServerView
) -> None:
    conductor.finish(node, conductor.take(node), power_state=states.POWER_ON)
    ledger.runner.write(set_maintenance, SERVICE, SetMaintenance(ident=node.uuid, rules=(), on=True))
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    after = look(ledger, built)
    assert (after.status, after.fault) == ("ERROR", NODE_LOST)
    delete(ledger, built)
    with pytest.raises(ServerNotFound):
        look(ledger, built)


def test_server_on_a_node_is_shutoff_after_it_was_switched_off(
    ledger: Ledger, conductor: ManualConductor, node: Node, built: ServerView
) -> None:
    conductor.finish(node, conductor.take(node), power_state=states.POWER_ON)
    switch(ledger, built, "os-stop", states.POWER_OFF)
    conductor.finish(node, conductor.take(node), power_state=states.POWER_OFF)
    assert look(ledger, built).status == "SHUTOFF"
    assert with_status(ledger, "SHUTOFF") == ["server"]


def test_server_on_a_compute_host_cannot_be_switched(ledger: Ledger) -> None:
    host(ledger)
    with pytest.raises(ServerHasNoMachine, match="os-stop"):
        switch(ledger, launch(ledger, flavor(ledger)), "os-stop", states.POWER_OFF)


def test_server_whose_delete_is_deferred_cannot_be_switched(ledger: Ledger, node: Node, built: ServerView) -> None:
    delete(ledger, built)
    with pytest.raises(ServerHasNoMachine):
        switch(ledger, built, "os-start", states.POWER_ON)


def test_rules_are_checked_on_the_server_that_the_operation_reads(ledger: Ledger) -> None:
    host(ledger)
    uuid = launch(ledger, flavor(ledger)).server.uuid
    reader = ComputePolicy().access(Actor(user="r", project="p", roles=frozenset({"reader"})))
    stranger = ComputePolicy().access(Actor(user="s", project="q", roles=frozenset({"member", "reader"})))
    change = ChangeServer(uuid=uuid, rules=("os_compute_api:servers:update",), name="other")
    assert ledger.runner.read(get_server, reader, OneServer(uuid=uuid)).server.name == "server"
    with pytest.raises(Forbidden):
        ledger.runner.write(change_server, reader, change)
    with pytest.raises(ServerNotFound):
        ledger.runner.write(change_server, stranger, change)
    with pytest.raises(ServerNotFound):
        ledger.runner.read(get_server, stranger, OneServer(uuid=uuid))


def test_change_sets_name_and_properties_and_keeps_the_others(ledger: Ledger) -> None:
    host(ledger)
    uuid = launch(ledger, flavor(ledger), properties={"tags": ["x"]}).server.uuid
    described = ChangeServer(uuid=uuid, properties={"description": "new"})
    after = ledger.runner.write(change_server, SERVICE, described)
    assert (after.server.name, after.server.properties) == ("server", {"tags": ["x"], "description": "new"})
    renamed = ledger.runner.write(change_server, SERVICE, ChangeServer(uuid=uuid, name="other"))
    assert (renamed.server.name, renamed.server.properties) == ("other", after.server.properties)


def test_change_of_metadata_keeps_the_other_properties(ledger: Ledger) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger), properties={"tags": ["x"]})
    command = ChangeMetadata(uuid=made.server.uuid, change=MetadataChange(items={"a": "b"}))
    assert ledger.runner.write(change_metadata, SERVICE, command) == {"a": "b"}
    assert look(ledger, made).server.properties == {"tags": ["x"], "metadata": {"a": "b"}}


def test_server_that_waits_for_deployment_is_built(ledger: Ledger, built: ServerView) -> None:
    assert launch(ledger, node_flavor(ledger, "gold")).status == "ERROR"
    assert with_status(ledger, "BUILD") == ["server"]
