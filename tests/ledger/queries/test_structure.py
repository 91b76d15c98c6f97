"""Every change of the structure raises the versions of the trees concerned, and nothing else does."""

import uuid
from collections.abc import Callable

import pytest
from sqlalchemy import delete

from dibs.access.access import SERVICE
from dibs.database.transaction import Transaction
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.aggregates import SetAggregates, set_aggregates
from dibs.ledger.operations.inventories import remove_inventories
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from dibs.ledger.operations.providers import ChangeProvider, change_provider, delete_provider
from dibs.ledger.operations.resource_classes import (
    RenameClass,
    create_resource_class,
    delete_resource_class,
    rename_resource_class,
)
from dibs.ledger.queries import providers, structure
from dibs.ledger.queries.structure import BUCKETS, bucket_of, changed
from dibs.ledger.tables import structure_versions
from tests.builders import Ledger
from tests.provider_builders import claim, make, stock


def uuid_in(bucket: int) -> str:
    """Return a uuid whose trees belong to a bucket."""
    return next(each for each in iter(lambda: str(uuid.uuid4()), "") if bucket_of(each) == bucket)


def root_in(ledger: Ledger, bucket: int) -> Provider:
    identity = uuid_in(bucket)
    ledger.run(lambda tx: providers.insert_provider(tx, identity, identity, 1))
    found = ledger.store.read(lambda tx: providers.get(tx, identity))
    assert found is not None
    return found


def raised_by(ledger: Ledger, act: Callable[[], object]) -> set[int]:
    """Return the buckets whose version an action raises; none may fall."""
    before = ledger.store.read(structure.versions)
    act()
    after = ledger.store.read(structure.versions)
    assert len(before) == len(after) == BUCKETS
    assert all(after[bucket] >= before[bucket] for bucket in before)
    return {bucket for bucket in before if after[bucket] > before[bucket]}


def put_traits(ledger: Ledger, provider: Provider, *traits: str) -> None:
    command = SetProviderTraits(provider=provider.uuid, generation=None, traits=traits)
    ledger.runner.write(set_provider_traits, SERVICE, command)


def move(ledger: Ledger, provider: Provider, parent: Provider | None) -> None:
    command = ChangeProvider(
        uuid=provider.uuid, name=provider.name, parent=parent.uuid if parent else None, may_move_again=True
    )
    ledger.runner.write(change_provider, SERVICE, command)


def test_new_inventories_traits_and_aggregates_raise_the_bucket_of_the_tree(ledger: Ledger) -> None:
    root = root_in(ledger, 3)
    child = make(ledger, parent=root)
    group = SetAggregates(provider=child.uuid, generation=None, aggregates=(str(uuid.uuid4()),))
    no_group = SetAggregates(provider=child.uuid, generation=None, aggregates=())
    for act in (
        lambda: make(ledger, parent=root),
        lambda: stock(ledger, child, VCPU=4),
        lambda: stock(ledger, child, VCPU=5),
        lambda: ledger.runner.write(remove_inventories, SERVICE, child.uuid),
        lambda: put_traits(ledger, child, "HW_CPU_X86_VMX"),
        lambda: put_traits(ledger, child),
        lambda: ledger.runner.write(set_aggregates, SERVICE, group),
        lambda: ledger.runner.write(set_aggregates, SERVICE, no_group),
        lambda: ledger.runner.write(delete_provider, SERVICE, child.uuid),
    ):
        assert raised_by(ledger, act) == {3}


def test_roots_that_come_and_go_raise_their_bucket(ledger: Ledger) -> None:
    assert raised_by(ledger, lambda: root_in(ledger, 7)) == {7}
    root = root_in(ledger, 8)
    assert raised_by(ledger, lambda: ledger.runner.write(delete_provider, SERVICE, root.uuid)) == {8}


def test_a_move_raises_the_buckets_of_both_trees(ledger: Ledger) -> None:
    first, second = root_in(ledger, 1), root_in(ledger, 2)
    moving = make(ledger, parent=first)
    assert raised_by(ledger, lambda: move(ledger, moving, second)) == {1, 2}
    assert raised_by(ledger, lambda: move(ledger, moving, None)) == {2, bucket_of(moving.uuid)}
    assert raised_by(ledger, lambda: move(ledger, second, first)) == {2, 1}


def test_a_renamed_class_raises_every_bucket(ledger: Ledger) -> None:
    ledger.runner.write(create_resource_class, SERVICE, "CUSTOM_OLD")
    command = RenameClass(name="CUSTOM_OLD", new_name="CUSTOM_NEW")
    raised = raised_by(ledger, lambda: ledger.runner.write(rename_resource_class, SERVICE, command))
    assert raised == set(range(BUCKETS))


def test_claims_names_and_unused_classes_raise_nothing(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    renamed = ChangeProvider(uuid=provider.uuid, name="renamed", may_move_again=True)
    for act in (
        lambda: claim(ledger, provider, VCPU=1),
        lambda: ledger.runner.write(change_provider, SERVICE, renamed),
        lambda: ledger.runner.write(create_resource_class, SERVICE, "CUSTOM_IDLE"),
        lambda: ledger.runner.write(delete_resource_class, SERVICE, "CUSTOM_IDLE"),
        lambda: put_traits(ledger, provider),
    ):
        assert raised_by(ledger, act) == set()


def test_a_class_that_a_node_gets_changes_or_loses_raises_its_bucket(ledger: Ledger) -> None:
    node = ledger.enrol(uuid=uuid_in(9))
    for resource_class in ("gold", "silver", None):
        assert raised_by(ledger, lambda name=resource_class: ledger.change(node, resource_class=name)) == {9}


def test_equal_changes_raise_a_version_by_different_steps(ledger: Ledger) -> None:
    """So that a database that lost its last commits does not repeat their versions with another structure."""
    root, steps = root_in(ledger, 4), set()
    for total in range(1, 9):
        before = ledger.store.read(structure.sum_of_versions)
        stock(ledger, root, VCPU=total)
        steps.add(ledger.store.read(structure.sum_of_versions) - before)
    assert len(steps) > 1


def test_the_reserved_unit_of_a_node_raises_nothing(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=1)
    assert raised_by(ledger, lambda: ledger.run(lambda tx: providers.reserve_unit(tx, provider.id, 1))) == set()


def test_a_rolled_back_change_raises_nothing(ledger: Ledger) -> None:
    provider = make(ledger)

    def fail(tx: Transaction) -> None:
        changed(tx, [provider.id])
        tx.finish()
        raise LookupError

    with pytest.raises(LookupError):
        ledger.run(fail)
    before = ledger.store.read(structure.sum_of_versions)
    stock(ledger, provider, VCPU=1)
    assert ledger.store.read(structure.sum_of_versions) > before


def test_a_missing_version_is_an_error(ledger: Ledger) -> None:
    root = root_in(ledger, 5)

    def write(tx: Transaction) -> None:
        tx.change(delete(structure_versions))
        changed(tx, [root.id])

    with pytest.raises(RuntimeError, match="structure_versions"):
        ledger.run(write)
