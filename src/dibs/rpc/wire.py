"""Actors and refusals as JSON."""

from typing import Any

from dibs.access.actor import Actor
from dibs.errors import BadValue, DibsError, every_error

Json = dict[str, Any]

REFUSED = -32000
"""The code of a refusal by the ledger; ``data`` names its class and details, so that the caller can raise the same."""


def write_actor(actor: Actor) -> Json:
    """The caller of the API, on whose behalf the conductor acts."""
    return {
        "user": actor.user,
        "project": actor.project,
        "roles": sorted(actor.roles),
        "system_scope": actor.system_scope,
    }


def read_actor(document: Json) -> Actor:
    """The inverse of write_actor."""
    return Actor(**{**document, "roles": frozenset(document["roles"])})


def write_refusal(error: DibsError) -> Json:
    """A domain error as the error of JSON-RPC."""
    return {
        "code": REFUSED,
        "message": str(error),
        "data": {"error": type(error).__name__, "details": {name: _plain(it) for name, it in error.details.items()}},
    }


def read_refusal(document: Json) -> DibsError:
    """The domain error that the conductor met. One that this version does not know is told in its own words."""
    data = document.get("data") or {}
    for known in every_error():
        if known.__name__ == data.get("error"):
            return known(**data["details"])
    return BadValue(reason=str(document.get("message")))


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | list | dict | None) else str(value)
