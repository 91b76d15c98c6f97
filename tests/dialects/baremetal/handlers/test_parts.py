"""What every kind of part has in common, and port groups."""

from typing import Any

import pytest

from dibs.dialects.baremetal.handlers.parts import PartHandlers
from dibs.dialects.baremetal.handlers.ports import PORTGROUPS, PORTS
from dibs.dialects.baremetal.handlers.volumes import CONNECTORS, TARGETS
from dibs.machines.model.parts.documents import DOCUMENTS
from dibs.machines.queries.parts import TABLES
from tests.dialects.baremetal.conversation import BASE_URL, Conversation

NODE = "22222222-0000-4000-8000-000000000001"
UNKNOWN = "22222222-0000-4000-8000-0000000000ff"
BODIES: dict[str, dict[str, Any]] = {
    "ports": {"address": "52:54:00:00:00:01"},
    "portgroups": {"name": "bond0"},
    "connectors": {"type": "iqn", "connector_id": "iqn.x"},
    "targets": {"volume_type": "iscsi", "volume_id": "v", "boot_index": 0},
}
KINDS = {handlers.plural: handlers for handlers in (PORTS, PORTGROUPS, CONNECTORS, TARGETS)}
every_kind = pytest.mark.parametrize("handlers", KINDS.values(), ids=KINDS)


@pytest.fixture(autouse=True)
def node(ask: Conversation) -> str:
    """A node of which parts are created."""
    return ask.ledger.enrol(uuid=NODE, name="n").uuid


def url(handlers: PartHandlers) -> str:
    return "/".join(("/v1", *handlers.path))


def create(ask: Conversation, handlers: PartHandlers, **values: Any) -> Any:
    body = {"node_uuid": NODE, **BODIES[handlers.plural], **values}
    answer = ask("POST", url(handlers), body)
    assert answer.status == 201, answer.reason
    return answer.json


@every_kind
def test_every_sort_key_is_a_column_and_every_attribute_is_shown(handlers: PartHandlers) -> None:
    table = TABLES[handlers.kind]
    assert {field.name for field in handlers.fields.by_name.values() if field.sortable} <= set(table.table.c.keys())
    assert set(table.model.__struct_fields__) - {"id"} <= handlers.fields.by_name.keys()
    settable = {field.name for field in handlers.fields.by_name.values() if field.settable}
    assert settable == set(DOCUMENTS[handlers.kind].settable)


@every_kind
def test_a_part_goes_through_its_life(ask: Conversation, handlers: PartHandlers) -> None:
    body = {"node_uuid": NODE, **BODIES[handlers.plural]}
    made = ask("POST", url(handlers), body)
    one = f"{url(handlers)}/{made.json['uuid']}"
    assert made.headers["location"] == f"{BASE_URL}{one}"
    assert made.json.items() >= body.items()
    assert ask("GET", one).json == made.json
    assert list(ask("GET", f"{one}?fields=uuid").json) == ["uuid", "links"]
    changed = ask("PATCH", one, [{"op": "add", "path": "/extra/a", "value": 1}]).json
    assert (changed["extra"], changed["updated_at"] is None) == ({"a": 1}, False)
    assert ask("DELETE", one).status == 204
    assert ask("GET", one).status == 404


@every_kind
def test_parts_are_listed_of_a_node_in_brief_and_in_detail(ask: Conversation, handlers: PartHandlers) -> None:
    made = create(ask, handlers)
    in_list = {field.name for field in handlers.fields.by_name.values() if field.in_list} | {"links"}
    path = "/".join(handlers.path)
    for listed in (f"/v1/{path}", f"/v1/{path}?node=n", f"/v1/nodes/n/{path}"):
        assert [entry.keys() for entry in ask("GET", listed).json[handlers.plural]] == [in_list]
    assert ask("GET", f"/v1/{path}?detail=true&node={NODE}").json[handlers.plural] == [made]
    assert ask("GET", f"/v1/{path}?node=nosuch").status == 404
    assert ask("GET", f"/v1/nodes/nosuch/{path}").status == 404
    assert ask("GET", f"/v1/{path}?detail=true&fields=uuid").status == 400
    assert ask("GET", f"/v1/{path}?sort_key=extra").status == 400
    assert ask("GET", f"/v1/{path}?marker={UNKNOWN}").status == 404


