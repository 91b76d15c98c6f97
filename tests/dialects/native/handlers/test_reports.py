"""Reports over HTTP: who sees the hours of which project."""

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.http.auth import with_implied_roles
from tests.allocation_builders import allocate
from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation, person

SYSTEM_READER = Actor(user="root", roles=with_implied_roles({"reader"}), system_scope=True)
NOBODY = Actor(user="guest", project="p1", roles=frozenset())
PATH = "/v1/reports/utilisation"


@pytest.mark.parametrize(
    ("actor", "seen"),
    [
        (person("reader", "p1"), {"p1"}),
        (person("admin", "p2"), {"p2"}),
        (person("admin", "p3"), set()),
        (SYSTEM_READER, {"p1", "p2"}),
        (SERVICE_ACTOR, {"p1", "p2"}),
    ],
)
def test_caller_sees_only_hours_of_its_project(ask: Conversation, ledger: Ledger, actor: Actor, seen: set[str]) -> None:
    for owner in ("p1", "p2"):
        node = ledger.enrol(resource_class="gold", state="active", lessee=owner)
        allocate(ledger, node=node.uuid, owner=owner)
    ledger.clock.move(3_600)
    status, document = ask("GET", PATH, actor=actor)
    assert status == 200
    assert {row["project"] for row in document["utilisation"]} == seen
    every = len(seen) == 2
    assert {row["nodes"] for row in document["utilisation"]} <= {2 if every else None}
    assert ask("GET", f"{PATH}?project=p2", actor=actor)[0] == (200 if "p2" in seen else 403)


def test_caller_without_a_role_is_refused(ask: Conversation) -> None:
    assert ask("GET", PATH, actor=NOBODY)[0] == 403


@pytest.mark.parametrize("query", ["?weeks=0", "?weeks=54", "?weeks=x", "?unknown=1"])
def test_unusable_query_is_refused(ask: Conversation, query: str) -> None:
    assert ask("GET", PATH + query)[0] == 400
