import pytest

from tests.dialects.baremetal.conversation import Conversation


def test_both_urls_of_validate_return_the_same(ask: Conversation) -> None:
    node = ask.ledger.enrol(name="n", driver_info={"fake_delay_deploy": "soon"}).uuid
    answer = ask("GET", f"/v1/nodes/{node}/validate")
    assert answer.json["deploy"]["result"] is False
    assert "vendor" not in answer.json
    assert ask("GET", "/v1/nodes/validate?node=n").json == answer.json
    assert ask("GET", f"/v1/nodes/validate?node_uuid={node}").json == answer.json
    assert ask("GET", "/v1/nodes/validate").reason == "Missing mandatory parameter: node"


def test_the_boot_device_is_stored(ask: Conversation) -> None:
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
def test_an_invalid_boot_device_is_400(ask: Conversation, body: object, reason: str) -> None:
    answer = ask("PUT", f"/v1/nodes/{ask.ledger.enrol().uuid}/management/boot_device", body)
    assert answer.status == 400
    assert reason in answer.reason