@every_kind
def test_a_page_links_to_the_next(ask: Conversation, handlers: PartHandlers) -> None:
    create(ask, handlers)
    page = ask("GET", f"{url(handlers)}?limit=1").json
    rest = ask("GET", page["next"].removeprefix(BASE_URL)).json
    assert rest[handlers.plural] == []


@every_kind
@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"node_uuid": UNKNOWN}, 400),
        ({"node_uuid": "x"}, 400),
        ({"extra": 1}, 400),
        ({"unknown": 1}, 400),
        ({"uuid": "x"}, 400),
        ({}, 409),
    ],
)
def test_an_invalid_or_second_part_is_refused(
    ask: Conversation, handlers: PartHandlers, values: dict[str, Any], status: int
) -> None:
    create(ask, handlers)
    body = {"node_uuid": NODE, **BODIES[handlers.plural], **values}
    assert ask("POST", url(handlers), body).status == status


@pytest.mark.parametrize(("handlers", "since"), [(PORTGROUPS, 23), (CONNECTORS, 32), (TARGETS, 32)])
def test_a_resource_is_404_before_its_version(ask: Conversation, handlers: PartHandlers, since: int) -> None:
    assert ask("GET", url(handlers), version=f"1.{since}").status == 200
    assert ask("GET", url(handlers), version=f"1.{since - 1}").status == 404


def test_attributes_of_a_port_group_appear_with_their_versions(ask: Conversation) -> None:
    create(ask, PORTGROUPS, mode="802.3ad", properties={"miimon": 100}, address="52:54:00:00:00:09")
    shown = {minor: ask("GET", "/v1/portgroups/bond0", version=f"1.{minor}").json for minor in (23, 26, 102, 103, 111)}
    assert "mode" not in shown[23]
    assert (shown[26]["mode"], shown[26]["properties"]) == ("802.3ad", {"miimon": 100})
    for name, minor, before in (("physical_network", 102, 26), ("category", 103, 102), ("dynamic_portgroup", 111, 103)):
        assert name in shown[minor]
        assert name not in shown[before]
    body = {"node_uuid": NODE, "mode": "802.3ad"}
    assert ask("POST", "/v1/portgroups", body, version="1.25").status == 406


def test_a_port_group_has_ports_and_a_name_of_its_own(ask: Conversation) -> None:
    group = create(ask, PORTGROUPS)
    create(ask, PORTS, portgroup_uuid=group["uuid"])
    assert group["mode"] == "active-backup"
    assert group["ports"][0]["href"] == f"{BASE_URL}/v1/portgroups/{group['uuid']}/ports"
    for listed in ("/v1/portgroups/bond0/ports", "/v1/portgroups/bond0/ports/detail", "/v1/ports?portgroup=bond0"):
        assert len(ask("GET", listed).json["ports"]) == 1
    assert len(ask("GET", "/v1/nodes/n/portgroups/detail").json["portgroups"]) == 1
    assert ask("DELETE", "/v1/portgroups/bond0").reason.endswith("contains ports.")
    assert ask("POST", "/v1/portgroups", {"node_uuid": NODE, "name": "a b"}).status == 400
    for patch in ({"op": "remove", "path": "/mode"}, {"op": "replace", "path": "/name", "value": "a b"}):
        assert ask("PATCH", "/v1/portgroups/bond0", [patch]).status == 400
    assert ask("GET", "/v1/portgroups?shard=s", version="1.105").status == 406
