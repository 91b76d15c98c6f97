"""Candidates from a real database: those of brute force, with a number of statements that does not grow."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.access.access import SERVICE
from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.candidates import Candidates
from dibs.candidates.model.provider_tree import SHARING_TRAIT
from dibs.candidates.operations import candidates
from dibs.candidates.operations.candidates import find_candidates, find_known_candidates
from dibs.database import Store, open_store
from dibs.database.transaction import Transaction
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.errors import NoSuchTrait, ResourceClassNotFound
from tests.builders import FIRST_INSTANT
from tests.candidates.model.brute_force import Provider, Stock, World, all_candidates
from tests.candidates.model.searching import answer
from tests.candidates.model.worlds import AGGREGATES, CLASSES, queries, worlds
from tests.placement_rows import put_world

NOWHERE = "99999999-9999-4999-8999-999999999999"


def ask(store: Store, query: CandidateQuery) -> Candidates:
    return store.read(lambda tx: find_candidates(tx, SERVICE, FIRST_INSTANT, query))


def ask_known(store: Store, query: CandidateQuery) -> Candidates | None:
    return store.read(lambda tx: find_known_candidates(tx, SERVICE, FIRST_INSTANT, query))


def everything_known(world: World) -> World:
    """Return the world with one more root that has every class and trait, so that every name is known."""
    oddity = Provider(NOWHERE, None, {name: Stock(1, 1) for name in CLASSES}, frozenset({"CUSTOM_RED", "CUSTOM_BLUE"}))
    return World([*world.providers.values(), oddity])


def flat(count: int, **stocks: Stock) -> World:
    return World([Provider(f"00000000-0000-4000-8000-{number:012}", None, dict(stocks)) for number in range(count)])


def one_group(**resources: int) -> CandidateQuery:
    return CandidateQuery(groups=(RequestGroup(resources=resources),))


def test_the_operation_finds_the_candidates_of_brute_force(store: Store) -> None:
    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        world = everything_known(data.draw(worlds()))
        query = data.draw(queries(world))
        limit = data.draw(st.integers(1, 4))
        put_world(store, world)
        found = ask(store, query)
        assert {answer(candidate) for candidate in found.candidates} == all_candidates(world, query)
        assert ask(store, replace(query, limit=limit)).candidates == found.candidates[:limit]
        assert ask_known(store, query) in (None, found)
        assert ask_known(store, replace(query, limit=limit)) in (None, ask(store, replace(query, limit=limit)))

    check()


def statements(store: Store, query: CandidateQuery) -> int:
    """Return the number of statements of a search whose process knows the structure."""
    ask(store, query)
    before = store.statistics.statements
    ask(store, query)
    return store.statistics.statements - before


def test_search_of_a_known_structure_is_one_statement(store: Store) -> None:
    put_world(store, flat(40, VCPU=Stock(100)))
    for query in (one_group(VCPU=1), replace(one_group(VCPU=1), limit=10)):
        expected = ask(store, query)
        before = store.statistics.statements
        assert ask_known(store, query) == expected
        assert store.statistics.statements == before + 1


def test_known_structure_is_not_searched_when_it_is_old_or_does_not_answer_the_query(
    store: Store, database_url: str
) -> None:
    put_world(store, flat(3, VCPU=Stock(100)))
    query = one_group(VCPU=1)
    reader = open_store(database_url)
    try:
        assert ask_known(reader, query) is None, "nothing is loaded"
        expected = ask(reader, query)
        assert ask_known(reader, query) == expected
        in_tree = replace(query, groups=(replace(query.groups[0], in_tree=NOWHERE),))
        assert ask_known(reader, in_tree) is None
        assert ask_known(reader, one_group(CUSTOM_UNKNOWN=1)) is None
        put_world(store, flat(2, VCPU=Stock(100)))
        assert ask_known(reader, query) is None, "it has changed"
        assert len(ask(reader, query).candidates) == 2
    finally:
        reader.close()


def test_search_of_a_known_structure_goes_on_until_the_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "FIRST_PAGE_MIN", 1)
    used = World([*flat(5, VCPU=Stock(1, used=1)).providers.values(), Provider(NOWHERE, None, {"VCPU": Stock(1)})])
    put_world(store, used)
    query = replace(one_group(VCPU=1), limit=1)
    expected = ask(store, query)
    assert len(expected.candidates) == 1
    assert ask_known(store, query) == expected


@pytest.mark.parametrize("limit", [None, 10])
def test_the_number_of_statements_grows_neither_with_providers_nor_with_groups(store: Store, limit: int | None) -> None:
    counts = set()
    for size in (1, 40):
        put_world(store, flat(size, VCPU=Stock(100), MEMORY_MB=Stock(100)))
        for group_count in (1, 5):
            groups = tuple(
                RequestGroup(suffix=f"_{n}", resources={"VCPU": 1, "MEMORY_MB": 2}) for n in range(group_count)
            )
            counts.add(statements(store, CandidateQuery(groups=groups, limit=limit)))
    assert counts == {2}


def test_a_limited_query_reads_no_more_providers_than_it_needs(store: Store) -> None:
    put_world(store, flat(200, VCPU=Stock(8, used=1)))
    ask(store, one_group(VCPU=1))
    seen: list[int] = []
    found = store.read(lambda tx: counting(tx, seen, replace(one_group(VCPU=1), limit=20)))
    assert len(found.candidates) == 20
    assert max(seen) == 20


def counting(tx: Transaction, seen: list[int], query: CandidateQuery) -> Candidates:
    """Run the query and note how many rows say what is used."""
    rows = tx.tuples
    tx.tuples = lambda *arguments: seen.append(len(found := rows(*arguments))) or found  # type: ignore[assignment, method-assign]
    return find_candidates(tx, SERVICE, FIRST_INSTANT, query)


TWO_GROUPS = CandidateQuery(
    groups=tuple(RequestGroup(suffix=suffix, resources={"VCPU": 1}) for suffix in "12"), limit=1
)


def promising(count: int, *, last_has_enough: bool) -> World:
    """Trees that could supply two groups if nothing were used; only the last one may have a candidate."""
    providers = []
    for number in range(count):
        root = f"00000000-0000-4000-8000-{number:012}"
        enough = last_has_enough and number == count - 1
        providers.append(Provider(root, None, {"VCPU": Stock(2, max_unit=2, used=0 if enough else 1)}))
        providers.append(Provider(f"10000000-0000-4000-8000-{number:012}", root))
    return World(providers)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "FIRST_PAGE_MIN", 2)
    monkeypatch.setattr(candidates, "PAGE_MAX", 8)


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("count", [1, 2, 3, 10, 11, 100])
def test_pages_are_read_until_there_are_enough_candidates(store: Store, count: int) -> None:
    put_world(store, promising(count, last_has_enough=True))
    (found,) = ask(store, TWO_GROUPS).candidates
    assert found.resources == {f"00000000-0000-4000-8000-{count - 1:012}": {"VCPU": 2}}
    assert len(ask(store, replace(TWO_GROUPS, limit=1_000)).candidates) == 1


@pytest.mark.usefixtures("small_pages")
def test_a_limited_query_without_candidates_takes_the_same_statements_for_any_number_of_trees(store: Store) -> None:
    counts = set()
    for size in (20, 40, 400):
        put_world(store, promising(size, last_has_enough=False))
        assert ask(store, TWO_GROUPS).candidates == ()
        counts.add(statements(store, TWO_GROUPS))
    assert counts == {4}


def test_only_trees_in_which_a_supplier_has_the_trait_are_read(store: Store) -> None:
    """The traits of a member that supplies nothing do not count, so the first page has only trees with candidates."""
    providers = []
    for number in range(50):
        root, child = (f"{n}0000000-0000-4000-8000-{number:012}" for n in range(2))
        last = number == 49
        red = frozenset({"CUSTOM_RED"})
        providers.append(Provider(root, None, {"VCPU": Stock(8, used=1)}, red if last else frozenset()))
        providers.append(Provider(child, root, {}, red))
    put_world(store, World(providers))
    ask(store, one_group(VCPU=1))
    group = RequestGroup(resources={"VCPU": 1}, traits=Criteria(required=(frozenset({"CUSTOM_RED"}),)))
    seen: list[int] = []
    (found,) = store.read(lambda tx: counting(tx, seen, CandidateQuery(groups=(group,), limit=1))).candidates
    assert found.resources == {"00000000-0000-4000-8000-000000000049": {"VCPU": 1}}
    assert max(seen) == 1


def test_a_tree_is_reached_through_an_aggregate_of_any_member(store: Store) -> None:
    host, child, disks = (f"00000000-0000-4000-8000-00000000000{number}" for number in range(3))
    world = World(
        [
            Provider(host, None, {"VCPU": Stock(8)}),
            Provider(child, host, {}, frozenset(), frozenset(AGGREGATES[:1])),
            Provider(disks, None, {"DISK_GB": Stock(100)}, frozenset({SHARING_TRAIT}), frozenset(AGGREGATES)),
        ]
    )
    put_world(store, world)
    found = ask(store, one_group(VCPU=1, DISK_GB=10))
    assert [candidate.resources for candidate in found.candidates] == [{host: {"VCPU": 1}, disks: {"DISK_GB": 10}}]
    assert [member.uuid for member in found.providers] == [host, child, disks]


def test_a_custom_class_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(ResourceClassNotFound, match="CUSTOM_NOTHING"):
        ask(store, one_group(CUSTOM_NOTHING=1))


def test_a_standard_class_that_no_provider_has_has_no_candidates(store: Store) -> None:
    assert ask(store, one_group(VGPU=1)).candidates == ()


def test_unknown_traits_of_a_group_or_of_the_root_are_refused(store: Store) -> None:
    unknown = Criteria(required=(frozenset({"CUSTOM_A", "HW_CPU_X86_AVX"}),), forbidden=frozenset({"CUSTOM_B"}))
    with pytest.raises(NoSuchTrait, match="CUSTOM_A, CUSTOM_B"):
        ask(store, CandidateQuery(groups=(RequestGroup(resources={"VCPU": 1}, traits=unknown),)))
    with pytest.raises(NoSuchTrait, match="CUSTOM_A, CUSTOM_B"):
        ask(store, replace(one_group(VCPU=1), root_traits=unknown))


def test_a_tree_that_does_not_exist_has_no_candidates(store: Store) -> None:
    put_world(store, flat(1, VCPU=Stock(8)))
    assert ask(store, CandidateQuery(groups=(RequestGroup(resources={"VCPU": 1}, in_tree=NOWHERE),))).candidates == ()
    assert len(ask(store, one_group(VCPU=1)).candidates) == 1
