"""Allocations: who may create, see and retry them, and which requests are refused."""

from typing import Any

import pytest

from dibs.access.actor import Actor
from tests.dialects.native.conversation import GOLD, Conversation, person

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

BATCH_AND_MORE = "batch=15000000-0000-4000-8000-000000000001&state=error"


def test_several_allocations_share_a_batch_and_one_has_none(ask: Conversation) -> None:
    (one,) = ask.ask(name="db-1", sticky=True, wait_seconds=60, extra={"a": 1})
    assert (one["batch"], one["name"], one["sticky"], one["extra"]) == (None, "db-1", True, {"a": 1})
    assert one["wait_until"] > one["created_at"]
    several = ask.ask(count=3)
    assert len({each["uuid"] for each in several}) == 3
    assert len({each["batch"] for each in several}) == 1
    assert ask.woken == 2
    status, document = ask("GET", f"/v1/allocations?batch={several[0]['batch']}")
    assert (status, document["allocations"]) == (200, several)


def test_heartbeat_moves_the_end_of_an_allocation(ask: Conversation) -> None:
    (made,) = ask.ask(keep_alive_seconds=60)
    status, renewed = ask("POST", f"/v1/allocations/{made['uuid']}/heartbeat")
    assert (status, renewed["keep_alive_seconds"]) == (200, 60)
    assert renewed["alive_until"] > made["alive_until"] > made["created_at"]
    status, last = ask("POST", f"/v1/allocations/{made['uuid']}/heartbeat", {"keep_alive_seconds": None})
    assert (status, last["keep_alive_seconds"], last["alive_until"]) == (200, None, None)
    (without,) = ask.ask()
    assert ask("POST", f"/v1/allocations/{without['uuid']}/heartbeat")[0] == 409
    assert ask("POST", f"/v1/allocations/{made['uuid']}/retry", {"keep_alive_seconds": 9})[0] == 400
    assert ask("POST", "/v1/allocations", {**GOLD, "keep_alive_seconds": 9})[0] == 400


def test_renewal_moves_the_end_of_an_allocation(ask: Conversation) -> None:
    (made,) = ask.ask(until="2090-01-01T12:00:00", wait_seconds=60)
    assert (made["lifetime"], made["until"]) == (None, "2090-01-01T12:00:00.000000+00:00")
    url = f"/v1/allocations/{made['uuid']}/renew"
    status, renewed = ask("POST", url, {"lifetime": 600})
    assert (status, renewed["lifetime"], renewed["until"]) == (200, 600, None)
    for wrong in ({"until": "soon"}, {"until": "1990-01-01"}, {"lifetime": 60, "until": "2090-01-01"}, {"lifetime": 0}):
        assert ask("POST", url, wrong)[0] == 400, wrong
    (endless,) = ask.ask(wait_seconds=60)
    assert ask("POST", f"/v1/allocations/{endless['uuid']}/renew")[0] == 409


def test_list_is_paged(ask: Conversation) -> None:
    uuids = [ask.ask()[0]["uuid"] for _ in range(3)]
    _, first = ask("GET", "/v1/allocations?limit=2")
    assert [each["uuid"] for each in first["allocations"]] == uuids[:2]
    _, second = ask("GET", f"/v1/allocations?limit=2&marker={uuids[1]}")
    assert [each["uuid"] for each in second["allocations"]] == uuids[2:]
    assert first["next"].endswith(f"/dibs/v1/allocations?limit=2&marker={uuids[1]}")
    assert "next" not in second


def test_too_large_extra_is_refused(ask: Conversation) -> None:
    status, document = ask("POST", "/v1/allocations", {**GOLD, "extra": {"a": "x" * 66_000}})
    assert status == 400
    assert "/extra has 66008 bytes of JSON" in str(document)


def test_allocation_of_another_project_is_not_found(ask: Conversation) -> None:
    (mine,) = ask.ask(actor=person("member"))
    assert mine["owner"] == "p1"
    assert ask("GET", f"/v1/allocations/{mine['uuid']}", actor=person("reader"))[0] == 200
    assert ask("GET", f"/v1/allocations/{mine['uuid']}", actor=person("admin", "p2"))[0] == 404
    assert ask("GET", "/v1/allocations", actor=person("admin", "p2")) == (200, {"allocations": []})


def test_batch_of_another_project_is_not_found(ask: Conversation) -> None:
    batch = ask.ask(actor=person("member"), count=2)[0]["batch"]
    assert ask("GET", f"/v1/allocations?batch={batch}", actor=person("admin", "p2"))[0] == 404


@pytest.mark.parametrize(
    ("actor", "body"),
    [(person("reader"), GOLD), (person("member"), {**GOLD, "owner": "p2"}), (Actor(user="nobody"), GOLD)],
    ids=["a reader", "for another project", "without any role"],
)
def test_caller_without_the_right_to_create_is_forbidden(ask: Conversation, actor: Actor, body: Any) -> None:
    status, document = ask("POST", "/v1/allocations", body, actor=actor)
    assert (status, document["error"]["code"]) == (403, "forbidden")
    assert ask("GET", "/v1/allocations") == (200, {"allocations": []})


def test_reader_cannot_retry(ask: Conversation) -> None:
    (mine,) = ask.ask(actor=person("member"))
    assert ask("POST", f"/v1/allocations/{mine['uuid']}/retry", {}, actor=person("reader"))[0] == 403


def test_candidate_that_the_caller_does_not_see_is_not_found(ask: Conversation) -> None:
    node = ask.ledger.enrol(resource_class="gold", owner="p2")
    body = {**GOLD, "candidate_nodes": [node.uuid]}
    assert ask("POST", "/v1/allocations", body, actor=person("member"))[0] == 400
    assert ask("POST", "/v1/allocations", body, actor=person("member", "p2"))[0] == 201


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
def test_invalid_body_is_refused_and_writes_nothing(ask: Conversation, body: Any) -> None:
    status, document = ask("POST", "/v1/allocations", body)
    assert status == 400
    assert document["error"]["message"]
    assert ask("GET", "/v1/allocations") == (200, {"allocations": []})


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "state=odd", "marker=x", "batch=1", "state=error&state=active", BATCH_AND_MORE]
)
def test_invalid_query_is_refused(ask: Conversation, query: str) -> None:
    assert ask("GET", f"/v1/allocations?{query}")[0] == 400


def test_count_may_be_a_float_without_a_fraction(ask: Conversation) -> None:
    assert len(ask.ask(count=2.0)) == 2


def test_uuid_of_another_allocation_is_refused(ask: Conversation) -> None:
    (one,) = ask.ask()
    status, document = ask("POST", "/v1/allocations", {**GOLD, "uuid": one["uuid"].upper()})
    assert (status, document["error"]["code"]) == (409, "allocation_exists")
