"""The index of the structure: loaded whole, reloaded in parts, and never shared before the commit."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.candidates.model.index.structure import Structure
from dibs.candidates.queries import structure as loading
from dibs.candidates.queries.structure import REMEMBERED, current_structure
from dibs.database import Store
from dibs.database.transaction import Transaction
from dibs.ledger.operations.resource_classes import RenameClass, create_resource_class, rename_resource_class
from dibs.ledger.queries import providers, structure, traits
from tests.builders import FIRST_INSTANT, Ledger
from tests.candidates.queries.small_world import DISKS, POOR, RICH, put_small_world
from tests.provider_builders import make, stock

NOW = FIRST_INSTANT


def members(index: Structure) -> dict[str, tuple[str | None, list[str], set[str], set[str]]]:
    """Return what the index has of each provider: parent, classes, traits and aggregates."""
    return {
        tree.uuids[position]: (
            tree.parent_uuid(position),
            [each.resource_class for each in kind.stocks],
            set(kind.traits),
            set(kind.aggregates),
        )
        for group in index.groups
        for tree in group.trees
        for position, kind in enumerate(tree.shape.kinds)
    }


def test_trees_are_loaded_whole(store: Store) -> None:
    world = put_small_world(store)
    index = store.read(current_structure)
    assert members(index) == {
        name: (each.parent, sorted(each.stocks), set(each.traits), set(each.aggregates))
        for name, each in world.providers.items()
    }
    assert [tree.root_uuid for group in index.groups for tree in group.trees] == [RICH, POOR, DISKS]
    assert [tree.uuids[position] for tree, position in index.sharing] == [DISKS]
    assert index.size == len(world.providers)


def test_an_unchanged_structure_is_loaded_once_in_a_process(store: Store) -> None:
    put_small_world(store)
    first = store.read(current_structure)
    before = store.statistics.statements
    assert store.read(current_structure) is first
    assert store.write(current_structure) is first
    assert store.statistics.statements == before + 2


def test_a_change_loads_only_its_bucket(ledger: Ledger) -> None:
    made = [make(ledger, VCPU=4) for _ in range(8)]
    before = ledger.store.read(current_structure)
    stock(ledger, made[0], VCPU=5)
    after = ledger.store.read(current_structure)
    changed = {bucket for bucket, part in after.parts.items() if part is not before.parts[bucket]}
    assert changed == {structure.bucket_of(made[0].uuid)}
    totals = {tree.root_uuid: tree.shape.kinds[0].stocks[0].total for group in after.groups for tree in group.trees}
    assert totals == {made[0].uuid: 5} | {each.uuid: 4 for each in made[1:]}


def test_equal_trees_have_one_shape_in_all_parts(ledger: Ledger) -> None:
    for _ in range(8):
        make(ledger, VCPU=4)
        (group,) = ledger.store.read(current_structure).groups
    assert len({id(tree.shape) for tree in group.trees}) == 1


def test_a_renamed_class_is_loaded(ledger: Ledger) -> None:
    ledger.runner.write(create_resource_class, SERVICE, "CUSTOM_OLD")
    make(ledger, CUSTOM_OLD=1)
    assert set(ledger.store.read(current_structure).of_class) == {"CUSTOM_OLD"}
    ledger.runner.write(rename_resource_class, SERVICE, RenameClass(name="CUSTOM_OLD", new_name="CUSTOM_NEW"))
    assert set(ledger.store.read(current_structure).of_class) == {"CUSTOM_NEW"}


def test_a_transaction_sees_its_own_changes_and_others_see_them_after_the_commit(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    known = ledger.store.read(current_structure)

    def change(tx: Transaction) -> Structure:
        traits.add(tx, provider.id, {"CUSTOM_NEW"}, NOW)
        index = current_structure(tx)
        assert "CUSTOM_NEW" in index.of_trait
        return index

    def fail(tx: Transaction) -> None:
        change(tx)
        raise LookupError

    with pytest.raises(LookupError):
        ledger.run(fail)
    assert ledger.store.read(current_structure) is known
    index = ledger.run(change)
    assert ledger.store.read(current_structure) is index


def test_a_writing_transaction_loads_again_when_the_structure_changes_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_small_world(store)
    read, loads = loading._read, []

    def read_and_change(tx: Transaction, buckets: set[int]) -> object:
        rows = read(tx, buckets)
        loads.append(len(buckets))
        if len(loads) == 1:
            # The transaction itself stands for another one that commits between two of its statements.
            providers.insert_provider(tx, str(uuid.uuid4()), "late", NOW)
            tx.finish()
        return rows

    monkeypatch.setattr(loading, "_read", read_and_change)
    index = store.write(current_structure)
    assert len(loads) == 2
    assert len(members(index)) == 5
    assert store.read(lambda tx: tx.recall(REMEMBERED)) is index
