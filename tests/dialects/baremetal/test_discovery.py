from dibs.dialects.baremetal import Baremetal
from tests.dialects.baremetal.conversation import BASE_URL, Conversation


def test_the_root_lists_the_versions_for_every_requested_version(ask: Conversation) -> None:
    answer = ask("GET", "/", version="9.9")
    assert answer.status == 200
    version = answer.json["default_version"]
    assert (version["min_version"], version["version"], version["id"]) == ("1.1", "1.115", "v1")
    assert version["links"] == [{"href": f"{BASE_URL}/v1/", "rel": "self"}]


def test_the_version_links_only_to_existing_resources(ask: Conversation) -> None:
    assert "conductors" not in ask("GET", "/v1", version=None).json
    shown = ask("GET", "/v1").json
    for name in ("nodes", "ports", "drivers", "chassis", "portgroups", "volume", "conductors"):
        address = shown[name][0]["href"].removeprefix(BASE_URL).rstrip("/")
        assert ask("GET", address).status == 200
    assert "deploy_templates" not in shown


def test_discovery_is_public() -> None:
    assert Baremetal.public_paths == {"/", "/v1"}
