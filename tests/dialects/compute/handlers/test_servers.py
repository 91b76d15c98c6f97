from typing import Any

import pytest

from dibs.servers.model.metadata import METADATA_ITEMS_MAX
from tests.builders import Ledger
from tests.dialects.compute.conversation import MEMBER, STRANGER, Answer, Conversation
from tests.server_builders import flavor, host, node_flavor

IMAGE = "d1b50000-0000-4000-8000-000000000001"


@pytest.fixture
def small(ledger: Ledger) -> str:
    """A host with two places, and the flavor for them."""
    host(ledger, "compute-1", vcpus=2)
    return flavor(ledger, name="small").flavor


def launch(ask: Conversation, kind: str, version: str = "2.61", actor: Any = MEMBER, **more: Any) -> Answer:
    hints = more.pop("hints", None)
    server = {"name": "s", "flavorRef": kind, "imageRef": IMAGE, **more}
    if float(version.split(".")[1]) >= 37:
        server.setdefault("networks", "none")
    body = {"server": server} | ({"os:scheduler_hints": hints} if hints else {})
    return ask("POST", "/v2.1/servers", body, version=version, actor=actor)


def made(ask: Conversation, kind: str, **more: Any) -> str:
    answer = launch(ask, kind, **more)
    assert answer.status == 202, answer.body
    uuid: str = answer.json["server"]["id"]
    assert answer.headers["location"].endswith(f"/v2.1/servers/{uuid}")
    return uuid


def shown(ask: Conversation, uuid: str, version: str = "2.61", actor: Any = MEMBER) -> Any:
    answer = ask("GET", f"/v2.1/servers/{uuid}", version=version, actor=actor)
    assert answer.status == 200, answer.body
    return answer.json["server"]


def test_a_server_is_active_when_its_maker_first_looks(ask: Conversation, small: str) -> None:
    server = shown(ask, made(ask, small, metadata={"a": "b"}, description="mine", tags=["x"]))
    assert (server["status"], server["OS-EXT-STS:vm_state"], server["OS-EXT-STS:power_state"]) == (
        "ACTIVE",
        "active",
        1,
    )
    assert (server["tenant_id"], server["user_id"]) == ("p", "mia")
    assert (server["metadata"], server["description"], server["tags"]) == ({"a": "b"}, "mine", ["x"])
    assert server["flavor"]["original_name"] == "small"
    assert server["image"]["id"] == IMAGE
    assert "OS-EXT-SRV-ATTR:host" not in server


def test_one_that_found_no_place_is_202_too_and_says_why(ask: Conversation, small: str) -> None:
    statuses = [shown(ask, made(ask, small)) for _ in range(3)]
    assert [server["status"] for server in statuses] == ["ACTIVE", "ACTIVE", "ERROR"]
    assert statuses[-1]["fault"]["message"] == "No valid host was found. There is no room for flavor small."
    assert statuses[-1]["fault"]["code"] == 500


def test_admins_see_the_host(ask: Conversation, small: str) -> None:
    server = ask("GET", f"/v2.1/servers/{made(ask, small)}").json["server"]
    assert server["OS-EXT-SRV-ATTR:host"] == "compute-1"
    assert server["host_status"] == "UP"


def test_strangers_neither_see_nor_touch_it(ask: Conversation, small: str) -> None:
    uuid = made(ask, small)
    for method in ("GET", "DELETE"):
        assert ask(method, f"/v2.1/servers/{uuid}", actor=STRANGER).fault[0] == "itemNotFound"
    assert ask("GET", "/v2.1/servers", actor=STRANGER).json == {"servers": []}
    assert [each["id"] for each in ask("GET", "/v2.1/servers?all_tenants=1").json["servers"]] == [uuid]


def test_fields_come_with_their_versions(ask: Conversation, small: str) -> None:
    uuid = made(ask, small)
    oldest = shown(ask, uuid, version="2.1")
    assert {"locked", "description", "tags", "host_status"}.isdisjoint(oldest)
    assert set(oldest["flavor"]) == {"id", "links"}
    assert "locked" in shown(ask, uuid, version="2.9")
    assert "description" in shown(ask, uuid, version="2.19")
    assert "tags" in shown(ask, uuid, version="2.26")
    assert "vcpus" in shown(ask, uuid, version="2.47")["flavor"]


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("2.18", {"description": "too early"}),
        ("2.51", {"tags": ["too early"]}),
        ("2.57", {"personality": []}),
        ("2.36", {"networks": "auto"}),
        ("2.61", {"networks": [{"uuid": IMAGE}]}),
        ("2.61", {"block_device_mapping_v2": [{"source_type": "volume", "uuid": IMAGE}]}),
        ("2.61", {"availability_zone": "elsewhere"}),
        ("2.61", {"min_count": 3, "max_count": 2}),
        ("2.61", {"max_count": "0"}),
        ("2.61", {"max_count": 101}),
        ("2.61", {"name": ""}),
        ("2.61", {"name": "x" * 256}),
        ("2.61", {"name": "x" * 254, "max_count": 2}),
        ("2.61", {"imageRef": "x" * 256}),
        ("2.61", {"imageRef": "", "block_device_mapping_v2": [{"source_type": "image"}]}),
        ("2.61", {"imageRef": "", "block_device_mapping_v2": [{"source_type": "image", "uuid": "x" * 256}]}),
        ("2.61", {"imageRef": "", "block_device_mapping_v2": [{"source_type": "image", "uuid": 5}]}),
        ("2.61", {"user_data": "not base64!"}),
        ("2.61", {"unknown": 1}),
        ("2.61", {"hints": {"reservation": "no uuid"}}),
        ("2.61", {"metadata": {"": "x"}}),
    ],
)
def test_what_cannot_be_is_400(ask: Conversation, small: str, version: str, more: dict[str, Any]) -> None:
    assert launch(ask, small, version=version, **more).fault[0] == "badRequest"
    assert ask("GET", "/v2.1/servers?all_tenants=1").json == {"servers": []}


