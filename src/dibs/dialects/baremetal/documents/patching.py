"""Parse the JSON patch of a request."""

from collections.abc import Mapping

from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange
from dibs.dialects.baremetal.schemas import PATCH
from dibs.documents.json_patch import Patch, PatchOperation


def read_patch(exchange: Exchange, since: Mapping[str, int]) -> Patch:
    """Return the operations of a request; ``since`` has every attribute that may be patched, with its first version."""
    patch: list[PatchOperation] = []
    for sent in exchange.body("patch", PATCH):
        operation = PatchOperation(sent["op"], sent["path"], sent.get("value"))
        if operation.op != "remove" and "value" not in sent:
            raise bad_request(f"Schema error for patch: {operation.op} {operation.path} needs a value")
        if operation.root not in since:
            allowed = ", ".join(since)
            raise bad_request(f"Cannot patch {operation.path}. Only the following can be updated: {allowed}")
        if since[operation.root] > exchange.minor:
            raise not_acceptable()
        patch.append(operation)
    return tuple(patch)
