from typing import Any

import pytest

from dibs.machines.model import states
from tests.dialects.baremetal.conversation import BASE_URL, Conversation

STEP = {"interface": "deploy", "step": "erase"}


def provision(ask: Conversation, node: str, version: str = "1.115", **body: Any) -> tuple[int, str]:
    answer = ask("PUT", f"/v1/nodes/{node}/states/provision", body, version=version)
    return answer.status, answer.reason if answer.body else ""


def test_a_verb_is_accepted_and_the_conductor_woken(ask: Conversation) -> None:
    node = ask.ledger.enrol(state=states.ENROLL, name="n")
    answer = ask("PUT", "/v1/nodes/n/states/provision", {"target": "manage"})
    assert (answer.status, answer.body, ask.woken) == (202, b"", 1)
    assert answer.headers["location"] == f"{BASE_URL}/v1/nodes/n/states"
    assert ask.ledger.node(node).provision_state == states.VERIFYING


def test_a_node_that_is_worked_on_is_409_with_the_holders_name(ask: Conversation) -> None:
    node = ask.ledger.enrol(state=states.ENROLL).uuid
    provision(ask, node, target="manage")
    status, reason = provision(ask, node, target="manage")
    assert (status, reason) == (
        409,
        f"Node {node} is locked by host conductor-1, please retry after the current operation is completed.",
    )


@pytest.mark.parametrize("verb", ["frobnicate", "active", "deploy", "rebuild", "abort", "unhold"])
def test_a_verb_that_the_state_does_not_know_is_400(ask: Conversation, verb: str) -> None:
    node = ask.ledger.enrol(state=states.ENROLL).uuid
    status, reason = provision(ask, node, target=verb)
    assert status == 400
    assert (
        reason == f'The requested action "{verb}" can not be performed on node "{node}" while it is in state "enroll".'
    )


@pytest.mark.parametrize(
    ("verb", "since"),
    [
        ("manage", 4), ("provide", 4), ("inspect", 6), ("abort", 13), ("clean", 15), ("adopt", 17), ("rescue", 38),
        ("unrescue", 38), ("deploy", 73), ("undeploy", 73), ("unhold", 85), ("service", 87),
    ],
)  # fmt: skip
def test_a_verb_is_not_acceptable_before_its_version(ask: Conversation, verb: str, since: int) -> None:
    node = ask.ledger.enrol(state=states.ENROLL).uuid
    assert provision(ask, node, version=f"1.{since - 1}", target=verb)[0] == 406
    assert provision(ask, node, version=f"1.{since}", target=verb)[0] != 406


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "Missing mandatory parameter: target"),
        ({"target": None}, "(at target)"),
        ({"target": "manage", "nosuch": 1}, "'nosuch' was unexpected"),
        ({"target": "clean"}, '"clean_steps" is required when setting target provision state to clean'),
        ({"target": "clean", "clean_steps": []}, '"clean_steps" is required'),
        ({"target": "clean", "clean_steps": [{"step": "x"}]}, "(at clean_steps/0)"),
        ({"target": "clean", "clean_steps": [{"interface": "x", "step": "x"}]}, "(at clean_steps/0/interface)"),
        ({"target": "manage", "clean_steps": [STEP]}, '"clean_steps" is only valid'),
        ({"target": "service"}, '"service_steps" is required'),
        ({"target": "manage", "service_steps": [STEP]}, '"service_steps" is only valid'),
        ({"target": "rescue", "rescue_password": " "}, 'A non-empty "rescue_password" is required'),
        ({"target": "manage", "rescue_password": "x"}, '"rescue_password" is only valid'),
        ({"target": "manage", "deploy_steps": [{**STEP, "args": {}, "priority": 1}]}, '"deploy_steps" is only valid'),
        ({"target": "active", "deploy_steps": [STEP]}, "(at deploy_steps/0)"),
        ({"target": "manage", "disable_ramdisk": True}, "disable_ramdisk is supported only"),
        ({"target": "manage", "configdrive": "x"}, "Adding a config drive is only supported"),
        ({"target": "active", "configdrive": "not base64!"}, "Invalid configdrive format"),
        ({"target": "active", "configdrive": {"nosuch": 1}}, "(at configdrive)"),
        ({"target": "active", "configdrive": 5}, "(at configdrive)"),
    ],
)
def test_a_verb_with_the_wrong_arguments_is_400(ask: Conversation, body: dict[str, Any], reason: str) -> None:
    status, text = provision(ask, ask.ledger.enrol(state=states.ENROLL).uuid, **body)
    assert status == 400
    assert reason in text


