from typing import Any

import pytest

from dibs.machines.model import states
from dibs.servers.model.metadata import METADATA_ITEMS_MAX
from tests.builders import Ledger
from tests.dialects.compute.conversation import MEMBER, READER, STRANGER, Conversation
from tests.dialects.compute.launching import launched
from tests.manual_conductor import ManualConductor
from tests.server_builders import node_flavor

NOT_FOUND = ("itemNotFound", "Metadata item was not found")


def test_metadata_is_added_replaced_and_removed(ask: Conversation, small: str) -> None:
    path = f"/v2.1/servers/{launched(ask, small)}/metadata"
    assert ask("POST", path, {"metadata": {"a": "1"}}).json == {"metadata": {"a": "1"}}
    assert ask("PUT", f"{path}/b", {"meta": {"b": "2"}}).json == {"meta": {"b": "2"}}
    assert ask("GET", path).json == {"metadata": {"a": "1", "b": "2"}}
    assert ask("PUT", f"{path}/b", {"meta": {"c": "2"}}).status == 400
    assert ask("DELETE", f"{path}/a").status == 204
    assert ask("DELETE", f"{path}/a").fault == NOT_FOUND
    assert ask("PUT", path, {"metadata": {}}).json == {"metadata": {}}
    assert ask("GET", f"{path}/b").fault == NOT_FOUND


def test_metadata_beyond_the_limit_is_403(ask: Conversation, small: str) -> None:
    full = {str(number): "x" for number in range(METADATA_ITEMS_MAX)}
    path = f"/v2.1/servers/{launched(ask, small, metadata=full)}/metadata"
    assert ask("PUT", f"{path}/0", {"meta": {"0": "y"}}).status == 200
    refused = ("forbidden", f"Maximum number of metadata items exceeds {METADATA_ITEMS_MAX}")
    assert ask("PUT", f"{path}/more", {"meta": {"more": "x"}}).fault == refused
    assert ask("POST", path, {"metadata": {"more": "x"}}).fault == refused


def test_reader_may_read_metadata_and_not_change_it(ask: Conversation, small: str) -> None:
    path = f"/v2.1/servers/{launched(ask, small)}/metadata"
    assert ask("GET", path, actor=READER).status == 200
    kind, message = ask("POST", path, {"metadata": {}}, actor=READER).fault
    assert (kind, "os_compute_api:server-metadata:create" in message) == ("forbidden", True)
    assert ask("GET", path, actor=STRANGER).status == 404


def test_server_on_a_node_is_stopped(ask: Conversation, ledger: Ledger) -> None:
    conductor = ManualConductor(ledger)
    node = ledger.enrol(resource_class="gold")
    uuid = launched(ask, node_flavor(ledger, "gold").flavor)
    conductor.finish(node, conductor.take(node), power_state=states.POWER_ON)
    assert ask("POST", f"/v2.1/servers/{uuid}/action", {"os-stop": None}, actor=STRANGER).status == 404
    assert ask("POST", f"/v2.1/servers/{uuid}/action", {"os-stop": None}, actor=READER).status == 403
    assert ask("POST", f"/v2.1/servers/{uuid}/action", {"os-stop": None}, actor=MEMBER).status == 202
    assert ledger.node(node).target_power_state == states.POWER_OFF


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
def test_action_on_a_compute_host_is_409_and_an_invalid_one_400(
    ask: Conversation, small: str, body: Any, status: int
) -> None:
    assert ask("POST", f"/v2.1/servers/{launched(ask, small)}/action", body, actor=MEMBER).status == status
