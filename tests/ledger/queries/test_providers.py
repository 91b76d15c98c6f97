"""Rows of providers: locks, generations, trees, and the unit of a node."""

from dibs.database.transaction import Transaction
from dibs.ledger.queries import providers
from tests.builders import Ledger
from tests.provider_builders import make, now


def test_only_the_named_generations_are_incremented(ledger: Ledger) -> None:
    first, second = make(ledger), make(ledger)
    ledger.run(lambda tx: providers.lock_many(tx, [second.id, first.id, first.id], 1, bump=[second.id]))
    assert [now(ledger, each).generation for each in (first, second)] == [0, 1]
    ledger.run(lambda tx: providers.lock_and_bump(tx, {first.id, second.id}, 2))
    assert [now(ledger, each).generation for each in (first, second)] == [1, 2]


def test_a_lock_on_an_unknown_provider_is_false(ledger: Ledger) -> None:
    provider = make(ledger)
    assert ledger.run(lambda tx: providers.lock(tx, provider.uuid, 1)) is True
    assert ledger.run(lambda tx: providers.lock(tx, "99999999-9999-4999-8999-999999999999", 1)) is False


def test_a_moved_subtree_has_the_new_root(ledger: Ledger) -> None:
    root, top = make(ledger), make(ledger)
    child = make(ledger, parent=top)
    ledger.run(lambda tx: providers.move(tx, top.id, root, {top.id, child.id}))
    assert ledger.store.read(lambda tx: sorted(providers.tree(tx, root.id))) == [
        (root.id, None),
        (top.id, root.id),
        (child.id, top.id),
    ]
    assert ledger.store.read(lambda tx: providers.has_children(tx, root.id))
    assert not ledger.store.read(lambda tx: providers.has_children(tx, child.id))


def test_a_claimed_unit_is_not_withdrawn(ledger: Ledger) -> None:
    free, claimed = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    ledger.change(claimed, instance_uuid="11111111-1111-4111-8111-111111111111")

    def withdraw(tx: Transaction) -> list[bool]:
        return [providers.withdraw_unit(tx, node.id) for node in (free, claimed)]

    assert ledger.run(withdraw) == [True, False]
    assert ledger.store.read(lambda tx: providers.used(tx, claimed.id)) == 1
    assert ledger.store.read(lambda tx: providers.inventory(tx, free.id)) == []
