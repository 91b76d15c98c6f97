import pytest

from dibs.access.access import SERVICE
from dibs.access.actor import Actor
from dibs.access.compute_policy import ComputePolicy
from dibs.errors import Forbidden
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.model.nodes import Node
from dibs.servers.model.errors import ServerNotFound
from dibs.servers.model.servers import ServerView
from dibs.servers.operations.deleting import delete_server, finish_deferred_delete, list_deferred_deletes
from dibs.servers.operations.servers import OneServer
from tests.builders import Ledger
from tests.manual_conductor import ManualConductor
from tests.server_builders import delete, flavor, host, launch, look


def claims_of(ledger: Ledger, view: ServerView) -> list[object]:
    return [*ledger.store.read(lambda tx: claim_views.of_consumer(tx, view.server.uuid))]


def deferred(ledger: Ledger) -> list[str]:
    return ledger.runner.read(list_deferred_deletes, SERVICE, 10)


def test_deleted_server_on_a_compute_host_releases_its_claims(ledger: Ledger) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger))
    assert claims_of(ledger, made)
    delete(ledger, made)
    assert claims_of(ledger, made) == []
    with pytest.raises(ServerNotFound):
        look(ledger, made)


def test_server_without_a_host_can_be_deleted(ledger: Ledger) -> None:
    made = launch(ledger, flavor(ledger))
    assert made.status == "ERROR"
    delete(ledger, made)
    with pytest.raises(ServerNotFound):
        look(ledger, made)


def test_delete_without_the_right_changes_nothing(ledger: Ledger) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger))
    reader = ComputePolicy().access(Actor(user="r", project="p", roles=frozenset({"reader"})))
    command = OneServer(uuid=made.server.uuid, rules=("os_compute_api:servers:delete",))
    with pytest.raises(Forbidden):
        ledger.runner.write(delete_server, reader, command)
    assert look(ledger, made).status == "ACTIVE"


def test_delete_of_a_server_on_a_node_tears_the_node_down(
    ledger: Ledger, conductor: ManualConductor, node: Node, built: ServerView
) -> None:
    conductor.finish(node, conductor.take(node), power_state=states.POWER_ON)
    delete(ledger, built)
    with pytest.raises(ServerNotFound):
        look(ledger, built)
    assert ledger.node(node).provision_state == states.DELETING
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}
    conductor.finish(node, conductor.take(node), power_state=states.POWER_OFF)
    after = ledger.node(node)
    assert (after.provision_state, after.instance_uuid) == (states.AVAILABLE, None)
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}
    assert claims_of(ledger, built) == []


def test_delete_is_deferred_while_the_node_is_busy(
    ledger: Ledger, conductor: ManualConductor, node: Node, built: ServerView
) -> None:
    work = conductor.take(node)
    delete(ledger, built)
    assert (look(ledger, built).delete_deferred, deferred(ledger)) == (True, [])
    assert not ledger.runner.write(finish_deferred_delete, SERVICE, built.server.uuid)
    conductor.finish(node, work, power_state=states.POWER_ON)
    assert deferred(ledger) == [built.server.uuid]
    assert ledger.runner.write(finish_deferred_delete, SERVICE, built.server.uuid)
    assert ledger.node(node).provision_state == states.DELETING
    assert deferred(ledger) == []


def test_server_that_was_not_deleted_survives_the_retry_of_deferred_deletes(ledger: Ledger) -> None:
    host(ledger)
    made = launch(ledger, flavor(ledger))
    assert not ledger.runner.write(finish_deferred_delete, SERVICE, made.server.uuid)
    assert look(ledger, made).status == "ACTIVE"
