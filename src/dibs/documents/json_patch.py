"""JSON patches (RFC 6902) as frozen data, and how a document changes by one.

A dialect parses a patch, a command carries it into the transaction, and an operation applies it to the document that it
reads there. So two clients that patch one resource at the same time both keep their changes.
"""

import copy
from collections.abc import Mapping
from typing import Any

import jsonpatch
import jsonpointer
from msgspec import Struct

from dibs.errors import BadValue

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


class PatchOperation(Struct, frozen=True):
    """One operation of a patch."""

    op: str
    """``add``, ``replace`` or ``remove``."""
    path: str
    value: Any = None
    """The JSON value of ``add`` and ``replace``."""

    @property
    def root(self) -> str:
        """The attribute of the document that the operation changes: the first part of its path."""
        return self.path.split("/")[1].replace("~1", "/").replace("~0", "~")


Patch = tuple[PatchOperation, ...]


def roots_of(patch: Patch) -> frozenset[str]:
    """Return the attributes that a patch changes."""
    return frozenset(operation.root for operation in patch)


def apply_patch(document: Mapping[str, Any], patch: Patch) -> dict[str, Any]:
    """Return a copy of the document after all operations; BadValue names the first that cannot be applied."""
    patched: dict[str, Any] = copy.deepcopy(dict(document))
    for operation in patch:
        described = {"op": operation.op, "path": operation.path}
        try:
            step = {**described, "value": copy.deepcopy(operation.value)}
            patched = jsonpatch.apply_patch(patched, [step], in_place=True)
        except _FAILURES as error:
            reason = error.args[0] if error.args else type(error).__name__
            raise BadValue(reason=f"Couldn't apply patch '{described}'. Reason: {reason}") from error
    return patched
