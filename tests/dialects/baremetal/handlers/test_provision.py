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


def test_a_locked_node_is_409_with_the_name_of_its_conductor(ask: Conversation) -> None:
    node = ask.ledger.enrol(state=states.ENROLL).uuid
    provision(ask, node, target="manage")
    status, reason = provision(ask, node, target="manage")
    assert (status, reason) == (
        409,
        f"Node {node} is locked by host conductor-1, please retry after the current operation is completed.",
    )


@pytest.mark.parametrize("verb", ["frobnicate", "active", "deploy", "rebuild", "abort", "unhold"])
def test_a_verb_that_the_state_does_not_allow_is_400(ask: Conversation, verb: str) -> None:
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
        ({"target": "clean", "clean_steps": [STEP], "disable_ramdisk": "maybe"}, "Invalid disable_ramdisk"),
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
