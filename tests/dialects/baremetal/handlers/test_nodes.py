import pytest

from dibs.documents import json_body
from dibs.documents.json_body import FREE_FORM_BYTES_MAX
from dibs.machines.model import states
from tests.dialects.baremetal.conversation import BASE_URL, Conversation

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

UUID = "11111111-2222-4333-8444-555555555501"
NODE = {"driver": "fake-hardware", "uuid": UUID, "name": "node-1", "resource_class": "bm.gpu"}


@pytest.fixture
def node(ask: Conversation) -> str:
    """A node that has just been enrolled."""
    assert ask("POST", "/v1/nodes", NODE).status == 201
    return UUID


def test_a_new_node_is_returned_with_its_location(ask: Conversation) -> None:
    answer = ask("POST", "/v1/nodes", {**NODE, "driver_info": {"fake_password": "x", "address": "10.0.0.1"}})
    assert answer.status == 201
    assert answer.headers["location"] == f"{BASE_URL}/v1/nodes/{UUID}"
    shown = answer.json
    assert shown["driver_info"] == {"fake_password": "******", "address": "10.0.0.1"}
    assert (shown["provision_state"], shown["conductor"], shown["traits"]) == ("enroll", "conductor-1", [])
    assert (shown["network_interface"], shown["deploy_interface"]) == ("noop", "fake")


def test_an_old_version_creates_an_available_node_with_state_null(ask: Conversation) -> None:
    assert ask("POST", "/v1/nodes", {"driver": "fake-hardware"}, version="1.10").json["provision_state"] == "available"
    shown = ask("POST", "/v1/nodes", {"driver": "fake-hardware"}, version=None).json
    assert shown["provision_state"] is None
    assert "name" not in shown
    assert "states" not in shown


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"driver": "fake-hardware", "name": "node-1"}, 409, "A node with name node-1 already exists."),
        ({"driver": "fake-hardware", "uuid": UUID}, 409, f"A node with UUID {UUID} already exists."),
        ({"name": "x"}, 400, "Schema error for node: 'driver' is a required property"),
        ({"driver": "nosuch"}, 400, "No conductor service registered which supports driver nosuch"),
        ({"driver": "fake-hardware", "foo": 1}, 400, "'foo' was unexpected"),
        ({"driver": "fake-hardware", "name": "bad name!"}, 400, "Cannot create node with invalid name 'bad name!'"),
        ({"driver": "fake-hardware", "name": "detail"}, 400, 'The word "detail" is reserved'),
        ({"driver": "fake-hardware", "name": UUID}, 400, "invalid name"),
        ({"driver": "fake-hardware", "uuid": "notauuid"}, 400, "Expected UUID for uuid: notauuid"),
        ({"driver": "fake-hardware", "resource_class": "x" * 81}, 400, "is too long (at resource_class)"),
        ({"driver": "fake-hardware", "description": "x" * 4097}, 400, "is too long (at description)"),
        ({"driver": "fake-hardware", "traits": ["CUSTOM_A"]}, 400, "'traits' was unexpected"),
        ({"driver": "fake-hardware", "provision_state": "available"}, 400, "'provision_state' was unexpected"),
        ({"driver": "fake-hardware", "owner": 5}, 400, "(at owner)"),
        ({"driver": "fake-hardware", "retired": "maybe"}, 400, "Invalid retired"),
        ({"driver": "fake-hardware", "extra": []}, 400, "(at extra)"),
        ({"driver": "fake-hardware", "power_interface": "nosuch"}, 400, "(field power_interface)"),
        ({"driver": "fake-hardware", "chassis_uuid": UUID}, 400, "Chassis"),
        ({"driver": "fake-hardware", "parent_node": UUID.replace("1", "9")}, 400, "parent_node"),
        ([{"driver": "fake-hardware"}], 400, "is not of type 'object'"),
        (b"{nope", 400, "not valid JSON"),
        (b"", 400, "'driver' is a required property"),
        (b'{"driver": "fake-hardware", "name": "\\u0000"}', 400, "/name contains a NUL"),
        (b'{"driver": "fake-hardware", "extra": {"a": NaN}}', 400, "NaN"),
    ],
)
def test_an_invalid_node_is_refused_with_the_field(
    ask: Conversation, node: str, body: object, status: int, reason: str
) -> None:
    answer = ask("POST", "/v1/nodes", body)
    assert (answer.status, answer.error["faultcode"]) == (status, "Client")
    assert reason in answer.reason


