"""The audit: filters, pages, and no caller sees the events of another project."""

from typing import Any
from urllib.parse import quote

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.http.auth import with_implied_roles
from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation, person
from tests.provider_builders import claim, make

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

SYSTEM_READER = Actor(user="root", roles=with_implied_roles({"reader"}), system_scope=True)
NOBODY = Actor(user="guest", project="p1", roles=frozenset())
WITHOUT_PROJECT = Actor(user="eva", roles=with_implied_roles({"admin"}))


def audit(ask: Conversation, query: str = "", actor: Actor = SERVICE_ACTOR) -> list[dict[str, Any]]:
    status, document = ask("GET", f"/v1/audit{query}", actor=actor)
    assert status == 200, document
    found: list[dict[str, Any]] = document["events"]
    return found


@pytest.mark.parametrize(
    ("actor", "seen"),
    [
        (person("reader", "p1"), {"p1"}),
        (person("admin", "p1"), {"p1"}),
        (person("member", "p2"), {"p2"}),
        (person("admin", "p3"), set()),
        (SYSTEM_READER, {"p1", "p2", None}),
        (SERVICE_ACTOR, {"p1", "p2", None}),
    ],
)
def test_caller_sees_only_events_of_its_project(
    ask: Conversation, ledger: Ledger, actor: Actor, seen: set[str | None]
) -> None:
    for owner in ("p1", "p2", None):
        node = ledger.enrol(owner=owner)
        ledger.change(node, description="changed")
    assert {event["project"] for event in audit(ask, actor=actor)} == seen
    by_node = [event["project"] for event in audit(ask, f"?node={node.uuid}", actor)]
    assert set(by_node) == ({None} if None in seen else set())


@pytest.mark.parametrize("actor", [NOBODY, WITHOUT_PROJECT])
def test_caller_without_a_role_or_without_a_project_may_not_read_events(ask: Conversation, actor: Actor) -> None:
    assert ask("GET", "/v1/audit", actor=actor)[0] == 403


def test_caller_may_not_ask_for_another_project(ask: Conversation, ledger: Ledger) -> None:
    ledger.enrol(owner="p1")
    assert ask("GET", "/v1/audit?project=p2", actor=person("admin", "p1"))[0] == 403
    assert len(audit(ask, "?project=p1", person("reader", "p1"))) == 1
    assert len(audit(ask, "?project=p1", SYSTEM_READER)) == 1


def test_filters_by_node_type_and_time(ask: Conversation, ledger: Ledger) -> None:
    node, provider = ledger.enrol(name="n1"), make(ledger, VCPU=4)
    claim(ledger, provider, VCPU=1)
    ledger.clock.move(7_200)
    ledger.change(node, description="later")
    assert [event["type"] for event in audit(ask, "?node=n1")] == ["node.changed", "node.created"]
    assert [event["type"] for event in audit(ask, f"?node={provider.uuid}")] == ["claim.created"]
    assert [event["type"] for event in audit(ask, "?type=claim")] == ["claim.created"]
    (changed,) = audit(ask, "?type=node.changed")
    moment = quote(changed["time"])
    assert audit(ask, f"?since={moment}") == [changed]
    assert {event["type"] for event in audit(ask, f"?until={moment}")} == {"node.created", "claim.created"}
    assert changed["before"] == {"description": None}
    assert changed["after"] == {"description": "later"}


def test_pages_continue_after_the_marker(ask: Conversation, ledger: Ledger) -> None:
    for number in range(5):
        ledger.enrol(name=f"n{number}")
    status, first = ask("GET", "/v1/audit?limit=2")
    assert status == 200
    marker = first["events"][-1]["id"]
    assert first["next"].endswith(f"/dibs/v1/audit?limit=2&marker={marker}")
    rest = audit(ask, f"?limit=5&marker={marker}")
    names = [event["after"]["name"] for event in [*first["events"], *rest]]
    assert names == ["n4", "n3", "n2", "n1", "n0"]


@pytest.mark.parametrize(
    "query", ["?since=yesterday", "?limit=0", "?marker=x", "?unknown=1", "?since=9999999999999999", "?node=nowhere"]
)
def test_unusable_query_is_refused(ask: Conversation, query: str) -> None:
    assert ask("GET", f"/v1/audit{query}")[0] in (400, 404)
