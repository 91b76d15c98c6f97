"""Asking the native dialect itself, without a server: who may do what, and what a refusal looks like."""

import json
from typing import Any

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.allocations.model.errors import AllocationNotFound, NoConductorAvailable
from dibs.allocations.operations.intake import LocalIntake
from dibs.dialects.native import Native
from dibs.dialects.native.errors import STATUSES, answer_domain_error
from dibs.errors import DibsError
from dibs.http.auth import with_implied_roles
from dibs.http.openapi import build_document
from tests.builders import Ledger
from tests.dialects.conversation import send

GOLD = {"resource_class": "gold"}
BATCH_AND_MORE = "batch=15000000-0000-4000-8000-000000000001&state=error"


def somebody(role: str, project: str = "p1") -> Actor:
    return Actor(user="eva", project=project, roles=with_implied_roles({role}))


class Conversation:
    """A caller and the dialect."""

    def __init__(self, ledger: Ledger) -> None:
        self.woken = 0
        self.ledger = ledger
        self.dialect = Native(ledger.runner, intake=LocalIntake(ledger.runner, self.wake), wake=self.wake)

    def wake(self) -> None:
        self.woken += 1

    def __call__(self, method: str, url: str, body: Any = None, *, actor: Actor = SERVICE_ACTOR) -> tuple[int, Any]:
        answer = send(self.dialect, method, url, body, actor=actor)
        return answer.status, answer.json

    def ask(self, actor: Actor = SERVICE_ACTOR, **body: Any) -> list[dict[str, Any]]:
        status, document = self("POST", "/v1/allocations", {**GOLD, **body}, actor=actor)
        assert status == 201, document
        allocations: list[dict[str, Any]] = document["allocations"]
        return allocations


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    return Conversation(ledger)


def test_one_node_has_no_batch_and_several_share_one(ask: Conversation) -> None:
    (one,) = ask.ask(name="db-1", sticky=True, wait_seconds=60, extra={"a": 1})
    assert (one["batch"], one["name"], one["sticky"], one["extra"]) == (None, "db-1", True, {"a": 1})
    assert one["wait_until"] > one["created_at"]
    several = ask.ask(count=3)
    assert len({each["uuid"] for each in several}) == 3
    assert len({each["batch"] for each in several}) == 1
    assert ask.woken == 2
    status, document = ask("GET", f"/v1/allocations?batch={several[0]['batch']}")
    assert (status, document["allocations"]) == (200, several)


def test_a_list_goes_page_by_page(ask: Conversation) -> None:
    uuids = [ask.ask()[0]["uuid"] for _ in range(3)]
    _, first = ask("GET", "/v1/allocations?limit=2")
    assert [each["uuid"] for each in first["allocations"]] == uuids[:2]
    _, second = ask("GET", f"/v1/allocations?limit=2&marker={uuids[1]}")
    assert [each["uuid"] for each in second["allocations"]] == uuids[2:]


def test_a_project_asks_for_its_own_nodes_and_others_do_not_see_it(ask: Conversation) -> None:
    (mine,) = ask.ask(actor=somebody("member"))
    assert mine["owner"] == "p1"
    assert ask("GET", f"/v1/allocations/{mine['uuid']}", actor=somebody("reader"))[0] == 200
    assert ask("GET", f"/v1/allocations/{mine['uuid']}", actor=somebody("admin", "p2"))[0] == 404
    assert ask("GET", "/v1/allocations", actor=somebody("admin", "p2")) == (200, {"allocations": []})


def test_another_projects_batch_is_not_found(ask: Conversation) -> None:
    batch = ask.ask(actor=somebody("member"), count=2)[0]["batch"]
    assert ask("GET", f"/v1/allocations?batch={batch}", actor=somebody("admin", "p2"))[0] == 404


@pytest.mark.parametrize(
    ("actor", "body"),
    [(somebody("reader"), GOLD), (somebody("member"), {**GOLD, "owner": "p2"}), (Actor(user="nobody"), GOLD)],
    ids=["a reader", "for another project", "without any role"],
)
def test_who_may_not_ask_is_refused(ask: Conversation, actor: Actor, body: Any) -> None:
    status, document = ask("POST", "/v1/allocations", body, actor=actor)
    assert (status, document["error"]["code"]) == (403, "forbidden")
    assert ask("GET", "/v1/allocations") == (200, {"allocations": []})


def test_a_reader_cannot_try_again(ask: Conversation) -> None:
    (mine,) = ask.ask(actor=somebody("member"))
    assert ask("POST", f"/v1/allocations/{mine['uuid']}/retry", {}, actor=somebody("reader"))[0] == 403


def test_a_candidate_that_the_caller_may_not_see_is_not_found(ask: Conversation) -> None:
    node = ask.ledger.enrol(resource_class="gold", owner="p2")
    body = {**GOLD, "candidate_nodes": [node.uuid]}
    assert ask("POST", "/v1/allocations", body, actor=somebody("member"))[0] == 400
    assert ask("POST", "/v1/allocations", body, actor=somebody("member", "p2"))[0] == 201


