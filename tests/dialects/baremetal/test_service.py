"""What the service says of itself: versions, drivers, conductors, and paths that it does not have."""

import pytest

from dibs.dialects.baremetal import Baremetal
from tests.dialects.baremetal.conversation import BASE_URL, Conversation


def test_the_root_names_the_versions_whatever_is_asked_for(ask: Conversation) -> None:
    answer = ask("GET", "/", version="9.9")
    assert answer.status == 200
    version = answer.json["default_version"]
    assert (version["min_version"], version["version"], version["id"]) == ("1.1", "1.115", "v1")
    assert version["links"] == [{"href": f"{BASE_URL}/v1/", "rel": "self"}]


def test_the_version_links_only_to_what_is_there(ask: Conversation) -> None:
    assert "conductors" not in ask("GET", "/v1", version=None).json
    shown = ask("GET", "/v1").json
    for name in ("nodes", "ports", "drivers", "conductors"):
        address = shown[name][0]["href"].removeprefix(BASE_URL).rstrip("/")
        assert ask("GET", address).status == 200
    assert "chassis" not in shown


def test_discovery_is_public() -> None:
    assert Baremetal.public_paths == {"/", "/v1"}


def test_every_answer_carries_the_range_and_the_version_used(ask: Conversation) -> None:
    for version, used in ((None, "1.1"), ("1.37", "1.37"), ("latest", "1.115")):
        headers = ask("GET", "/v1/nodes/nosuch", version=version).headers
        assert headers["x-openstack-ironic-api-minimum-version"] == "1.1"
        assert headers["x-openstack-ironic-api-maximum-version"] == "1.115"
        assert headers["x-openstack-ironic-api-version"] == used
    assert "x-openstack-ironic-api-version" not in ask("GET", "/v1/nodes", version="1.9999").headers


@pytest.mark.parametrize(
    "path",
    [
        "/v1/nosuch", "/v2", "/v1/chassis", "/v1/portgroups", "/v1/volume", "/v1/deploy_templates", "/v1/runbooks",
        "/v1/nodes/n/bios", "/v1/nodes/n/firmware", "/v1/nodes/n/vifs", "/v1/nodes/n/vendor_passthru",
        "/v1/nodes/n/states/console", "/v1/nodes/n/history", "/v1/nodes/n/inventory", "/v1/inspection_rules",
        "/v1/lookup", "/v1/heartbeat/n", "/v1/events",
    ],
)  # fmt: skip
def test_what_is_left_out_is_404_in_the_frameworks_form(ask: Conversation, path: str) -> None:
    answer = ask("GET", path)
    assert (answer.status, answer.error) == (404, {"code": 404, "title": "Not Found", "description": ""})


@pytest.mark.parametrize("method", ["PUT", "HEAD", "POST", "OPTIONS"])
def test_a_method_that_a_path_does_not_have_is_405_with_those_it_has(ask: Conversation, method: str) -> None:
    answer = ask(method, "/v1/nodes/n")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, PATCH, DELETE")
    assert answer.error == {"code": 405, "title": "Method Not Allowed", "description": ""}


def test_an_error_of_the_shell_has_the_same_form(ask: Conversation) -> None:
    response = ask.dialect.refuse(None, 413, "too large", (("connection", "close"),))
    assert response.status == 413
    assert ("connection", "close") in response.headers
    assert b"too large" in response.body


def test_drivers_show_their_interfaces_in_detail(ask: Conversation) -> None:
    listed = ask("GET", "/v1/drivers").json["drivers"]
    assert [(driver["name"], driver["hosts"], driver["type"]) for driver in listed] == [
        ("fake-hardware", ["conductor-1"], "dynamic")
    ]
    assert "default_power_interface" not in listed[0]
    shown = ask("GET", "/v1/drivers/fake-hardware").json
    assert shown == ask("GET", "/v1/drivers?detail=true").json["drivers"][0]
    assert (shown["default_network_interface"], shown["enabled_network_interfaces"]) == ("noop", ["noop"])
    assert "default_firmware_interface" not in ask("GET", "/v1/drivers/fake-hardware", version="1.85").json
    assert set(ask("GET", "/v1/drivers/fake-hardware", version="1.1").json) == {"name", "hosts", "links"}


@pytest.mark.parametrize(
    ("url", "version", "status"),
    [
        ("/v1/drivers?type=classic", "1.115", 200),
        ("/v1/drivers?type=dynamic", "1.29", 406),
        ("/v1/drivers?type=odd", "1.115", 400),
        ("/v1/drivers?detail=true", "1.29", 406),
        ("/v1/drivers?detail=true&fields=name", "1.115", 400),
        ("/v1/drivers?fields=name", "1.76", 406),
        ("/v1/drivers?fields=nosuch", "1.115", 400),
        ("/v1/drivers/nosuch", "1.115", 404),
        ("/v1/drivers/nosuch/properties", "1.115", 404),
        ("/v1/drivers/fake-hardware/properties", "1.1", 200),
    ],
)
def test_drivers_take_few_parameters(ask: Conversation, url: str, version: str, status: int) -> None:
    assert ask("GET", url, version=version).status == status


def test_drivers_can_be_cut_down_to_fields(ask: Conversation) -> None:
    shown = ask("GET", "/v1/drivers?fields=name,default_power_interface").json["drivers"][0]
    assert set(shown) == {"name", "default_power_interface", "links"}


def test_conductors_say_whether_they_live(ask: Conversation) -> None:
    listed = ask("GET", "/v1/conductors").json["conductors"]
    assert [set(entry) for entry in listed] == [{"hostname", "conductor_group", "alive", "links"}]
    assert listed[0]["alive"] is True
    ask.ledger.clock.move(3600)
    shown = ask("GET", "/v1/conductors/conductor-1").json
    assert (shown["alive"], shown["drivers"]) == (False, ["fake-hardware"])


@pytest.mark.parametrize(
    ("url", "version", "status"),
    [
        ("/v1/conductors?detail=true", "1.115", 200),
        ("/v1/conductors?sort_key=hostname&sort_dir=desc&limit=1", "1.115", 200),
        ("/v1/conductors?marker=conductor-1", "1.115", 200),
        ("/v1/conductors?marker=nosuch", "1.115", 404),
        ("/v1/conductors?sort_key=alive", "1.115", 400),
        ("/v1/conductors?fields=nosuch", "1.115", 400),
        ("/v1/conductors/nosuch", "1.115", 404),
        ("/v1/conductors", "1.48", 404),
    ],
)
def test_conductors_can_be_listed_in_pages(ask: Conversation, url: str, version: str, status: int) -> None:
    assert ask("GET", url, version=version).status == status


def test_before_their_version_conductors_are_not_supported(ask: Conversation) -> None:
    assert ask("GET", "/v1/conductors", version="1.48").reason == "The API is not supported for this version"