def test_networks_must_be_said_from_2_37_on(ask: Conversation, small: str) -> None:
    body = {"server": {"name": "s", "flavorRef": small, "imageRef": IMAGE}}
    assert ask("POST", "/v2.1/servers", body, version="2.37").status == 400
    assert ask("POST", "/v2.1/servers", body, version="2.36").status == 202


def test_a_flavor_that_is_not_there_is_404(ask: Conversation) -> None:
    assert launch(ask, "nothing").fault == ("itemNotFound", "Flavor nothing could not be found.")


def test_only_admins_choose_the_host(ask: Conversation, small: str) -> None:
    assert launch(ask, small, availability_zone="nova:compute-1").fault[0] == "forbidden"
    assert launch(ask, small, actor=None, availability_zone="nova:compute-1").status == 202


def test_several_at_once_are_numbered(ask: Conversation, small: str) -> None:
    assert launch(ask, small, max_count=2).status == 202
    names = [each["name"] for each in ask("GET", "/v2.1/servers", actor=MEMBER).json["servers"]]
    assert names == ["s-2", "s-1"]


def test_a_reservation_that_nobody_made_ends_in_an_error(ask: Conversation, small: str) -> None:
    server = shown(ask, made(ask, small, hints={"reservation": IMAGE}))
    assert server["fault"]["message"] == f"No valid host was found. Reservation {IMAGE} could not be found."


def test_a_server_on_a_node_is_built(ask: Conversation, ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", name="node-1")
    uuid = made(ask, node_flavor(ledger, "gold").flavor)
    server = ask("GET", f"/v2.1/servers/{uuid}").json["server"]
    assert (server["status"], server["OS-EXT-STS:task_state"]) == ("BUILD", "spawning")
    assert server["OS-EXT-SRV-ATTR:hypervisor_hostname"] == "node-1"
    assert ledger.node(node).instance_uuid == uuid
    assert ask("DELETE", f"/v2.1/servers/{uuid}", actor=MEMBER).status == 204
    assert shown(ask, uuid)["OS-EXT-STS:task_state"] == "deleting"


def test_a_list_is_paged_with_a_link_to_the_rest(ask: Conversation, small: str) -> None:
    made(ask, small)
    made(ask, small)
    page = ask("GET", "/v2.1/servers/detail?limit=1&status=ACTIVE", actor=MEMBER).json
    (link,) = page["servers_links"]
    rest = ask("GET", link["href"].replace("http://dibs.example:8780/compute", ""), actor=MEMBER).json
    assert len({page["servers"][0]["id"], rest["servers"][0]["id"]}) == 2


@pytest.mark.parametrize(("version", "status"), [("2.37", 200), ("2.38", 400)])
def test_a_status_that_does_not_exist(ask: Conversation, version: str, status: int) -> None:
    assert ask("GET", "/v2.1/servers?status=HAPPY", version=version).status == status


def test_a_status_that_our_servers_never_have_finds_none(ask: Conversation, small: str) -> None:
    made(ask, small)
    assert ask("GET", "/v2.1/servers?status=PAUSED", actor=MEMBER).json == {"servers": []}


def test_metadata_is_added_replaced_and_removed(ask: Conversation, small: str) -> None:
    path = f"/v2.1/servers/{made(ask, small)}/metadata"
    assert ask("POST", path, {"metadata": {"a": "1"}}).json == {"metadata": {"a": "1"}}
    assert ask("PUT", f"{path}/b", {"meta": {"b": "2"}}).json == {"meta": {"b": "2"}}
    assert ask("GET", path).json == {"metadata": {"a": "1", "b": "2"}}
    assert ask("PUT", f"{path}/b", {"meta": {"c": "2"}}).status == 400
    assert ask("DELETE", f"{path}/a").status == 204
    assert ask("DELETE", f"{path}/a").status == 404
    assert ask("PUT", path, {"metadata": {}}).json == {"metadata": {}}
    assert ask("GET", f"{path}/b").status == 404


def test_a_server_has_so_many_metadata_and_no_more(ask: Conversation, small: str) -> None:
    full = {str(number): "x" for number in range(METADATA_ITEMS_MAX)}
    path = f"/v2.1/servers/{made(ask, small, metadata=full)}/metadata"
    assert ask("PUT", f"{path}/0", {"meta": {"0": "y"}}).status == 200
    assert ask("PUT", f"{path}/more", {"meta": {"more": "x"}}).fault[0] == "forbidden"
    assert ask("POST", path, {"metadata": {"more": "x"}}).fault[0] == "forbidden"


def test_a_server_is_renamed_and_described(ask: Conversation, small: str) -> None:
    uuid = made(ask, small)
    body = {"server": {"name": "t", "description": "new"}}
    server = ask("PUT", f"/v2.1/servers/{uuid}", body, actor=MEMBER).json["server"]
    assert (server["name"], server["description"]) == ("t", "new")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"os-stop": None}, 409),
        ({"reboot": {"type": "SOFT"}}, 409),
        ({"reboot": {"type": "GENTLE"}}, 400),
        ({"reboot": None}, 400),
        ({"evacuate": {}}, 400),
        ({}, 400),
        ([], 400),
    ],
)
def test_what_a_compute_host_cannot_be_told(ask: Conversation, small: str, body: Any, status: int) -> None:
    assert ask("POST", f"/v2.1/servers/{made(ask, small)}/action", body, actor=MEMBER).status == status