def test_a_field_is_refused_before_its_version(ask: Conversation) -> None:
    answer = ask("POST", "/v1/nodes", {"driver": "fake-hardware", "owner": "x"}, version="1.49")
    assert (answer.status, answer.reason) == (406, "Request not acceptable.")


def test_a_node_is_found_by_uuid_in_any_case_and_by_name(ask: Conversation, node: str) -> None:
    assert ask("GET", f"/v1/nodes/{node.upper()}").json["uuid"] == node
    assert ask("GET", "/v1/nodes/node-1").json["uuid"] == node
    assert ask("GET", "/v1/nodes/node-1", version="1.4").status == 400
    assert ask("GET", "/v1/nodes/nosuch").reason == "Node nosuch could not be found."
    answer = ask("GET", "/v1/nodes/bad name!")
    assert answer.status == 400
    assert answer.error["description"] == "Expected UUID or name for node: bad name!"


def test_only_the_requested_fields_and_links_are_shown(ask: Conversation, node: str) -> None:
    shown = ask("GET", f"/v1/nodes/{node}?fields=uuid,name,conductor&fields=allocation_uuid").json
    assert set(shown) == {"uuid", "name", "conductor", "allocation_uuid", "links"}
    assert ask("GET", f"/v1/nodes/{node}?fields=nosuch").reason == 'Field(s) "nosuch" are not valid'
    assert ask("GET", f"/v1/nodes/{node}?fields=uuid", version="1.7").status == 406


def test_a_full_page_links_to_the_next_with_every_filter(ask: Conversation) -> None:
    for number in range(3):
        ask.ledger.enrol(name=f"n{number}", resource_class="gpu big", with_traits=("CUSTOM_A",))
    ask.ledger.enrol(name="other")
    url = "/v1/nodes?limit=1&resource_class=gpu%20big&traits=CUSTOM_A&sort_key=name&fields=name"
    names = []
    while url:
        page = ask("GET", url.removeprefix(BASE_URL)).json
        names += [entry["name"] for entry in page["nodes"]]
        url = page.get("next")
    assert names == ["n0", "n1", "n2"]


def test_the_list_of_an_instance_has_no_next_page(ask: Conversation) -> None:
    ask.ledger.enrol(instance_uuid=UUID)
    page = ask("GET", f"/v1/nodes?limit=1&instance_uuid={UUID}").json
    assert len(page["nodes"]) == 1
    assert "next" not in page


@pytest.mark.parametrize(
    ("query", "status", "reason"),
    [
        ("detail=true&fields=uuid", 400, "Can not specify ?detail=True and fields in the same request."),
        ("fields=uuid,nosuch", 400, 'Field(s) "nosuch" are not valid'),
        ("marker=946b5b4f-93e8-4776-ab47-cffbdffa2e12", 404, "could not be found"),
        ("marker=x", 400, "Expected UUID for marker: x"),
        ("sort_key=properties", 400, "The sort_key value properties is an invalid field for sorting"),
        ("sort_key=nosuch", 400, 'The sort_key value "nosuch" is an invalid field for sorting'),
        ("foo=bar", 400, "Unexpected arguments: foo"),
    ],
)
def test_an_invalid_list_is_refused(ask: Conversation, query: str, status: int, reason: str) -> None:
    answer = ask("GET", f"/v1/nodes?{query}")
    assert answer.status == status
    assert reason in answer.reason


def test_detail_shows_every_attribute_of_the_version(ask: Conversation, node: str) -> None:
    whole = ask("GET", "/v1/nodes/detail").json
    assert ask("GET", "/v1/nodes?detail=true").json == whole
    assert set(whole["nodes"][0]) == set(ask("GET", f"/v1/nodes/{node}").json)
    assert ask("GET", "/v1/nodes?detail=true", version="1.42").status == 400
    assert ask("GET", "/v1/nodes/detail?fields=uuid").reason == "Unexpected arguments: fields"


