import pytest

from dibs.dialects.compute.handlers.images import IMAGE_ID, IMAGE_NAME
from tests.dialects.compute.conversation import MEMBER, Conversation


@pytest.mark.parametrize("path", ["/v2.1/images", "/v2.1/images/detail"])
def test_nova_lists_the_only_image(ask: Conversation, path: str) -> None:
    (image,) = ask("GET", path, version="2.1", actor=MEMBER).json["images"]
    assert (image["id"], image["name"]) == (IMAGE_ID, IMAGE_NAME)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 1),
        (f"?name={IMAGE_NAME}", 1),
        (f"?id=in:x,{IMAGE_ID}", 1),
        ("?name=other", 0),
        ("?name=in:other,another", 0),
        (f"?marker={IMAGE_ID}", 0),
    ],
)
def test_glance_filters_the_list_by_name_and_id(ask: Conversation, query: str, count: int) -> None:
    assert len(ask("GET", f"/image/v2/images{query}", version=None).json["images"]) == count


@pytest.mark.parametrize("folder", ["/v2.1/images", "/image/v2/images"])
def test_image_is_shown_by_its_id_and_any_other_id_is_404(ask: Conversation, folder: str) -> None:
    assert IMAGE_ID in ask("GET", f"{folder}/{IMAGE_ID}", version="2.1").body.decode()
    assert ask("GET", f"{folder}/other", version="2.1").fault == ("itemNotFound", "No image found with ID other")


def test_image_service_is_discovered_on_both_levels(ask: Conversation) -> None:
    (version,) = ask("GET", "/image", version=None).json["versions"]
    assert ask("GET", "/image/v2", version=None).json["version"] == version
