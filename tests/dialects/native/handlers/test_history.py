"""The past of nodes over HTTP."""

from urllib.parse import quote

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation, person

NOBODY = Actor(user="guest", project="p1", roles=frozenset())


@pytest.mark.parametrize(
    ("actor", "status"),
    [
        (person("reader", "p1"), 200),
        (person("admin", "p2"), 404),
        (person("reader", "p3"), 403),
        (SERVICE_ACTOR, 200),
        (NOBODY, 403),
    ],
)
def test_only_the_owner_and_readers_of_the_system_see_the_past(
    ask: Conversation, ledger: Ledger, actor: Actor, status: int
) -> None:
    node = ledger.enrol(name="n1", owner="p1", lessee="p3", description="before")
    moment = ask("GET", "/v1/audit?limit=1")[1]["events"][0]["time"]
    ledger.change(node, description="after")
    found = ask("GET", f"/v1/nodes/{node.uuid}/history?at={quote(moment)}", actor=actor)
    assert found[0] == status
    if status == 200:
        assert (found[1]["uuid"], found[1]["at"]) == (node.uuid, moment)
        assert found[1]["node"]["description"] == "before"
        assert ask("GET", f"/v1/nodes/n1/history?at={quote(moment)}", actor=actor) == found


@pytest.mark.parametrize("query", ["", "?at=yesterday", "?at=2001-01-01", "?at=9999-01-01", "?unknown=1"])
def test_unusable_moment_is_refused(ask: Conversation, ledger: Ledger, query: str) -> None:
    node = ledger.enrol()
    assert ask("GET", f"/v1/nodes/{node.uuid}/history{query}")[0] == 400


def test_unknown_node_is_not_found(ask: Conversation, ledger: Ledger) -> None:
    ledger.enrol()
    moment = ask("GET", "/v1/audit?limit=1")[1]["events"][0]["time"]
    assert ask("GET", f"/v1/nodes/nowhere/history?at={quote(moment)}")[0] == 404