def test_every_node_of_a_list_has_its_traits(ask: Conversation) -> None:
    ask.ledger.enrol(with_traits=("CUSTOM_B", "CUSTOM_A"))
    ask.ledger.enrol()
    listed = ask("GET", "/v1/nodes?fields=uuid,traits").json["nodes"]
    assert [entry["traits"] for entry in listed] == [["CUSTOM_A", "CUSTOM_B"], []]


def test_a_patch_changes_the_node_and_returns_it(ask: Conversation, node: str) -> None:
    answer = ask.patch("node-1", ("replace", "/description", "second"), ("add", "/extra/slot", 7))
    assert answer.status == 200
    assert (answer.json["description"], answer.json["extra"]) == ("second", {"slot": 7})
    assert ask.patch(node, ("remove", "/extra/slot"), ("remove", "/name")).json["name"] is None
    assert ask.patch(node).status == 200


def test_a_patch_applies_to_the_stored_values_and_not_to_masked_ones(ask: Conversation, node: str) -> None:
    ask.patch(node, ("add", "/driver_info", {"password": "secret", "a": 1}))
    ask.patch(node, ("replace", "/driver_info/a", 2))
    stored = ask.ledger.node(ask.ledger.enrol())
    assert stored.driver_info == {}
    shown = ask("GET", f"/v1/nodes/{node}").json["driver_info"]
    assert shown == {"password": "******", "a": 2}


@pytest.mark.parametrize(
    ("operation", "status", "reason"),
    [
        (("frob", "/description", "x"), 400, "'frob' is not one of ['add', 'replace', 'remove']"),
        (("add", "/nosuch", "x"), 400, "Cannot patch /nosuch. Only the following can be updated: automated_clean"),
        (("replace", "/provision_state", "active"), 400, "Cannot patch /provision_state"),
        (("add", "/traits", ["CUSTOM_A"]), 400, "Cannot patch /traits"),
        (("replace", "/uuid", UUID), 400, "Cannot patch /uuid"),
        (("remove", "/extra/none"), 400, "can't remove a non-existent object 'none'"),
        (("remove", "/driver"), 400, "'driver' is a required property"),
        (("add", "", {}), 400, "(at 0/path)"),
        (("add", "/", {}), 400, "(at 0/path)"),
        (("add", "name", "x"), 400, "(at 0/path)"),
        (("add", "/description"), 400, "needs a value"),
        (("add", "/description/deep", "x"), 400, "/description/deep"),
        (("replace", "/extra/a/b", "x"), 400, "/extra/a/b"),
        (("add", "/extra/~2", "x"), 400, "/extra/~2"),
        (("add", "/name", "bad name!"), 400, "Cannot change name to invalid name 'bad name!'"),
        (("add", "/resource_class", "x" * 81), 400, "(at resource_class)"),
        (("add", "/extra", 5), 400, "(at extra)"),
        (("add", "/instance_uuid", "x"), 400, "Expected UUID for instance_uuid"),
        (("add", "/protected", True), 409, "can only be made protected"),
        (("add", "/boot_interface", "nosuch"), 400, "(field boot_interface)"),
        (("add", "/driver", "nosuch"), 400, "No conductor service registered which supports driver nosuch"),
    ],
)
def test_a_patch_that_cannot_be_applied_says_why(
    ask: Conversation, node: str, operation: tuple[object, ...], status: int, reason: str
) -> None:
    before = ask("GET", f"/v1/nodes/{node}").body
    answer = ask.patch(node, operation)
    assert answer.status == status
    assert reason in answer.reason
    assert ask("GET", f"/v1/nodes/{node}").body == before


def test_a_patch_must_be_a_list(ask: Conversation, node: str) -> None:
    answer = ask("PATCH", f"/v1/nodes/{node}", {"description": "x"})
    assert answer.reason == "Schema error for patch: {'description': 'x'} is not of type 'array'"


def test_a_field_cannot_be_patched_before_its_version(ask: Conversation, node: str) -> None:
    assert ask.patch(node, ("add", "/shard", "s"), version="1.81").status == 406


def test_several_patches_cannot_nest_deeper_than_one_may(ask: Conversation, node: str) -> None:
    deep: object = {}
    for _ in range(60):
        deep = {"a": deep}
    assert ask.patch(node, ("add", "/extra/a", deep)).status == 200
    answer = ask.patch(node, ("add", "/extra" + "/a" * 60, deep))
    assert answer.status == 400
    assert "/extra is nested more than" in answer.reason


