import pytest

from tests.dialects.baremetal.conversation import BASE_URL, Conversation

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

MAC = "52:54:00:aa:bb:01"


@pytest.fixture
def node(ask: Conversation) -> str:
    """A node to put ports on."""
    return ask.ledger.enrol(name="n", shard="s1", conductor_group="").uuid


@pytest.fixture
def port(ask: Conversation, node: str) -> str:
    """A port of that node."""
    uuid: str = ask("POST", "/v1/ports", {"node_uuid": node, "address": MAC, "name": "eth0"}).json["uuid"]
    return uuid


def test_a_new_port_is_returned_with_its_location(ask: Conversation, node: str) -> None:
    answer = ask("POST", "/v1/ports", {"node_uuid": node, "address": MAC.upper().replace(":", "-"), "extra": {"a": 1}})
    assert answer.status == 201
    assert answer.headers["location"] == f"{BASE_URL}/v1/ports/{answer.json['uuid']}"
    assert (answer.json["address"], answer.json["pxe_enabled"], answer.json["node_uuid"]) == (MAC, True, node)


def test_a_newer_version_accepts_the_name_of_the_node(ask: Conversation, node: str) -> None:
    assert ask("POST", "/v1/ports", {"node_ident": "n", "address": MAC}, version="1.93").status == 406
    assert ask("POST", "/v1/ports", {"node_ident": "n", "address": MAC}).status == 201


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"address": "52:54:00:00:00:09"}, 400, "'node_uuid' or 'node_ident'"),
        ({"node_ident": "n"}, 400, "'address' is a required property"),
        ({"node_ident": "n", "address": "x"}, 400, "Expected valid MAC address for address: x"),
        ({"node_ident": "n", "address": MAC}, 409, MAC),
        ({"node_ident": "n", "address": "52:54:00:00:00:09", "name": "eth0"}, 409, "eth0"),
        ({"node_ident": "nosuch", "address": "52:54:00:00:00:09"}, 400, "Node nosuch could not be found."),
        ({"node_uuid": "x", "address": "52:54:00:00:00:09"}, 400, "Expected UUID for node_uuid: x"),
        ({"node_ident": "n", "address": "52:54:00:00:00:09", "foo": 1}, 400, "'foo' was unexpected"),
        ({"node_ident": "n", "address": "52:54:00:00:00:09", "vendor": "x" * 33}, 400, "(at vendor)"),
        ({"node_ident": "n", "address": "52:54:00:00:00:09", "physical_network": ""}, 400, "(at physical_network)"),
        (
            {"node_ident": "n", "address": "52:54:00:00:00:09", "portgroup_uuid": "x"},
            400,
            "Expected UUID for portgroup_uuid",
        ),
        ({"node_ident": "n", "address": "52:54:00:00:00:09", "is_smartnic": True}, 400, "Smart NIC port must have"),
        ({"node_ident": "n", "address": "52:54:00:00:00:09", "local_link_connection": {"x": 1}}, 400, "(at local_link"),
    ],
)
def test_an_invalid_port_is_refused(ask: Conversation, port: str, body: object, status: int, reason: str) -> None:
    answer = ask("POST", "/v1/ports", body)
    assert answer.status == status
    assert reason in answer.reason


def test_a_port_is_found_by_uuid_and_by_name(ask: Conversation, port: str) -> None:
    assert ask("GET", f"/v1/ports/{port}").json["name"] == "eth0"
    assert ask("GET", "/v1/ports/eth0?fields=uuid").json["uuid"] == port
    assert ask("GET", "/v1/ports/nosuch").reason == "Port nosuch could not be found."
    assert ask("GET", "/v1/ports/eth0?fields=nosuch").status == 400
    assert "name" not in ask("GET", f"/v1/ports/{port}", version="1.87").json


