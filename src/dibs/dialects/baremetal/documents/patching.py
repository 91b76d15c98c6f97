"""JSON patch: reading one, and applying it to a document of plain values."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import jsonpatch
import jsonpointer

from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange
from dibs.dialects.baremetal.schemas import PATCH

Operation = Mapping[str, Any]

# The library lets Python's own errors through when a path leads into text or a number.
_FAILURES = (
    jsonpatch.JsonPatchException,
    jsonpointer.JsonPointerException,
    TypeError,
    KeyError,
    IndexError,
    ValueError,
    AttributeError,
)


def read_patch(exchange: Exchange, since: Mapping[str, int]) -> list[Operation]:
    """The operations of a request. ``since`` has every attribute that may be patched, with its first version."""
    operations: list[Operation] = exchange.body("patch", PATCH)
    for operation in operations:
        if operation["op"] != "remove" and "value" not in operation:
            raise bad_request(f"Schema error for patch: {operation['op']} {operation['path']} needs a value")
        root = root_of(operation)
        if root not in since:
            allowed = ", ".join(since)
            raise bad_request(f"Cannot patch {operation['path']}. Only the following can be updated: {allowed}")
        if since[root] > exchange.minor:
            raise not_acceptable()
    return operations


def root_of(operation: Operation) -> str:
    """The attribute that an operation is about."""
    root: str = operation["path"].split("/")[1]
    return root.replace("~1", "/").replace("~0", "~")


def given_values(operations: Sequence[Operation]) -> list[tuple[str, Any]]:
    """Each attribute that is touched, with the value given to it as a whole or None."""
    return [(root_of(operation), operation.get("value")) for operation in operations]


def apply_patch(document: Mapping[str, Any], operations: Sequence[Operation]) -> dict[str, Any]:
    """The document after all operations; 400 names the first that cannot be applied."""
    patched: dict[str, Any] = copy.deepcopy(dict(document))
    for operation in operations:
        try:
            patched = jsonpatch.apply_patch(patched, [copy.deepcopy(operation)], in_place=True)
        except _FAILURES as error:
            reason = error.args[0] if error.args else type(error).__name__
            raise bad_request(
                f"Couldn't apply patch '{ {'op': operation['op'], 'path': operation['path']} }'. Reason: {reason}"
            ) from error
    return patched
