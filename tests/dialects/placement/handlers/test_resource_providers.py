"""Resource providers over HTTP: cases that Placement's own suite lacks."""

import pytest

from tests.dialects.conversation import Answer
from tests.dialects.placement.conversation import BASE_URL, Conversation

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

ROOT = "11111111-1111-4111-8111-111111111111"
CHILD = "22222222-2222-4222-8222-222222222222"


def make(ask: Conversation, uuid: str = ROOT, **values: str) -> Answer:
    return ask("POST", "/resource_providers", {"name": uuid, "uuid": uuid, **values})


def names(answer: Answer) -> list[str]:
    return [provider["name"] for provider in answer.json["resource_providers"]]


@pytest.mark.parametrize(("version", "links"), [("1.0", 3), ("1.1", 4), ("1.6", 5), ("1.11", 6)])
def test_later_versions_have_more_links(ask: Conversation, version: str, links: int) -> None:
    make(ask)
    shown = ask("GET", f"/resource_providers/{ROOT}", version=version).json
    assert shown["links"][0] == {"rel": "self", "href": f"/placement/resource_providers/{ROOT}"}
    assert len(shown["links"]) == links
    assert "root_provider_uuid" not in shown


def test_the_location_of_a_new_provider_leads_to_it(ask: Conversation) -> None:
    old = ask("POST", "/resource_providers", {"name": "a"}, version="1.19")
    new = make(ask)
    assert (old.status, old.body, new.status) == (201, b"", 200)
    assert old.headers["location"].startswith(f"{BASE_URL}/resource_providers/")
    assert new.headers["location"] == f"{BASE_URL}/resource_providers/{ROOT}"
    assert new.json == ask("GET", f"/resource_providers/{ROOT}").json


def test_an_empty_name_is_refused(ask: Conversation) -> None:
    answer = ask("POST", "/resource_providers", {"name": ""})
    assert answer.status == 400
    assert "name is required" in answer.error["detail"]


def test_uuids_are_accepted_with_and_without_dashes(ask: Conversation) -> None:
    make(ask, ROOT.replace("-", "").upper(), name="root")
    make(ask, CHILD, parent_provider_uuid=ROOT.replace("-", ""))
    assert ask("GET", f"/resource_providers/{CHILD}").json["root_provider_uuid"] == ROOT
    for filters in (f"uuid={ROOT.upper()}", f"in_tree={ROOT.replace('-', '')}&name=root"):
        assert names(ask("GET", f"/resource_providers?{filters}")) == ["root"]


def test_a_provider_may_lose_its_parent_only_since_1_37(ask: Conversation) -> None:
    make(ask)
    make(ask, CHILD, parent_provider_uuid=ROOT)
    body = {"name": "child", "parent_provider_uuid": None}
    old = ask("PUT", f"/resource_providers/{CHILD}", body, version="1.36")
    assert old.status == 400
    assert f"Unable to save resource provider {CHILD}: un-parenting" in old.error["detail"]
    assert ask("PUT", f"/resource_providers/{CHILD}", body).json["root_provider_uuid"] == CHILD


def test_an_unknown_provider_is_404_before_the_body_is_checked(ask: Conversation) -> None:
    for path in ("", "/inventories", "/inventories/VCPU", "/aggregates"):
        assert ask("PUT", f"/resource_providers/{ROOT}{path}", {"nonsense": 1}).status == 404
    make(ask)
    assert ask("PUT", f"/resource_providers/{ROOT}", {"nonsense": 1}).status == 400


def test_a_node_is_listed_as_provider_and_refuses_changes_by_name(ask: Conversation) -> None:
    node = ask.ledger.enrol(name="rack-1", resource_class="gold", with_traits=("CUSTOM_A",))
    here = f"/resource_providers/{node.uuid}"
    assert names(ask("GET", "/resource_providers?resources=CUSTOM_GOLD:1&required=CUSTOM_A")) == ["rack-1"]
    assert ask("PUT", here, {"name": "rack-1"}).status == 200
    generation = ask("GET", here).json["generation"]
    inventory = {"total": 1, "resource_provider_generation": generation}
    for refused in (
        ask("PUT", here, {"name": "mine"}),
        ask("DELETE", here),
        ask("POST", f"{here}/inventories", {"resource_class": "VCPU", "total": 1}),
        ask("PUT", f"{here}/inventories", {"resource_provider_generation": generation, "inventories": {}}),
        ask("PUT", f"{here}/inventories/CUSTOM_GOLD", inventory),
        ask("DELETE", f"{here}/inventories/CUSTOM_GOLD"),
        ask("DELETE", f"{here}/inventories"),
        ask("PUT", f"{here}/traits", {"resource_provider_generation": generation, "traits": []}),
        ask("DELETE", f"{here}/traits"),
        ask("PUT", "/resource_classes/CUSTOM_GOLD", {"name": "CUSTOM_IRON"}, version="1.6"),
    ):
        assert refused.status == 409
        assert "bare-metal node" in refused.json["errors"][0]["detail"]
    assert "rack-1" in ask("DELETE", here).error["detail"]
