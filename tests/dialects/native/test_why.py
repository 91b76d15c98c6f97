"""Explanations of why nodes are not available."""

import pytest

from dibs.access.actor import Actor
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
