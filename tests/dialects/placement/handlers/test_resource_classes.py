"""Resource classes over HTTP: cases that Placement's own suite lacks."""

import pytest

from tests.dialects.placement.conversation import Conversation


def test_the_resource_class_of_a_new_node_is_listed(ask: Conversation) -> None:
    ask.ledger.enrol(resource_class="gold")
    shown = ask("GET", "/resource_classes/CUSTOM_GOLD").json
    assert shown == {
        "name": "CUSTOM_GOLD",
        "links": [{"rel": "self", "href": "/placement/resource_classes/CUSTOM_GOLD"}],
    }
    assert shown in ask("GET", "/resource_classes").json["resource_classes"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_unknown_class_is_404(ask: Conversation, method: str) -> None:
    missing = ask(method, "/resource_classes/CUSTOM_NONE")
    assert missing.status == 404
    assert "No such resource class CUSTOM_NONE" in missing.error["detail"]


def test_put_renames_until_1_6_and_creates_since_1_7(ask: Conversation) -> None:
    assert ask("PUT", "/resource_classes/CUSTOM_A").status == 201
    renamed = ask("PUT", "/resource_classes/CUSTOM_A", {"name": "CUSTOM_B"}, version="1.6")
    assert (renamed.status, renamed.json["name"]) == (200, "CUSTOM_B")
    assert ask("PUT", "/resource_classes/CUSTOM_A", {"name": "CUSTOM_C"}, version="1.6").status == 404
    assert ask("PUT", "/resource_classes/CUSTOM_B").status == 204
    ask("PUT", "/resource_classes/CUSTOM_C")
    assert ask("PUT", "/resource_classes/CUSTOM_C", {"name": "CUSTOM_B"}, version="1.6").status == 409
    assert ask("PUT", "/resource_classes/VCPU", {"name": "CUSTOM_D"}, version="1.6").status == 400