@pytest.mark.parametrize(
    ("url", "count"),
    [
        ("/v1/ports", 1),
        ("/v1/ports/detail", 1),
        ("/v1/ports?detail=true", 1),
        ("/v1/nodes/n/ports", 1),
        ("/v1/nodes/n/ports/detail", 1),
        ("/v1/ports?node=n", 1),
        (f"/v1/ports?address={MAC}", 1),
        ("/v1/ports?address=52:54:00:00:00:09", 0),
        ("/v1/ports?shard=s1,s2", 1),
        ("/v1/ports?shard=s2", 0),
        ("/v1/ports?conductor_groups=north", 0),
    ],
)
def test_ports_are_listed_by_node_address_and_shard(ask: Conversation, port: str, url: str, count: int) -> None:
    assert len(ask("GET", url).json["ports"]) == count


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/v1/ports?node=nosuch", 404),
        ("/v1/ports/detail?node=nosuch", 404),
        ("/v1/ports?node_uuid=22222222-0000-4000-8000-000000000000", 404),
        ("/v1/nodes/nosuch/ports", 404),
        ("/v1/ports?address=x", 400),
        ("/v1/ports?foo=1", 400),
        ("/v1/ports?sort_key=extra", 400),
        ("/v1/ports?marker=dd467882-90f0-4ded-a26d-350bd2f70794", 404),
        ("/v1/ports?limit=0", 400),
    ],
)
def test_an_invalid_list_is_refused(ask: Conversation, url: str, status: int) -> None:
    assert ask("GET", url).status == status


def test_ports_are_listed_in_pages(ask: Conversation, node: str) -> None:
    for number in range(3):
        ask("POST", "/v1/ports", {"node_uuid": node, "address": f"52:54:00:00:00:0{number}"})
    url, found = "/v1/nodes/n/ports?limit=2&sort_key=address&sort_dir=desc", []
    while url:
        page = ask("GET", url.removeprefix(BASE_URL)).json
        found += [entry["address"][-1] for entry in page["ports"]]
        url = page.get("next")
    assert found == ["2", "1", "0"]


def patch(ask: Conversation, port: str, op: str, path: str, *value: object) -> tuple[int, object]:
    operation = {"op": op, "path": path} | ({"value": value[0]} if value else {})
    answer = ask("PATCH", f"/v1/ports/{port}", [operation])
    return answer.status, answer.json if answer.status == 200 else answer.reason


def test_a_patch_changes_the_port(ask: Conversation, port: str) -> None:
    status, shown = patch(ask, port, "replace", "/address", "52:54:00:00:00:0F")
    assert status == 200
    assert isinstance(shown, dict)
    assert shown["address"] == "52:54:00:00:00:0f"
    assert patch(ask, port, "remove", "/name")[0] == 200
    assert ask("GET", f"/v1/ports/{port}").json["name"] is None


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (("add", "/uuid", "x"), "Cannot patch /uuid"),
        (("remove", "/address"), "'address' is a required property"),
        (("replace", "/address", "x"), "Expected valid MAC address"),
        (("remove", "/node_uuid"), "node_uuid"),
        (("replace", "/node_uuid", "dd467882-90f0-4ded-a26d-350bd2f70794"), "could not be found"),
        (("add", "/pxe_enabled", "maybe"), "Invalid pxe_enabled"),
        (("add", "/extra", []), "(at extra)"),
    ],
)
def test_a_patch_that_cannot_be_applied_says_why(
    ask: Conversation, port: str, operation: tuple[str, str, object], reason: str
) -> None:
    status, text = patch(ask, port, *operation)
    assert status == 400
    assert reason in str(text)


def test_a_deleted_port_is_not_found(ask: Conversation, port: str) -> None:
    assert ask("DELETE", f"/v1/ports/{port}").status == 204
    assert ask("DELETE", f"/v1/ports/{port}").status == 404


def test_too_large_extra_of_a_port_is_refused(ask: Conversation) -> None:
    node = ask.ledger.enrol()
    body = {"node_uuid": node.uuid, "address": "52:54:00:aa:bb:cc", "extra": {"a": "x" * 66_000}}
    refused = ask("POST", "/v1/ports", body)
    assert refused.status == 400
    assert "/extra has 66008 bytes of JSON" in refused.reason
