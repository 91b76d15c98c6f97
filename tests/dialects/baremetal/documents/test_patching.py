from types import SimpleNamespace
from typing import Any

import pytest

from dibs.dialects.baremetal.documents.patching import read_patch
from dibs.dialects.baremetal.errors import Refusal
from dibs.documents.json_patch import Patch, PatchOperation


def read(*sent: dict[str, Any], minor: int = 10) -> Patch:
    exchange: Any = SimpleNamespace(minor=minor, body=lambda name, schema: sent)
    return read_patch(exchange, {"name": 5, "extra": 1})


def test_a_patch_becomes_frozen_operations() -> None:
    assert read({"op": "add", "path": "/extra/a", "value": None}, {"op": "remove", "path": "/name"}) == (
        PatchOperation("add", "/extra/a", None),
        PatchOperation("remove", "/name"),
    )


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        ({"op": "add", "path": "/name"}, 400, "Schema error for patch: add /name needs a value"),
        (
            {"op": "remove", "path": "/uuid"},
            400,
            "Cannot patch /uuid. Only the following can be updated: name, extra",
        ),
        ({"op": "remove", "path": "/name"}, 406, "Request not acceptable."),
    ],
)
def test_an_operation_without_value_on_other_attributes_or_too_early_is_refused(
    sent: dict[str, Any], status: int, message: str
) -> None:
    with pytest.raises(Refusal) as caught:
        read(sent, minor=4)
    assert (caught.value.status, caught.value.message) == (status, message)
