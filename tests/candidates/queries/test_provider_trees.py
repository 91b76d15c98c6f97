"""Which trees the database gives to the search, and that they come whole."""

import pytest

from dibs.candidates.model.needs import Need
from dibs.candidates.model.provider_tree import SHARING_TRAIT, Tree
from dibs.candidates.queries import provider_trees as candidates
from dibs.candidates.queries.narrowing import narrow, padded
from dibs.database import Store
from dibs.ledger.model.criteria import ANYTHING, Criteria
from dibs.ledger.queries import resource_classes
from tests.candidates.model.brute_force import Provider, Stock, World
from tests.placement_rows import put_world

GOLD, SILVER = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
RICH, CHILD, POOR, DISKS = (f"00000000-0000-4000-8000-00000000000{number}" for number in range(4))


@pytest.fixture
def world(store: Store) -> World:
    made = World(
        [
            Provider(RICH, None, {"VCPU": Stock(8)}, frozenset({"CUSTOM_ROOT"}), frozenset({GOLD})),
            Provider(CHILD, RICH, {"MEMORY_MB": Stock(10, used=4)}, frozenset({"CUSTOM_RED"})),
            Provider(POOR, None, {"VCPU": Stock(8, reserved=7, max_unit=1)}, frozenset({"CUSTOM_BLUE"})),
            Provider(DISKS, None, {"DISK_GB": Stock(100)}, frozenset({SHARING_TRAIT}), frozenset({GOLD, SILVER})),
        ]
    )
    put_world(store, made)
    return made


def trees(store: Store, *needs: Need, root_traits: Criteria = ANYTHING) -> list[Tree]:
    def read(tx):  # type: ignore[no-untyped-def]
        class_ids = resource_classes.ids_of(tx, ["DISK_GB", "MEMORY_MB", "VCPU"])
        return candidates.matching_trees(tx, narrow(needs, root_traits, class_ids))

    return store.read(read)


def has(*names: str) -> Criteria:
    return Criteria(required=(frozenset(names),))


def lacks(*names: str) -> Criteria:
    return Criteria(forbidden=frozenset(names))


@pytest.mark.parametrize(
    ("need", "roots"),
    [
        (Need(), [RICH, POOR, DISKS]),
        (Need(resources=(("VCPU", 1),)), [RICH, POOR]),
        (Need(resources=(("VCPU", 2),)), [RICH]),
        (Need(resources=(("MEMORY_MB", 6),)), [RICH]),
        (Need(resources=(("MEMORY_MB", 7),)), []),
        (Need(resources=(("MEMORY_MB", 1), ("VCPU", 1))), []),
        (Need(resources=(("MEMORY_MB", 1), ("VCPU", 2)), one_is_enough=True, traits=has("CUSTOM_RED")), [RICH]),
        (Need(resources=(("MEMORY_MB", 7), ("VCPU", 1)), one_is_enough=True, traits=has("CUSTOM_RED")), []),
        (Need(traits=has("CUSTOM_RED", "CUSTOM_BLUE")), [RICH, POOR]),
        (Need(resources=(("VCPU", 1),), traits=has("CUSTOM_RED")), []),
        (Need(resources=(("VCPU", 1),), traits=lacks("CUSTOM_BLUE", "CUSTOM_RED")), [RICH]),
        (Need(resources=(("VCPU", 1),), aggregates=has(GOLD, SILVER)), [RICH]),
        (Need(resources=(("MEMORY_MB", 1),), aggregates=has(GOLD)), []),
        (Need(resources=(("MEMORY_MB", 1),), aggregates=has(GOLD), root_counts=True), [RICH]),
        (Need(resources=(("MEMORY_MB", 1),), aggregates=lacks(GOLD)), [RICH]),
        (Need(resources=(("MEMORY_MB", 1),), aggregates=lacks(GOLD), root_counts=True), []),
        (Need(resources=(("VCPU", 1),), in_tree=POOR), [POOR]),
        (Need(resources=(("DISK_GB", 1),)), [DISKS]),
        (Need(resources=(("DISK_GB", 1),), shared_in=frozenset({GOLD, SILVER})), [RICH, DISKS]),
    ],
)
@pytest.mark.usefixtures("world")
def test_only_trees_that_could_meet_a_need_are_given(store: Store, need: Need, roots: list[str]) -> None:
    assert [tree.root.uuid for tree in trees(store, need)] == roots


@pytest.mark.usefixtures("world")
def test_the_root_itself_must_have_its_traits(store: Store) -> None:
    assert [tree.root.uuid for tree in trees(store, root_traits=has("CUSTOM_ROOT"))] == [RICH]
    assert trees(store, root_traits=has("CUSTOM_RED")) == []
    assert [tree.root.uuid for tree in trees(store, root_traits=lacks("CUSTOM_ROOT"))] == [POOR, DISKS]


def test_trees_come_whole(store: Store, world: World) -> None:
    for found, wanted in zip(trees(store), world.trees(), strict=True):
        assert [member.uuid for member in found.members] == [member.uuid for member in wanted.members]
        for member, model in zip(found.members, wanted.members, strict=True):
            assert (member.parent, member.root, member.lineage) == (model.parent, model.root, model.lineage)
            assert (member.traits, member.aggregates) == (model.traits, model.aggregates)
            assert {name: each.used for name, each in member.inventories.items()} == {
                name: each.used for name, each in model.inventories.items()
            }


@pytest.mark.usefixtures("world")
def test_trees_that_share_are_found_by_their_trait(store: Store) -> None:
    assert [tree.root.uuid for tree in store.read(candidates.sharing_trees)] == [DISKS]


@pytest.mark.usefixtures("world")
def test_pages_follow_each_other(store: Store) -> None:
    narrowing = narrow([], ANYTHING, {})
    first = store.read(lambda tx: candidates.page_of_trees(tx, narrowing, after=0, count=2))
    after = first[-1].root.id
    second = store.read(lambda tx: candidates.page_of_trees(tx, narrowing, after=after, count=2))
    assert [tree.root.uuid for tree in (*first, *second)] == [RICH, POOR, DISKS]
    rest = store.read(lambda tx: candidates.matching_trees(tx, narrowing, after=after))
    assert rest == second


@pytest.mark.usefixtures("world")
def test_the_root_of_a_tree_is_known_by_any_member(store: Store) -> None:
    assert store.read(lambda tx: candidates.roots_of(tx, [CHILD, POOR, GOLD])) == {CHILD: RICH, POOR: POOR}
    assert store.read(lambda tx: candidates.roots_of(tx, [])) == {}


@pytest.mark.parametrize(("count", "size"), [(0, 0), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (400, 512)])
def test_lists_of_values_have_few_lengths(count: int, size: int) -> None:
    filled = padded(range(count))
    assert len(filled) == size
    assert set(filled) == set(range(count))