def test_a_service_of_the_project_that_owns_a_node_sees_it_as_in_the_bare_metal_api(ask: Conversation) -> None:
    node = ask.ledger.enrol(resource_class="gold", owner="p1")
    url = f"/v1/why?resource_class=gold&candidate_nodes={node.uuid}"
    service = Actor(user="agent", project="p1", roles=frozenset({"service"}))
    assert ask("GET", url, actor=service)[0] == 200
    assert ask("GET", url, actor=Actor(user="agent", project="p2", roles=frozenset({"service"})))[0] == 400


def test_without_a_live_conductor_nothing_is_written(ask: Conversation) -> None:
    ask.ledger.clock.move(3600)
    for count in (1, 2):
        status, document = ask("POST", "/v1/allocations", {**GOLD, "count": count})
        assert (status, document["error"]["code"]) == (503, "no_conductor_available")
    assert ask("GET", "/v1/allocations") == (200, {"allocations": []})


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b'"\\u0000"',
        {"resource_class": ""},
        {"resource_class": "x" * 81},
        {"resource_class": 7},
        {**GOLD, "count": 0},
        {**GOLD, "count": 101},
        {**GOLD, "count": 1.5},
        {**GOLD, "count": True},
        {**GOLD, "count": "2"},
        {**GOLD, "wait_seconds": 0},
        {**GOLD, "wait_seconds": 1e300},
        {**GOLD, "wait_seconds": "long"},
        {**GOLD, "sticky": "yes"},
        {**GOLD, "uuid": "x"},
        {**GOLD, "name": "not a name!"},
        {**GOLD, "name": "x" * 300},
        {**GOLD, "extra": []},
        {**GOLD, "extra": {"a": "\0"}},
        {**GOLD, "owner": "x" * 256},
        {**GOLD, "traits": ["CUSTOM_A"] * 51},
        {**GOLD, "traits": "CUSTOM_A"},
        {**GOLD, "candidate_nodes": [None]},
    ],
)
def test_rubbish_is_refused_and_leaves_nothing(ask: Conversation, body: Any) -> None:
    status, document = ask("POST", "/v1/allocations", body)
    assert status == 400
    assert document["error"]["message"]
    assert ask("GET", "/v1/allocations") == (200, {"allocations": []})


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "state=odd", "marker=x", "batch=1", "state=error&state=active", BATCH_AND_MORE]
)
def test_a_query_that_cannot_be_meant_is_refused(ask: Conversation, query: str) -> None:
    assert ask("GET", f"/v1/allocations?{query}")[0] == 400


def test_a_whole_number_may_be_written_as_a_fraction(ask: Conversation) -> None:
    assert len(ask.ask(count=2.0)) == 2


def test_a_uuid_that_is_taken_is_refused(ask: Conversation) -> None:
    (one,) = ask.ask()
    status, document = ask("POST", "/v1/allocations", {**GOLD, "uuid": one["uuid"].upper()})
    assert (status, document["error"]["code"]) == (409, "allocation_exists")


def test_an_error_has_the_name_of_what_was_refused() -> None:
    response = answer_domain_error(AllocationNotFound(allocation="x"))
    assert response.status == 404
    expected = {"code": "allocation_not_found", "message": "Allocation x could not be found."}
    assert json.loads(response.body) == {"error": expected}


def test_who_is_to_come_back_is_told_when() -> None:
    assert dict(answer_domain_error(NoConductorAvailable()).headers)["retry-after"] == "1"


def test_no_error_is_without_a_status() -> None:
    assert STATUSES[DibsError] == 500


def test_the_openapi_document_has_every_path(ask: Conversation) -> None:
    paths = build_document([ask.dialect])["paths"]
    assert set(paths) == {
        "/dibs",
        "/dibs/v1",
        "/dibs/v1/allocations",
        "/dibs/v1/allocations/{allocation}",
        "/dibs/v1/allocations/{allocation}/retry",
        "/dibs/v1/leases/availability",
        "/dibs/v1/why",
    }
    assert "count" in json.dumps(paths["/dibs/v1/allocations"]["post"]["requestBody"])


def test_why_counts_only_the_nodes_of_the_callers_project(ask: Conversation) -> None:
    ask.ledger.enrol(resource_class="gold", owner="p1")
    ask.ledger.enrol(resource_class="gold")
    assert ask("GET", "/v1/why?resource_class=gold")[1]["free"] == 2
    status, document = ask("GET", "/v1/why?resource_class=gold", actor=somebody("reader"))
    assert (status, document["free"], document["text"]) == (200, 1, "1 node of class gold of project p1: 1 free")
    assert ask("GET", "/v1/why?resource_class=gold", actor=somebody("nobody"))[0] == 403
    assert ask("GET", "/v1/why?resource_class=gold&traits=" + "CUSTOM_A," * 51)[0] == 400
