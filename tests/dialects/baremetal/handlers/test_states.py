from typing import Any

import pytest

from dibs.machines.model import states
from tests.dialects.baremetal.conversation import Conversation


def provision(ask: Conversation, node: str, version: str = "1.115", **body: Any) -> tuple[int, str]:
    answer = ask("PUT", f"/v1/nodes/{node}/states/provision", body, version=version)
    return answer.status, answer.reason if answer.body else ""


def test_states_show_what_the_version_knows(ask: Conversation) -> None:
    node = ask.ledger.enrol().uuid
    old = ask("GET", f"/v1/nodes/{node}/states", version="1.1").json
    assert old["provision_state"] is None
    assert "raid_config" not in old
    new = ask("GET", f"/v1/nodes/{node}/states").json
    assert new["provision_state"] == "available"
    assert {"raid_config", "boot_mode", "secure_boot"} <= set(new)


def test_an_old_version_shows_no_inspect_wait(ask: Conversation) -> None:
    node = ask.ledger.enrol(state=states.INSPECT_WAIT).uuid
    assert ask("GET", f"/v1/nodes/{node}", version="1.38").json["provision_state"] == "inspecting"
    assert ask("GET", f"/v1/nodes/{node}", version="1.39").json["provision_state"] == "inspect wait"


def test_power_is_switched_and_the_conductor_woken(ask: Conversation) -> None:
    node = ask.ledger.enrol()
    answer = ask("PUT", f"/v1/nodes/{node.uuid}/states/power", {"target": "power on", "timeout": 30})
    assert (answer.status, ask.woken) == (202, 1)
    assert ask.ledger.node(node).target_power_state == "power on"


@pytest.mark.parametrize(
    ("version", "body", "status", "reason"),
    [
        ("1.115", {}, 400, "Missing mandatory parameter: target"),
        ("1.115", {"target": "frob"}, 400, 'The requested action "frob" can not be performed'),
        ("1.115", {"target": "power on", "timeout": 0}, 400, "timeout has to be positive integer"),
        ("1.115", {"target": "power on", "timeout": "1"}, 400, "(at timeout)"),
        ("1.115", {"target": "power on", "timeout": 10**30}, 400, "(at timeout)"),
        ("1.26", {"target": "soft rebooting"}, 406, "Request not acceptable."),
        ("1.26", {"target": "power on", "timeout": 5}, 406, "Request not acceptable."),
    ],
)
def test_an_impossible_power_change_is_refused(
    ask: Conversation, version: str, body: object, status: int, reason: str
) -> None:
    answer = ask("PUT", f"/v1/nodes/{ask.ledger.enrol().uuid}/states/power", body, version=version)
    assert answer.status == status
    assert reason in answer.reason
    assert ask.woken == 0
