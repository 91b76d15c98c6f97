"""Metadata of servers: names and values that their owners choose."""

from collections.abc import Mapping

from msgspec import Struct, field

from dibs.servers.model.errors import MetadataItemNotFound, TooManyMetadataItems

METADATA_ITEMS_MAX = 128
"""The most metadata items that a server may have."""


class MetadataChange(Struct, frozen=True, kw_only=True):
    """A change of a server's metadata."""

    items: Mapping[str, str] = field(default_factory=dict)
    """Items to add, or to give another value."""
    replace_all: bool = False
    """Remove every item that is not in ``items``."""
    removed: str | None = None
    """The key of an item to remove."""


def change_items(old: Mapping[str, str], change: MetadataChange) -> dict[str, str]:
    """Return the metadata after a change; raise when the removed item is missing or too many items would remain."""
    if change.removed is not None and change.removed not in old:
        raise MetadataItemNotFound
    kept = {} if change.replace_all else {key: value for key, value in old.items() if key != change.removed}
    new = {**kept, **change.items}
    if len(new) > METADATA_ITEMS_MAX:
        raise TooManyMetadataItems(limit=METADATA_ITEMS_MAX)
    return new