@pytest.mark.parametrize(
    ("version", "body", "status"),
    [
        ("1.55", {"target": "active", "configdrive": {"user_data": "x"}}, 400),
        ("1.58", {"target": "active", "configdrive": {"vendor_data": {}}}, 400),
        ("1.34", {"target": "rebuild", "configdrive": "aaaa"}, 400),
        ("1.68", {"target": "active", "deploy_steps": [{**STEP, "args": {}, "priority": 1}]}, 406),
        ("1.69", {"target": "clean", "clean_steps": [STEP], "disable_ramdisk": True}, 406),
        ("1.107", {"target": "service", "service_steps": [STEP], "disable_ramdisk": True}, 406),
    ],
)
def test_arguments_have_versions_too(ask: Conversation, version: str, body: dict[str, Any], status: int) -> None:
    assert provision(ask, ask.ledger.enrol().uuid, version=version, **body)[0] == status


@pytest.mark.parametrize(("state", "since"), [(states.INSPECT_WAIT, 41), (states.DEPLOY_WAIT, 110)])
def test_abort_came_later_for_some_states(ask: Conversation, state: str, since: int) -> None:
    node = ask.ledger.enrol(state=state).uuid
    assert provision(ask, node, version=f"1.{since - 1}", target="abort")[0] == 406
    assert provision(ask, node, version=f"1.{since}", target="abort")[0] == 202


def test_a_deploy_with_traits_that_the_node_lacks_is_refused_and_validate_says_so(ask: Conversation) -> None:
    node = ask.ledger.enrol(instance_info={"traits": ["CUSTOM_GPU"]}).uuid
    missing = f"Node {node} is missing traits CUSTOM_GPU"
    found = ask("GET", f"/v1/nodes/{node}/validate").json
    assert found["deploy"]["result"] is False
    assert missing in found["deploy"]["reason"]
    assert found["power"] == {"result": True}
    status, reason = provision(ask, node, target="active")
    assert status == 400
    assert reason.startswith(f"Failed to validate deploy or power info for node {node}: ")
    assert missing in reason
    ask("PUT", f"/v1/nodes/{node}/traits/CUSTOM_GPU")
    assert ask("GET", f"/v1/nodes/{node}/validate").json["deploy"] == {"result": True}
    assert provision(ask, node, target="active")[0] == 202


def test_both_addresses_of_validate_answer_alike(ask: Conversation) -> None:
    node = ask.ledger.enrol(name="n", driver_info={"fake_delay_deploy": "soon"}).uuid
    answer = ask("GET", f"/v1/nodes/{node}/validate")
    assert answer.json["deploy"]["result"] is False
    assert "vendor" not in answer.json
    assert ask("GET", "/v1/nodes/validate?node=n").json == answer.json
    assert ask("GET", f"/v1/nodes/validate?node_uuid={node}").json == answer.json
    assert ask("GET", "/v1/nodes/validate").reason == "Missing mandatory parameter: node"


def test_states_show_what_the_version_knows(ask: Conversation) -> None:
    node = ask.ledger.enrol().uuid
    old = ask("GET", f"/v1/nodes/{node}/states", version="1.1").json
    assert old["provision_state"] is None
    assert "raid_config" not in old
    new = ask("GET", f"/v1/nodes/{node}/states").json
    assert new["provision_state"] == "available"
    assert {"raid_config", "boot_mode", "secure_boot"} <= set(new)


def test_an_old_caller_sees_no_inspect_wait(ask: Conversation) -> None:
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
def test_power_that_cannot_be_had_is_refused(
    ask: Conversation, version: str, body: object, status: int, reason: str
) -> None:
    answer = ask("PUT", f"/v1/nodes/{ask.ledger.enrol().uuid}/states/power", body, version=version)
    assert answer.status == status
    assert reason in answer.reason
    assert ask.woken == 0


def test_the_boot_device_is_remembered(ask: Conversation) -> None:
    url = f"/v1/nodes/{ask.ledger.enrol().uuid}/management/boot_device"
    assert ask("GET", url).json == {"boot_device": "pxe", "persistent": False}
    assert ask("PUT", url, {"boot_device": "disk", "persistent": "true"}).status == 204
    assert ask("GET", url).json == {"boot_device": "disk", "persistent": True}
    assert "disk" in ask("GET", f"{url}/supported").json["supported_boot_devices"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "Missing mandatory parameter: boot_device"),
        ({"boot_device": "nosuch"}, "Invalid boot device nosuch specified."),
        ({"boot_device": 5}, "(at boot_device)"),
        ({"boot_device": "disk", "persistent": "maybe"}, "Invalid persistent"),
    ],
)
def test_a_boot_device_that_is_none_is_400(ask: Conversation, body: object, reason: str) -> None:
    answer = ask("PUT", f"/v1/nodes/{ask.ledger.enrol().uuid}/management/boot_device", body)
    assert answer.status == 400
    assert reason in answer.reason
