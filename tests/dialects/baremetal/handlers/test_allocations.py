"""Allocations: access, and behaviour that the contracts do not show."""

import uuid
from typing import Any

import pytest

from dibs.access.access import SERVICE, Access, EveryRule
from dibs.access.actor import Actor
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.database import paging
from dibs.documents.json_body import FREE_FORM_BYTES_MAX
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.nodes import Node
from dibs.machines.operations.holds import CreateHold, create_hold
from tests.dialects.baremetal.conversation import ADMIN_ROLES, MEMBER_ROLES, Conversation, person
from tests.dialects.conversation import Answer

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

ALICE = person("a", *MEMBER_ROLES)
BOB = person("b", *ADMIN_ROLES)
READER = person("a", "reader")


def create(ask: Conversation, actor: Actor | None = None, **body: Any) -> Answer:
    return ask("POST", "/v1/allocations", {"resource_class": "gold", **body}, actor=actor)


def in_use(ask: Conversation, **values: Any) -> tuple[Node, str]:
    """Return a deployed node and the uuid of its allocation."""
    node = ask.ledger.enrol(resource_class="gold", state="active", owner=values.get("owner"))
    command = CreateAllocation(node=node.uuid, **values)
    return node, ask.ledger.runner.write(create_allocation, SERVICE, command).uuid


def test_member_creates_allocations_for_its_own_project(ask: Conversation) -> None:
    assert create(ask, ALICE).json["owner"] == "a"
    assert create(ask, ALICE, owner="a").json["owner"] == "a"
    assert create(ask, ALICE, owner="b").status == 403
    assert create(ask, READER).status == 403
    assert create(ask, Actor(user="no-project", roles=frozenset(MEMBER_ROLES))).status == 403


def test_system_caller_creates_allocations_for_any_project(ask: Conversation) -> None:
    assert create(ask).json["owner"] is None
    assert create(ask, owner="a").json["owner"] == "a"


def test_create_wakes_the_conductor(ask: Conversation) -> None:
    create(ask)
    assert ask.woken == 1


def test_without_a_live_conductor_the_answer_is_503_and_nothing_is_written(ask: Conversation) -> None:
    ask.ledger.clock.move(TIMEOUT_SECONDS + 1)
    answer = create(ask)
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert ask("GET", "/v1/allocations").json == {"allocations": []}


def test_project_sees_only_its_own_allocations(ask: Conversation) -> None:
    mine, theirs = create(ask, ALICE).json["uuid"], create(ask, BOB).json["uuid"]
    unowned = create(ask).json["uuid"]

    def listed(actor: Actor | None, query: str = "") -> list[str]:
        return [seen["uuid"] for seen in ask("GET", f"/v1/allocations{query}", actor=actor).json["allocations"]]

    assert listed(None) == [mine, theirs, unowned]
    assert listed(ALICE) == listed(ALICE, "?owner=a") == listed(None, "?owner=a") == [mine]
    assert ask("GET", "/v1/allocations?owner=b", actor=ALICE).status == 403
    assert ask("GET", f"/v1/allocations/{mine}", actor=READER).status == 200
    for other in (theirs, unowned):
        for method in ("GET", "DELETE"):
            assert ask(method, f"/v1/allocations/{other}", actor=ALICE).status == 404


def test_reader_changes_nothing(ask: Conversation) -> None:
    mine = create(ask, ALICE).json["uuid"]
    patch = [{"op": "add", "path": "/extra/a", "value": 1}]
    assert ask("PATCH", f"/v1/allocations/{mine}", patch, actor=READER).status == 403
    assert ask("DELETE", f"/v1/allocations/{mine}", actor=READER).status == 403
    assert ask("PATCH", f"/v1/allocations/{mine}", patch, actor=ALICE).status == 200
    assert ask("DELETE", f"/v1/allocations/{mine}", actor=ALICE).status == 204


def test_node_of_another_project_is_not_found_as_candidate_target_or_filter(ask: Conversation) -> None:
    node, _ = in_use(ask, owner="b")
    for body in ({"candidate_nodes": [node.uuid]}, {"node": node.uuid}):
        answer = create(ask, ALICE, **body)
        assert (answer.status, node.uuid in answer.reason) == (400, True)
    assert ask("GET", f"/v1/allocations?node={node.uuid}", actor=ALICE).status == 400
    assert ask("GET", f"/v1/nodes/{node.uuid}/allocation", actor=ALICE).status == 404
    assert ask("GET", f"/v1/nodes/{node.uuid}/allocation", actor=BOB).status == 200


