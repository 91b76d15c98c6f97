from typing import Any

import pytest

from dibs.dialects.compute.handlers.images import IMAGE_ID
from tests.dialects.compute.conversation import Conversation
from tests.dialects.compute.launching import launch, launched, shown


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("2.18", {"description": "too early"}),
        ("2.51", {"tags": ["too early"]}),
        ("2.57", {"personality": []}),
        ("2.36", {"networks": "auto"}),
        ("2.61", {"networks": [{"uuid": IMAGE_ID}]}),
        ("2.61", {"block_device_mapping_v2": [{"source_type": "volume", "uuid": IMAGE_ID}]}),
        ("2.61", {"availability_zone": "elsewhere"}),
        ("2.61", {"min_count": 3, "max_count": 2}),
        ("2.61", {"max_count": "0"}),
        ("2.61", {"max_count": 101}),
        ("2.61", {"name": ""}),
        ("2.61", {"name": "x" * 256}),
        ("2.61", {"name": "x" * 254, "max_count": 2}),
        ("2.61", {"imageRef": "x" * 256}),
        ("2.61", {"imageRef": "", "block_device_mapping_v2": [{"source_type": "image"}]}),
        ("2.61", {"imageRef": "", "block_device_mapping_v2": [{"source_type": "image", "uuid": "x" * 256}]}),
        ("2.61", {"imageRef": "", "block_device_mapping_v2": [{"source_type": "image", "uuid": 5}]}),
        ("2.61", {"user_data": "not base64!"}),
        ("2.61", {"unknown": 1}),
        ("2.61", {"hints": {"reservation": "no uuid"}}),
        ("2.61", {"metadata": {"": "x"}}),
    ],
)
def test_invalid_request_is_400_and_launches_nothing(
    ask: Conversation, small: str, version: str, more: dict[str, Any]
) -> None:
    assert launch(ask, small, version=version, **more).fault[0] == "badRequest"
    assert ask("GET", "/v2.1/servers?all_tenants=1").json == {"servers": []}


def test_networks_are_required_from_2_37_on(ask: Conversation, small: str) -> None:
    body = {"server": {"name": "s", "flavorRef": small, "imageRef": IMAGE_ID}}
    assert ask("POST", "/v2.1/servers", body, version="2.37").status == 400
    assert ask("POST", "/v2.1/servers", body, version="2.36").status == 202


def test_only_admins_choose_the_host(ask: Conversation, small: str) -> None:
    assert launch(ask, small, availability_zone="nova:compute-1").fault[0] == "forbidden"
    assert launch(ask, small, actor=None, availability_zone="nova:compute-1").status == 202


def test_image_of_a_block_device_is_the_image_of_the_server(ask: Conversation, small: str) -> None:
    device = {"source_type": "image", "destination_type": "local", "uuid": IMAGE_ID}
    server = shown(ask, launched(ask, small, imageRef="", block_device_mapping_v2=[device]))
    assert server["image"]["id"] == IMAGE_ID


def test_flavor_and_image_may_be_links(ask: Conversation, small: str) -> None:
    links = {"flavorRef": f"http://x/v2.1/flavors/{small}", "imageRef": f"http://x/images/{IMAGE_ID}/"}
    server = shown(ask, launched(ask, small, **links))
    assert (server["flavor"]["original_name"], server["image"]["id"]) == ("small", IMAGE_ID)


def test_hint_of_an_unknown_reservation_ends_in_an_error(ask: Conversation, small: str) -> None:
    server = shown(ask, launched(ask, small, hints={"reservation": IMAGE_ID}))
    assert server["fault"]["message"] == f"No valid host was found. Reservation {IMAGE_ID} could not be found."