def test_the_instance_name_is_taken_from_instance_info(ask: Conversation, node: str) -> None:
    assert ask.patch(node, ("add", "/instance_info/display_name", "web-1")).json["instance_name"] == "web-1"


def test_interfaces_are_reset_only_with_the_driver(ask: Conversation, node: str) -> None:
    body = [{"op": "add", "path": "/description", "value": "x"}]
    answer = ask("PATCH", f"/v1/nodes/{node}?reset_interfaces=true", body)
    assert "can only be used when changing the node's driver" in answer.reason
    assert ask("PATCH", f"/v1/nodes/{node}?reset_interfaces=true", body, version="1.44").status == 406
    body = [{"op": "replace", "path": "/driver", "value": "fake-hardware"}]
    assert ask("PATCH", f"/v1/nodes/{node}?reset_interfaces=true", body).status == 200


def test_maintenance_is_set_with_a_reason_and_cleared_without_one(ask: Conversation, node: str) -> None:
    assert ask("PUT", f"/v1/nodes/{node}/maintenance", {"reason": "fan"}).status == 202
    shown = ask("GET", f"/v1/nodes/{node}").json
    assert (shown["maintenance"], shown["maintenance_reason"]) == (True, "fan")
    assert ask("DELETE", f"/v1/nodes/{node}/maintenance").status == 202
    assert ask("PUT", f"/v1/nodes/{node}/maintenance").status == 202
    assert ask("PUT", f"/v1/nodes/{node}/maintenance", {"reason": 5}).status == 400


def test_a_deleted_node_is_not_found(ask: Conversation, node: str) -> None:
    assert ask("DELETE", f"/v1/nodes/{node}").status == 204
    assert ask("DELETE", f"/v1/nodes/{node}").reason == f"Node {node} could not be found."


def test_a_node_in_use_is_not_deleted(ask: Conversation) -> None:
    used = ask.ledger.enrol(instance_uuid=UUID)
    answer = ask("DELETE", f"/v1/nodes/{used.uuid}")
    assert (answer.status, answer.reason) == (409, f"Node {used.uuid} is associated with instance {UUID}.")


def test_secrets_of_an_instance_are_masked(ask: Conversation) -> None:
    info = {"configdrive": "data", "image_url": "http://x", "image_source": "y", "root_password": "z"}
    node = ask.ledger.enrol(instance_info=info, state=states.ACTIVE)
    shown = ask("GET", f"/v1/nodes/{node.uuid}").json["instance_info"]
    assert shown == {"configdrive": "******", "image_url": "******", "image_source": "y", "root_password": "******"}


@pytest.mark.parametrize("field", ["name", "resource_class", "owner", "conductor_group", "driver", "deploy_interface"])
def test_a_megabyte_of_text_is_refused_with_its_field(ask: Conversation, field: str) -> None:
    answer = ask("POST", "/v1/nodes", {"driver": "fake-hardware", field: "x" * 1_000_000})
    assert answer.status == 400
    assert field in answer.reason
    assert len(answer.body) < 5_000


@pytest.mark.parametrize("name", ["extra", "properties", "driver_info", "instance_info", "network_data"])
def test_too_large_object_is_refused_in_a_new_node_and_in_a_patch(ask: Conversation, name: str) -> None:
    large = {"a": "x" * FREE_FORM_BYTES_MAX}
    refused = ask("POST", "/v1/nodes", {"driver": "fake-hardware", name: large})
    assert refused.status == 400
    assert f"/{name} has 65544 bytes of JSON" in refused.reason
    node = ask.ledger.enrol()
    patch = [{"op": "add", "path": f"/{name}", "value": large}]
    assert ask("PATCH", f"/v1/nodes/{node.uuid}", patch).status == 400


def test_object_that_was_larger_before_does_not_prevent_other_changes(
    ask: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = ask.ledger.enrol(extra={"a": "x" * 100})
    monkeypatch.setattr(json_body, "FREE_FORM_BYTES_MAX", 50)
    patch = [{"op": "add", "path": "/description", "value": "rack 7"}]
    assert ask("PATCH", f"/v1/nodes/{node.uuid}", patch).status == 200
