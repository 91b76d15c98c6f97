"""Funnels from a real database: which condition leaves no candidates."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dibs.access.access import SERVICE
from dibs.candidates.model import funnel as model
from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.funnel import Funnel
from dibs.candidates.operations.funnel import explain_candidates
from dibs.database import Store
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.model.errors import NoSuchTrait, ResourceClassNotFound
from tests.builders import FIRST_INSTANT
from tests.candidates.model.brute_force import Provider, Stock, World, all_candidates
from tests.candidates.model.worlds import queries, worlds
from tests.candidates.operations.test_candidates import NOWHERE, everything_known, flat
from tests.placement_rows import put_world

RED = frozenset({"CUSTOM_RED"})


def explain(store: Store, query: CandidateQuery) -> Funnel:
    return store.read(lambda tx: explain_candidates(tx, SERVICE, FIRST_INSTANT, query))


def stages(funnel: Funnel) -> list[tuple[str, int]]:
    return [(str(stage.condition), stage.remaining) for stage in funnel.stages]


def test_each_condition_narrows_and_the_last_agrees_with_brute_force(store: Store) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        world = everything_known(data.draw(worlds()))
        query = data.draw(queries(world))
        put_world(store, world)
        found = explain(store, query)
        counts = [found.total, *(stage.remaining for stage in found.stages)]
        assert counts == sorted(counts, reverse=True)
        assert found.total == len(world.roots())
        assert (counts[-1] > 0) is bool(all_candidates(world, query))

    check()


def test_the_condition_that_empties_the_funnel_is_named(store: Store) -> None:
    large = {"VCPU": Stock(8), "MEMORY_MB": Stock(100)}
    world = World(
        [
            Provider("00000000-0000-4000-8000-000000000001", None, large, RED),
            Provider("00000000-0000-4000-8000-000000000002", None, {**large, "VCPU": Stock(8, used=8)}, RED),
            Provider("00000000-0000-4000-8000-000000000003", None, large),
            Provider("00000000-0000-4000-8000-000000000004", None, {"VCPU": Stock(2)}, RED),
        ]
    )
    put_world(store, world)
    wanted = RequestGroup(resources={"VCPU": 4, "MEMORY_MB": 50}, traits=Criteria(required=(RED,)))
    assert stages(explain(store, CandidateQuery(groups=(wanted,)))) == [
        ("resources=VCPU:4", 3),
        ("resources=MEMORY_MB:50", 3),
        ("required=CUSTOM_RED", 2),
        ("free", 1),
    ]
    other = RequestGroup(suffix="_X", resources={"VCPU": 1}, traits=Criteria(forbidden=RED), in_tree=NOWHERE)
    found = explain(store, CandidateQuery(groups=(wanted, other), isolate=True))
    assert stages(found)[3:] == [
        ("resources_X=VCPU:1", 2),
        ("required_X=!CUSTOM_RED", 0),
        (f"in_tree_X={NOWHERE}", 0),
        ("group_policy=isolate", 0),
        ("free", 0),
    ]


def test_the_number_of_statements_does_not_grow_and_the_work_is_bounded(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = set()
    query = CandidateQuery(groups=(RequestGroup(resources={"VCPU": 1, "MEMORY_MB": 1}),))
    for size in (1, 40):
        put_world(store, flat(size, VCPU=Stock(100), MEMORY_MB=Stock(100, used=1)))
        explain(store, query)
        before = store.statistics.statements
        assert explain(store, query).complete
        counts.add(store.statistics.statements - before)
    assert counts == {2}
    monkeypatch.setattr(model, "STEPS_MAX", 1)
    found = explain(store, query)
    assert (found.complete, stages(found)) == (False, [("resources=VCPU:1", 40)])


def test_unknown_traits_and_classes_are_errors(store: Store) -> None:
    put_world(store, flat(1, VCPU=Stock(1)))
    traits = Criteria(required=(frozenset({"CUSTOM_NO_SUCH"}),))
    with pytest.raises(NoSuchTrait):
        explain(store, CandidateQuery(groups=(RequestGroup(resources={"VCPU": 1}, traits=traits),)))
    with pytest.raises(ResourceClassNotFound):
        explain(store, CandidateQuery(groups=(RequestGroup(resources={"CUSTOM_NO_SUCH": 1}),)))
