import pytest

from dibs.dialects.baremetal.handlers.chassis import FIELDS
from dibs.machines.model.chassis import Chassis
from dibs.machines.tables import chassis as table
from tests.dialects.baremetal.conversation import BASE_URL, Conversation

UUID = "44444444-0000-4000-8000-000000000001"


def test_every_sort_key_is_a_column_and_every_attribute_is_shown() -> None:
    assert {field.name for field in FIELDS.by_name.values() if field.sortable} <= set(table.c.keys())
    assert set(Chassis.__struct_fields__) - {"id"} <= FIELDS.by_name.keys()


def test_a_chassis_goes_through_its_life(ask: Conversation) -> None:
    made = ask("POST", "/v1/chassis", {"uuid": UUID, "description": "rack 1", "extra": {"a": 1}}, version=None)
    assert (made.status, made.headers["location"]) == (201, f"{BASE_URL}/v1/chassis/{UUID}")
    assert made.json["nodes"][0]["href"] == f"{BASE_URL}/v1/chassis/{UUID}/nodes"
    assert ask("GET", f"/v1/chassis/{UUID}").json == made.json
    assert ask("GET", "/v1/chassis").json["chassis"][0].keys() == {"uuid", "description", "links"}
    for url in ("/v1/chassis/detail", "/v1/chassis?detail=true"):
        assert ask("GET", url).json["chassis"] == [made.json]
    patch = [{"op": "replace", "path": "/description", "value": "rack 2"}, {"op": "remove", "path": "/extra"}]
    changed = ask("PATCH", f"/v1/chassis/{UUID}", patch).json
    assert (changed["description"], changed["extra"]) == ("rack 2", {})
    assert ask("POST", "/v1/chassis", {"uuid": UUID}).status == 409
    assert ask("DELETE", f"/v1/chassis/{UUID}").status == 204
    assert ask("GET", f"/v1/chassis/{UUID}").reason == f"Chassis {UUID} could not be found."


def test_nodes_are_in_a_chassis(ask: Conversation) -> None:
    ask("POST", "/v1/chassis", {"uuid": UUID})
    node = ask("POST", "/v1/nodes", {"driver": "fake-hardware", "chassis_uuid": UUID}).json
    assert node["chassis_uuid"] == UUID
    ask("POST", "/v1/nodes", {"driver": "fake-hardware"})
    for url in (f"/v1/chassis/{UUID}/nodes", f"/v1/chassis/{UUID}/nodes/detail", f"/v1/nodes?chassis_uuid={UUID}"):
        assert [each["uuid"] for each in ask("GET", url).json["nodes"]] == [node["uuid"]]
    assert ask("DELETE", f"/v1/chassis/{UUID}").reason.endswith("contains nodes.")
    assert ask.patch(node["uuid"], ("remove", "/chassis_uuid"), version="1.24").status == 406
    assert ask.patch(node["uuid"], ("remove", "/chassis_uuid"), version="1.25").json["chassis_uuid"] is None
    other = UUID.replace("4", "5")
    assert ask("GET", f"/v1/chassis/{other}/nodes").status == 404
    assert ask.patch(node["uuid"], ("add", "/chassis_uuid", other)).status == 400


@pytest.mark.parametrize("body", [{"description": "x" * 256}, {"extra": []}, {"name": "x"}, {"uuid": "x"}])
def test_an_invalid_chassis_is_refused(ask: Conversation, body: object) -> None:
    assert ask("POST", "/v1/chassis", body).status == 400


@pytest.mark.parametrize("url", ["/v1/chassis/x", "/v1/chassis?sort_key=extra", "/v1/chassis?fields=nosuch"])
def test_an_invalid_request_is_refused(ask: Conversation, url: str) -> None:
    assert ask("GET", url).status == 400
