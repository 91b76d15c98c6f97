"""Shares over HTTP: who may see and set weights, and bad requests."""

from typing import Any

import pytest

from dibs.access.actor import Actor
from dibs.http.auth import with_implied_roles
from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation, person
from tests.share_builders import weigh

ADMIN = Actor(user="root", roles=with_implied_roles({"admin"}), system_scope=True)
READER = Actor(user="root", roles=with_implied_roles({"reader"}), system_scope=True)


def test_weight_is_set_listed_and_removed(ask: Conversation) -> None:
    share = {"project": "p1", "weight": 5, "average": 0.0, "nodes": 0}
    assert ask("PUT", "/v1/shares/p1", {"weight": 5.0}, actor=ADMIN) == (200, share)
    assert ask("GET", "/v1/shares", actor=READER) == (200, {"shares": [share]})
    assert ask("DELETE", "/v1/shares/p1", actor=ADMIN)[0] == 204
    assert ask("GET", "/v1/shares")[1]["shares"] == [{**share, "weight": 1}]
    status, document = ask("DELETE", "/v1/shares/p1", actor=ADMIN)
    assert (status, document["error"]["code"]) == (404, "share_not_found")


def test_list_is_paged(ask: Conversation, ledger: Ledger) -> None:
    for project in ("a", "b", "c"):
        weigh(ledger, project, 2)
    first = ask("GET", "/v1/shares?limit=2")[1]
    assert [share["project"] for share in first["shares"]] == ["a", "b"]
    rest = ask("GET", first["next"].rpartition("/dibs")[2])[1]
    assert ([share["project"] for share in rest["shares"]], "next" in rest) == (["c"], False)


def test_only_administrators_of_the_system_set_weights_and_members_see_their_own(
    ask: Conversation, ledger: Ledger
) -> None:
    for project in ("p1", "p2"):
        weigh(ledger, project, 2)
    for actor, seen in ((person("member", "p1"), ["p1"]), (person("admin", "p1"), ["p1"]), (READER, ["p1", "p2"])):
        assert ask("PUT", "/v1/shares/p1", {"weight": 9}, actor=actor)[0] == 403
        assert ask("DELETE", "/v1/shares/p1", actor=actor)[0] == 403
        assert [share["project"] for share in ask("GET", "/v1/shares", actor=actor)[1]["shares"]] == seen


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "weight"),
        ({"weight": 0}, "weight"),
        ({"weight": 1_001}, "weight"),
        ({"weight": 1.5}, "weight"),
        ({"weight": None}, "weight"),
        ({"weight": 1, "height": 2}, "height"),
    ],
)
def test_bad_weight_is_refused_with_its_reason(ask: Conversation, body: Any, reason: str) -> None:
    status, document = ask("PUT", "/v1/shares/p1", body, actor=ADMIN)
    assert (status, reason in document["error"]["message"]) == (400, True), document
