"""Quotas over HTTP: who may see and set them, bad requests, and refusals."""

from typing import Any

import pytest

from dibs.access.actor import Actor
from dibs.http.auth import with_implied_roles
from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation, person
from tests.quota_builders import limit

ADMIN = Actor(user="root", roles=with_implied_roles({"admin"}), system_scope=True)
READER = Actor(user="root", roles=with_implied_roles({"reader"}), system_scope=True)
NO_LIMITS = {"nodes": None, "node_hours": None, "lease_seconds": None, "queued": None}


def test_limits_are_set_shown_listed_and_removed(ask: Conversation) -> None:
    status, quota = ask("PUT", "/v1/quotas/p1", {"nodes": 4, "queued": 2}, actor=ADMIN)
    used = {"nodes": 0, "node_hours": 0, "lease_seconds": 0, "queued": 0}
    assert (status, quota) == (
        200,
        {"project": "p1", "limits": [{**NO_LIMITS, "resource_class": None, "nodes": 4, "queued": 2, "used": used}]},
    )
    ask("PUT", "/v1/quotas/p1", {"resource_class": "gold", "node_hours": 10, "lease_seconds": 60}, actor=ADMIN)
    assert [each["resource_class"] for each in ask("GET", "/v1/quotas/p1")[1]["limits"]] == [None, "gold"]
    listed = ask("GET", "/v1/quotas", actor=READER)[1]["quotas"]
    gold = {**NO_LIMITS, "resource_class": "gold", "node_hours": 10, "lease_seconds": 60}
    assert listed == [
        {"project": "p1", "limits": [{**NO_LIMITS, "resource_class": None, "nodes": 4, "queued": 2}, gold]}
    ]
    assert ask("DELETE", "/v1/quotas/p1?resource_class=", actor=ADMIN)[0] == 204
    assert [each["resource_class"] for each in ask("GET", "/v1/quotas/p1")[1]["limits"]] == ["gold"]
    assert ask("DELETE", "/v1/quotas/p1", actor=ADMIN)[0] == 204
    assert ask("GET", "/v1/quotas/p1") == (200, {"project": "p1", "limits": []})
    status, document = ask("DELETE", "/v1/quotas/p1", actor=ADMIN)
    assert (status, document["error"]["code"]) == (404, "quota_not_found")


def test_number_with_a_zero_fraction_is_an_integer(ask: Conversation) -> None:
    assert ask("PUT", "/v1/quotas/p1", {"nodes": 4.0}, actor=ADMIN)[1]["limits"][0]["nodes"] == 4


def test_list_is_paged(ask: Conversation, ledger: Ledger) -> None:
    for project in ("a", "b", "c"):
        limit(ledger, project, nodes=1)
    first = ask("GET", "/v1/quotas?limit=2")[1]
    assert [quota["project"] for quota in first["quotas"]] == ["a", "b"]
    rest = ask("GET", first["next"].rpartition("/dibs")[2])[1]
    assert ([quota["project"] for quota in rest["quotas"]], "next" in rest) == (["c"], False)


@pytest.mark.parametrize(
    ("actor", "own", "foreign", "update"),
    [
        (person("reader", "p1"), 200, 403, 403),
        (person("member", "p1"), 200, 403, 403),
        (person("admin", "p1"), 200, 403, 403),
        (READER, 200, 200, 403),
        (Actor(user="root", roles=with_implied_roles({"member"}), system_scope=True), 200, 200, 403),
        (ADMIN, 200, 200, 200),
        (Actor(user="guest", project="p1"), 403, 403, 403),
    ],
)
def test_who_may_see_and_set_quotas(
    ask: Conversation, ledger: Ledger, actor: Actor, own: int, foreign: int, update: int
) -> None:
    for project in ("p1", "p2"):
        limit(ledger, project, nodes=1)
    assert ask("GET", "/v1/quotas/p1", actor=actor)[0] == own
    assert ask("GET", "/v1/quotas/p2", actor=actor)[0] == foreign
    assert ask("PUT", "/v1/quotas/p1", {"nodes": 9}, actor=actor)[0] == update
    assert ask("DELETE", "/v1/quotas/p2", actor=actor)[0] == (204 if update == 200 else 403)
    status, document = ask("GET", "/v1/quotas", actor=actor)
    assert status == own
    if status == 200:
        assert {quota["project"] for quota in document["quotas"]} <= ({"p1"} if foreign == 403 else {"p1", "p2"})


@pytest.mark.parametrize(
    "body",
    [
        {"nodes": -1},
        {"nodes": 2**31},
        {"nodes": "4"},
        {"resource_class": ""},
        {"resource_class": "x" * 81, "nodes": 1},
        {"resource_class": "a\x00b", "nodes": 1},
        {"unknown": 1},
        [],
    ],
)
def test_bad_limits_are_refused(ask: Conversation, body: Any) -> None:
    assert ask("PUT", "/v1/quotas/p1", body, actor=ADMIN)[0] == 400


@pytest.mark.parametrize("project", ["x" * 256, "a\x00b"])
def test_bad_projects_are_refused(ask: Conversation, project: str) -> None:
    for method, body in (("PUT", {"nodes": 1}), ("DELETE", None), ("GET", None)):
        assert ask(method, f"/v1/quotas/{project}", body, actor=ADMIN)[0] == 400


def test_refusal_names_the_quota(ask: Conversation, ledger: Ledger) -> None:
    limit(ledger, "p1", "gold", queued=1)
    member = person("member", "p1")
    ask.ask(member, wait_seconds=60)
    status, document = ask("POST", "/v1/allocations", {"resource_class": "gold", "wait_seconds": 60}, actor=member)
    assert (status, document["error"]) == (
        403,
        {
            "code": "quota_exceeded",
            "message": "Quota exceeded for queued allocations of class gold of project p1: limit 1, used 1, asked 1.",
        },
    )


def test_why_names_the_quota(ask: Conversation, ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold", owner="p1")
    member = person("member", "p1")
    assert ask("GET", "/v1/why?resource_class=gold", actor=member)[1]["quota"] is None
    limit(ledger, "p1", nodes=0)
    found = ask("GET", "/v1/why?resource_class=gold", actor=member)[1]
    assert (found["fits"], found["quota"]) == (
        False,
        "Quota exceeded for nodes of project p1: limit 0, used 0, asked 1.",
    )