def test_allocation_of_the_lessee_is_hidden_from_the_owner_of_the_node(ask: Conversation) -> None:
    node = ask.ledger.enrol(resource_class="gold", state="active", owner="a", lessee="b")
    command = CreateAllocation(node=node.uuid, owner="b")
    ask.ledger.runner.write(create_allocation, SERVICE, command)
    assert ask("GET", f"/v1/nodes/{node.uuid}/allocation", actor=ALICE).status == 404
    assert ask("DELETE", f"/v1/nodes/{node.uuid}/allocation", actor=ALICE).status == 404


def test_reservation_becomes_an_allocation(ask: Conversation) -> None:
    node = ask.ledger.enrol(resource_class="gold", owner="a")
    proof = str(uuid.uuid4())
    command = CreateHold(uuid=proof, instance_uuid=str(uuid.uuid4()), nodes=(node.uuid,), seconds=60)
    ask.ledger.runner.write(create_hold, Access(actor=ALICE, rules=EveryRule()), command)
    assert ask("POST", "/v1/allocations", {"reservation_uuid": proof}, actor=BOB).status == 404
    made = ask("POST", "/v1/allocations", {"reservation_uuid": proof}, actor=ALICE)
    assert (made.status, made.json["state"], made.json["node_uuid"]) == (201, "active", node.uuid)
    assert ask("GET", f"/v1/nodes/{node.uuid}").json["allocation_uuid"] == made.json["uuid"]
    assert ask("GET", f"/v1/reservations/{proof}", actor=ALICE).status == 404


def test_node_shows_its_allocation_in_every_list(ask: Conversation) -> None:
    node, allocation = in_use(ask)
    ask.ledger.enrol(resource_class="gold")
    for url in ("/v1/nodes/detail", "/v1/nodes?fields=uuid,allocation_uuid", "/v1/nodes?detail=true"):
        found = {seen["uuid"]: seen["allocation_uuid"] for seen in ask("GET", url).json["nodes"]}
        assert (found[node.uuid], len(found)) == (allocation, 2)
        assert set(found.values()) == {allocation, None}
    assert "allocation_uuid" not in ask("GET", f"/v1/nodes/{node.uuid}", version="1.51").json


@pytest.mark.parametrize("name", ["candidate_nodes", "traits"])
def test_too_many_values_are_refused(ask: Conversation, name: str) -> None:
    assert create(ask, **{name: [f"CUSTOM_{number}" for number in range(1_001)]}).status == 400


def test_null_is_the_same_as_no_value(ask: Conversation) -> None:
    answer = create(ask, name=None, traits=None, candidate_nodes=None, extra=None, uuid=None, node=None)
    assert (answer.status, answer.json["traits"], answer.json["extra"]) == (201, [], {})


def test_body_of_a_caller_without_a_role_is_not_looked_at(ask: Conversation) -> None:
    answer = create(ask, person("a", "none"), candidate_nodes=[1, 2, 3])
    assert answer.status == 403


def test_too_large_extra_is_refused_and_nothing_is_written(ask: Conversation) -> None:
    refused = create(ask, extra={"a": "x" * FREE_FORM_BYTES_MAX})
    assert refused.status == 400
    assert "/extra has 65544 bytes of JSON, which is more than 65536" in refused.reason
    assert ask("GET", "/v1/allocations").json == {"allocations": []}
    made = create(ask, extra={"a": "x" * 60_000}).json
    patch = [{"op": "add", "path": "/extra/b", "value": "x" * 6_000}]
    assert ask("PATCH", f"/v1/allocations/{made['uuid']}", patch).status == 400


def test_page_of_large_allocations_is_short_and_links_to_the_rest(
    ask: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "PAGE_BYTES_MAX", 100_000)
    made = [create(ask, extra={"a": "x" * 40_000}).json["uuid"] for _ in range(5)]
    seen: list[str] = []
    path = "/v1/allocations"
    while path:
        document = ask("GET", path).json
        assert len(document["allocations"]) <= 3
        seen += [allocation["uuid"] for allocation in document["allocations"]]
        path = document.get("next", "").rpartition("/baremetal")[2]
    assert seen == made
