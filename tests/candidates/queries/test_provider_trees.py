"""Loading provider trees: whole, in pages, and by their members."""

import pytest

from dibs.candidates.queries.prefilter import prefilter_for
from dibs.candidates.queries.provider_trees import (
    matching_trees,
    page_of_trees,
    roots_of,
    sharing_trees,
)
from dibs.database import Store
from dibs.ledger.model.criteria import ANYTHING
from tests.candidates.model.brute_force import World
from tests.candidates.queries.small_world import CHILD, DISKS, GOLD, POOR, RICH, put_small_world

EVERY_TREE = prefilter_for([], ANYTHING, {})


@pytest.fixture(autouse=True)
def world(store: Store) -> World:
    return put_small_world(store)


def test_trees_are_loaded_whole(store: Store, world: World) -> None:
    loaded = store.read(lambda tx: matching_trees(tx, EVERY_TREE))
    for found, wanted in zip(loaded, world.trees(), strict=True):
        assert [member.uuid for member in found.members] == [member.uuid for member in wanted.members]
        for member, model in zip(found.members, wanted.members, strict=True):
            assert (member.parent, member.root, member.lineage) == (model.parent, model.root, model.lineage)
            assert (member.traits, member.aggregates) == (model.traits, model.aggregates)
            assert {name: each.used for name, each in member.inventories.items()} == {
                name: each.used for name, each in model.inventories.items()
            }


def test_sharing_trees_are_found_by_their_trait(store: Store) -> None:
    assert [tree.root.uuid for tree in store.read(sharing_trees)] == [DISKS]


def test_pages_follow_each_other(store: Store) -> None:
    first = store.read(lambda tx: page_of_trees(tx, EVERY_TREE, after=0, count=2))
    after = first[-1].root.id
    second = store.read(lambda tx: page_of_trees(tx, EVERY_TREE, after=after, count=2))
    assert [tree.root.uuid for tree in (*first, *second)] == [RICH, POOR, DISKS]
    assert store.read(lambda tx: matching_trees(tx, EVERY_TREE, after=after)) == second


def test_any_member_leads_to_the_root_of_its_tree(store: Store) -> None:
    assert store.read(lambda tx: roots_of(tx, [CHILD, POOR, GOLD])) == {CHILD: RICH, POOR: POOR}
    assert store.read(lambda tx: roots_of(tx, [])) == {}
