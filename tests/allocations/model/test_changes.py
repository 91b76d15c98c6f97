"""What a JSON patch changes in an allocation."""

import pytest

from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.changes import changes_of
from dibs.documents.json_patch import PatchOperation
from dibs.errors import BadValue

ALLOCATION = Allocation(id=1, uuid="a", name="web", extra={"a": 1}, created_at=0)


def test_only_attributes_that_differ_are_returned() -> None:
    patch = (PatchOperation("replace", "/name", "web"), PatchOperation("add", "/extra/b", 2))
    assert changes_of(ALLOCATION, patch) == {"extra": {"a": 1, "b": 2}}
    assert ALLOCATION.extra == {"a": 1}


def test_removed_attributes_are_empty() -> None:
    patch = (PatchOperation("remove", "/name"), PatchOperation("remove", "/extra"))
    assert changes_of(ALLOCATION, patch) == {"name": None, "extra": {}}


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (PatchOperation("add", "/name", 7), "Schema error for patch: 7 is not of type"),
        (PatchOperation("add", "/name", "no spaces"), "Cannot update allocation with invalid name 'no spaces'"),
        (PatchOperation("add", "/extra/nul", "\0"), "extra"),
        (PatchOperation("remove", "/extra/missing"), "Couldn't apply patch"),
    ],
)
def test_values_that_an_allocation_cannot_have_are_refused(operation: PatchOperation, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        changes_of(ALLOCATION, (operation,))
