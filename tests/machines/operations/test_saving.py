from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.queries import providers
from dibs.machines.model import states
from dibs.machines.operations.saving import add_node, save_node
from dibs.machines.queries import nodes

NEW = {
    "uuid": "11111111-2222-4333-8444-555555555501",
    "driver": "fake-hardware",
    "provision_state": states.AVAILABLE,
    "power_state": states.POWER_OFF,
}


def saved(ledger, node, **changes):
    """Save a node; return the events of the transaction."""

    def save(tx):
        save_node(tx, nodes.lock(tx, node.uuid, ledger.clock()), ledger.clock(), **changes)
        return list(tx.events)

    return ledger.run(save)


def test_a_node_that_becomes_free_is_announced(ledger):
    node = ledger.enrol(maintenance=True)
    assert saved(ledger, node, description="x") == []
    assert saved(ledger, node, maintenance=False) == [CAPACITY_FREED]


def test_a_new_free_node_is_announced(ledger):
    def add(tx):
        add_node(tx, ledger.clock(), NEW)
        return list(tx.events)

    assert ledger.run(add) == [CAPACITY_FREED]


def test_the_provider_gets_the_new_name_of_its_node(ledger):
    node = ledger.enrol(name="old")
    saved(ledger, node, name="new")
    assert ledger.run(lambda tx: providers.get(tx, node.uuid)).name == "new"
