"""Every filter, order and page against a plain Python model of the same nodes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.machines.model.node_query import (
    Condition,
    Contains,
    Equals,
    NodeQuery,
    OfConductor,
    OfProjects,
    OneOf,
    Present,
    Traits,
)
from dibs.machines.model.nodes import Node
from dibs.machines.queries import node_pages
from tests.builders import Ledger

TRAITS = ("CUSTOM_RED", "CUSTOM_BLUE", "CUSTOM_GREEN")
CLASSES = (None, "gold", "silver")
PROJECTS = (None, "red team", "blue team")
Model = list[tuple[Node, frozenset[str]]]


@pytest.fixture
def fleet(ledger: Ledger) -> Model:
    """Twenty-four nodes that all differ in a filtered attribute."""
    fleet = []
    for number in range(24):
        traits = tuple(trait for place, trait in enumerate(TRAITS) if number >> place & 1)
        node = ledger.enrol(
            name=f"node-{number % 7}-{number}" if number % 3 else None,
            resource_class=CLASSES[number % 3],
            owner=PROJECTS[number % 3],
            lessee=PROJECTS[number // 3 % 3],
            description=f"Rack_{number % 4} 100%" if number % 2 else None,
            maintenance=number % 5 == 0,
            with_traits=traits,
        )
        fleet.append((node, frozenset(traits)))
    return fleet


def matches(condition: Condition, node: Node, traits: frozenset[str]) -> bool:
    match condition:
        case Equals(field=field, value=value):
            return bool(getattr(node, field) == value)
        case OneOf(field=field, values=values):
            return getattr(node, field) in values
        case Present(field=field, present=present):
            return (getattr(node, field) is not None) is present
        case Contains(field=field, text=text):
            return text.lower() in (getattr(node, field) or "").lower()
        case OfProjects(projects=projects):
            return not {node.owner, node.lessee}.isdisjoint(projects)
        case OfConductor(hostname=hostname):
            return hostname == "conductor-1"
        case Traits(names=names, any_of=any_of, negated=negated):
            has = [name in traits for name in names]
            return (any(has) if any_of else all(has)) is not negated


names = st.lists(st.sampled_from(TRAITS), min_size=1, max_size=3, unique=True).map(tuple)
conditions = st.one_of(
    st.builds(Equals, st.just("resource_class"), st.sampled_from(CLASSES)),
    st.builds(Equals, st.just("maintenance"), st.booleans()),
    st.builds(OneOf, st.just("owner"), st.just(("red team", "blue team"))),
    st.builds(Present, st.sampled_from(["name", "owner", "instance_uuid"]), st.booleans()),
    st.builds(Contains, st.just("description"), st.sampled_from(["rack_1", "_", "%", "RACK", "nothing", "\\"])),
    st.builds(OfProjects, st.sampled_from([(), ("red team",), ("nobody",), ("red team", "blue team")])),
    st.builds(OfConductor, st.sampled_from(["conductor-1", "nobody"])),
    st.builds(Traits, names, st.booleans(), st.booleans()),
)


def in_pages(ledger: Ledger, question: Callable[[str | None], NodeQuery]) -> Iterator[dict[str, Any]]:
    """Yield the nodes of all pages of a list."""
    marker = None
    while True:
        query = question(marker)
        page = ledger.store.read(lambda tx, query=query: node_pages.page(tx, query))
        assert page is not None
        rows = page.rows()
        yield from rows
        if len(rows) < query.limit:
            return
        marker = rows[-1]["uuid"]


def test_every_question_is_answered_as_the_model_answers_it(ledger: Ledger, fleet: Model) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        where=st.lists(conditions, max_size=3).map(tuple),
        sort_key=st.sampled_from(["id", "uuid", "name", "resource_class", "owner", "created_at"]),
        descending=st.booleans(),
        limit=st.sampled_from([1, 3, 7, 100]),
    )
    def check(where: tuple[Condition, ...], sort_key: str, descending: bool, limit: int) -> None:
        found = list(
            in_pages(
                ledger,
                lambda marker: NodeQuery(
                    columns=frozenset({"traits", "conductor", "name"}),
                    projects=EVERY_PROJECT,
                    conditions=where,
                    sort_key=sort_key,
                    descending=descending,
                    limit=limit,
                    marker=marker,
                ),
            )
        )
        wanted = [each for each in fleet if all(matches(condition, *each) for condition in where)]

        def order(each: tuple[Node, frozenset[str]]) -> tuple[bool, Any, int]:
            value = getattr(each[0], sort_key)
            return value is not None, value or 0, each[0].id

        wanted.sort(key=order, reverse=descending)
        assert [row["uuid"] for row in found] == [node.uuid for node, _ in wanted]
        assert [set(row["traits"]) for row in found] == [traits for _, traits in wanted]

    check()


def test_a_page_takes_two_statements_however_many_nodes_it_has(ledger: Ledger, fleet: Model) -> None:
    counts = set()
    for limit in (1, 20):
        query = NodeQuery(columns=frozenset({"uuid", "traits"}), projects=EVERY_PROJECT, limit=limit)
        before = ledger.store.statistics.statements
        ledger.store.read(lambda tx, query=query: node_pages.page(tx, query))
        counts.add(ledger.store.statistics.statements - before)
    assert counts == {2}


def test_only_the_asked_columns_are_read(ledger: Ledger, fleet: Model) -> None:
    query = NodeQuery(columns=frozenset({"driver_info"}), projects=EVERY_PROJECT, limit=1)
    page = ledger.store.read(lambda tx: node_pages.page(tx, query))
    assert page is not None
    assert set(page.columns) == {"id", "uuid", "driver_info"}
    assert page.columns["driver_info"] == [{}]


def test_a_marker_that_is_gone_gives_no_page(ledger: Ledger) -> None:
    query = NodeQuery(columns=frozenset(), projects=EVERY_PROJECT, marker="00000000-0000-4000-8000-000000000000")
    assert ledger.store.read(lambda tx: node_pages.page(tx, query)) is None


def test_a_caller_sees_only_the_nodes_of_its_projects(ledger: Ledger) -> None:
    ledger.enrol(name="owned", owner="red")
    ledger.enrol(name="leased", owner="blue", lessee="red")
    ledger.enrol(name="other", owner="blue")
    ledger.enrol(name="unowned")

    def seen(projects: VisibleProjects) -> list[str]:
        query = NodeQuery(columns=frozenset({"name"}), projects=projects)
        page = ledger.store.read(lambda tx: node_pages.page(tx, query))
        assert page is not None
        return list(page.columns["name"])

    assert seen(frozenset({"red"})) == ["owned", "leased"]
    assert seen(frozenset({"red", "blue"})) == ["owned", "leased", "other"]
    assert seen(frozenset()) == []
    assert len(seen(EVERY_PROJECT)) == 4
