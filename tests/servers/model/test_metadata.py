import pytest

from dibs.servers.model.errors import MetadataItemNotFound, TooManyMetadataItems
from dibs.servers.model.metadata import METADATA_ITEMS_MAX, MetadataChange, change_items

OLD = {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("change", "new"),
    [
        (MetadataChange(items={"b": "3", "c": "4"}), {"a": "1", "b": "3", "c": "4"}),
        (MetadataChange(items={"c": "4"}, replace_all=True), {"c": "4"}),
        (MetadataChange(replace_all=True), {}),
        (MetadataChange(removed="a"), {"b": "2"}),
    ],
)
def test_change_adds_replaces_and_removes_items(change: MetadataChange, new: dict[str, str]) -> None:
    assert change_items(OLD, change) == new
    assert OLD == {"a": "1", "b": "2"}


def test_missing_item_cannot_be_removed() -> None:
    with pytest.raises(MetadataItemNotFound):
        change_items(OLD, MetadataChange(removed="c"))


def test_items_beyond_the_limit_are_refused() -> None:
    full = {str(number): "x" for number in range(METADATA_ITEMS_MAX)}
    assert change_items(full, MetadataChange(items={"0": "y"}))["0"] == "y"
    with pytest.raises(TooManyMetadataItems, match=str(METADATA_ITEMS_MAX)):
        change_items(full, MetadataChange(items={"one more": "x"}))
