from dibs.dialects.compute.handlers.images import IMAGE_ID
from tests.builders import Ledger
from tests.dialects.compute.conversation import MEMBER, STRANGER, Conversation
from tests.dialects.compute.launching import launched, shown
from tests.server_builders import node_flavor


def test_active_server_is_shown_with_its_states_flavor_and_image(ask: Conversation, small: str) -> None:
    server = shown(ask, launched(ask, small))
    assert (server["OS-EXT-STS:vm_state"], server["OS-EXT-STS:power_state"], server["progress"]) == ("active", 1, 100)
    assert server["flavor"]["original_name"] == "small"
    assert server["image"]["id"] == IMAGE_ID


def test_only_admins_see_the_host(ask: Conversation, small: str) -> None:
    uuid = launched(ask, small)
    server = ask("GET", f"/v2.1/servers/{uuid}").json["server"]
    assert (server["OS-EXT-SRV-ATTR:host"], server["host_status"]) == ("compute-1", "UP")
    assert {"OS-EXT-SRV-ATTR:host", "host_status"}.isdisjoint(shown(ask, uuid))


def test_host_id_is_equal_within_a_project_and_differs_between_projects(ask: Conversation, small: str) -> None:
    mine = shown(ask, launched(ask, small))["hostId"]
    assert shown(ask, launched(ask, small, actor=STRANGER), actor=STRANGER)["hostId"] != mine
    assert "compute-1" not in mine


def test_fields_appear_with_their_versions(ask: Conversation, small: str) -> None:
    uuid = launched(ask, small)
    oldest = shown(ask, uuid, version="2.1")
    assert {"locked", "description", "tags", "host_status"}.isdisjoint(oldest)
    assert set(oldest["flavor"]) == {"id", "links"}
    assert "locked" in shown(ask, uuid, version="2.9")
    assert "description" in shown(ask, uuid, version="2.19")
    assert "tags" in shown(ask, uuid, version="2.26")
    assert "vcpus" in shown(ask, uuid, version="2.47")["flavor"]


def test_server_on_a_node_is_spawning_and_after_its_delete_deleting(ask: Conversation, ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", name="node-1")
    uuid = launched(ask, node_flavor(ledger, "gold").flavor)
    server = ask("GET", f"/v2.1/servers/{uuid}").json["server"]
    assert (server["status"], server["OS-EXT-STS:task_state"]) == ("BUILD", "spawning")
    assert server["OS-EXT-SRV-ATTR:hypervisor_hostname"] == "node-1"
    assert ledger.node(node).instance_uuid == uuid
    assert ask("DELETE", f"/v2.1/servers/{uuid}", actor=MEMBER).status == 204
    assert shown(ask, uuid)["OS-EXT-STS:task_state"] == "deleting"
