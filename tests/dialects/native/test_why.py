"""Explanations of why nodes are not available."""

from urllib.parse import quote

import pytest

from dibs.access.actor import Actor
from tests.allocation_builders import allocate
from tests.dialects.native.conversation import Conversation, person

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""


def test_service_of_the_owning_project_sees_a_node_as_in_the_baremetal_api(ask: Conversation) -> None:
    node = ask.ledger.enrol(resource_class="gold", owner="p1")
    url = f"/v1/why?resource_class=gold&candidate_nodes={node.uuid}"
    service = Actor(user="agent", project="p1", roles=frozenset({"service"}))
    assert ask("GET", url, actor=service)[0] == 200
    assert ask("GET", url, actor=Actor(user="agent", project="p2", roles=frozenset({"service"})))[0] == 400


def test_only_nodes_of_the_callers_project_are_counted(ask: Conversation) -> None:
    ask.ledger.enrol(resource_class="gold", owner="p1")
    ask.ledger.enrol(resource_class="gold")
    assert ask("GET", "/v1/why?resource_class=gold")[1]["free"] == 2
    status, document = ask("GET", "/v1/why?resource_class=gold", actor=person("reader"))
    assert (status, document["free"], document["text"]) == (200, 1, "1 node of class gold of project p1: 1 free")
    assert ask("GET", "/v1/why?resource_class=gold", actor=person("nobody"))[0] == 403
    assert ask("GET", "/v1/why?resource_class=gold&traits=" + "CUSTOM_A," * 51)[0] == 400


def test_reasons_of_each_node_are_split_and_paged(ask: Conversation) -> None:
    first, second = (ask.ledger.enrol(resource_class="gold", name=name) for name in ("n1", "n2"))
    allocate(ask.ledger, candidate_nodes=(first.uuid,), wait_seconds=60)
    status, document = ask("GET", "/v1/why/nodes?resource_class=gold")
    assert status == 200
    (waiting,), (free,) = document["later"], document["free"]
    assert (waiting["name"], waiting["reason"], waiting["blocked_by"]) == ("n1", "promised", None)
    assert (free["uuid"], free["reason"], document["never"]) == (second.uuid, None, [])
    status, page = ask("GET", "/v1/why/nodes?resource_class=gold&limit=1")
    assert page["free"] == []
    assert ask("GET", page["next"].removeprefix("http://dibs.example:8780/dibs"))[1]["free"] == [free]
    for query in ("", "?resource_class=gold&marker=nobody", "?resource_class=gold&limit=0"):
        assert ask("GET", f"/v1/why/nodes{query}")[0] == 400


def test_a_project_learns_of_others_only_that_a_node_is_occupied(ask: Conversation) -> None:
    node = ask.ledger.enrol(resource_class="gold", owner="p1", lessee="p2", state="active")
    made = allocate(ask.ledger, node=node.uuid, owner="p2", name="secret")
    url = "/v1/why/nodes?resource_class=gold"
    (seen,) = ask("GET", url, actor=person("reader"))[1]["later"]
    assert seen["blocked_by"] == {"kind": "allocation", "id": None, "name": None, "project": None, "until": None}
    (own,) = ask("GET", url, actor=person("reader", "p2"))[1]["later"]
    assert (own["blocked_by"]["id"], own["blocked_by"]["name"]) == (made.uuid, "secret")
    assert ask("GET", url, actor=person("reader", "p3"))[1]["later"] == []
    assert ask("GET", url, actor=person("nobody"))[0] == 403


def test_past_is_explained_by_the_same_rules_as_the_present(ask: Conversation) -> None:
    ask.ledger.enrol(resource_class="gold", owner="p1")
    moment = ask("GET", "/v1/audit?limit=1")[1]["events"][0]["time"]
    ask.ledger.enrol(resource_class="gold", owner="p1")
    url = f"/v1/why?resource_class=gold&count=2&at={quote(moment)}"
    status, document = ask("GET", url, actor=person("reader"))
    assert (status, document) == (
        200,
        {
            "fits": False,
            "free": 1,
            "reasons": {"missing": 1},
            "text": "2 nodes wanted together, 1 free",
            "quota": None,
            "earliest": None,
            "offers": [],
        },
    )
    assert ask("GET", url, actor=person("reader", "p2"))[1]["free"] == 0
    assert ask("GET", url, actor=person("nobody"))[0] == 403


@pytest.mark.parametrize(
    ("moment", "reason"),
    [("yesterday", "not a valid ISO 8601"), ("2001-01-01", "too long ago"), ("9999-01-01", "in the future")],
)
def test_unusable_moment_is_refused_with_the_reason(ask: Conversation, moment: str, reason: str) -> None:
    ask.ledger.enrol(resource_class="gold")
    status, document = ask("GET", f"/v1/why?resource_class=gold&at={moment}")
    assert (status, reason in document["error"]["message"]) == (400, True)
