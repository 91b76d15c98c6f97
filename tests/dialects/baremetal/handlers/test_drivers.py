import pytest

from tests.dialects.baremetal.conversation import Conversation


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
def test_a_list_of_drivers_takes_only_its_parameters(ask: Conversation, url: str, version: str, status: int) -> None:
    assert ask("GET", url, version=version).status == status


def test_drivers_can_be_limited_to_fields(ask: Conversation) -> None:
    shown = ask("GET", "/v1/drivers?fields=name,default_power_interface").json["drivers"][0]
    assert set(shown) == {"name", "default_power_interface", "links"}
