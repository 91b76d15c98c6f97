"""Rows of allocations."""

import pytest
from msgspec.structs import replace

from dibs.access.access import EVERY_PROJECT
from dibs.allocations.model.allocations import AllocationQuery
from dibs.allocations.model.errors import AllocationExists
from dibs.allocations.queries import allocations
from tests.allocation_builders import allocate, allocate_batch, allocate_node
from tests.builders import Ledger


def test_allocation_is_found_by_uuid_in_either_case_and_by_name(ledger: Ledger) -> None:
    made = allocate(ledger, name="web", extra={"a": [1, None]}, traits=("CUSTOM_A",))
    for ident in (made.uuid, made.uuid.upper(), "web"):
        assert ledger.store.read(lambda tx, ident=ident: allocations.get(tx, ident)) == made
    assert ledger.store.read(lambda tx: allocations.get(tx, "WEB")) is None


@pytest.mark.parametrize(("field", "change"), [("name", {"uuid": "other"}), ("UUID", {"name": "other"})])
def test_duplicate_names_the_attribute(ledger: Ledger, field: str, change: dict[str, str]) -> None:
    made = allocate(ledger, name="web")
    with pytest.raises(AllocationExists, match=f"with {field}"):
        ledger.store.write(lambda tx: allocations.create(tx, replace(made, **change)))  # type: ignore[arg-type]


def test_only_allocation_without_a_node_is_deleted_unplaced(ledger: Ledger) -> None:
    (placed, _), unplaced = allocate_node(ledger), allocate(ledger)
    assert not ledger.store.write(lambda tx: allocations.delete_unplaced(tx, placed))
    assert ledger.store.write(lambda tx: allocations.delete_unplaced(tx, unplaced))
    assert not ledger.store.write(lambda tx: allocations.delete_unplaced(tx, unplaced))


def test_allocations_are_found_by_their_nodes(ledger: Ledger) -> None:
    allocation, node = allocate_node(ledger)
    assert ledger.store.read(lambda tx: allocations.of_node(tx, node.id)) == allocation
    assert ledger.store.read(lambda tx: allocations.of_nodes(tx, [node.id, -1])) == {node.id: allocation.uuid}
    assert ledger.store.read(lambda tx: allocations.is_instance(tx, allocation.uuid))


def test_batch_comes_in_the_order_of_its_ids(ledger: Ledger) -> None:
    batch = allocate_batch(ledger, 3)
    assert ledger.store.read(lambda tx: allocations.of_batch(tx, str(batch[0].batch))) == batch


def test_page_shows_only_visible_projects_and_by_default_none(ledger: Ledger) -> None:
    blue, red, unowned = allocate(ledger, owner="blue"), allocate(ledger, owner="red"), allocate(ledger)

    def page(query: AllocationQuery) -> object:
        return ledger.store.read(lambda tx: allocations.page(tx, query))

    assert page(AllocationQuery()) == []
    assert page(AllocationQuery(projects=frozenset({"blue"}))) == [blue]
    assert page(AllocationQuery(projects=frozenset({"blue", "red"}))) == [blue, red]
    assert page(AllocationQuery(projects=EVERY_PROJECT)) == [blue, red, unowned]
