"""Actors and domain errors as JSON."""

from typing import Any

from msgspec.structs import asdict

from dibs.access.actor import Actor
from dibs.errors import BadValue, DibsError, every_error

Json = dict[str, Any]

REFUSED = -32000
"""The code of a domain error; ``data`` has its class and details, so that the client can raise the same error."""


def write_actor(actor: Actor) -> Json:
    """Return the caller of the API as JSON; the conductor checks its access."""
    return {**asdict(actor), "roles": sorted(actor.roles)}


def read_actor(document: Json) -> Actor:
    """Return the actor that ``write_actor`` wrote."""
    return Actor(**{**document, "roles": frozenset(document["roles"])})


def write_refusal(error: DibsError) -> Json:
    """Return a domain error as an error of JSON-RPC."""
    return {
        "code": REFUSED,
        "message": str(error),
        "data": {"error": type(error).__name__, "details": {name: _plain(it) for name, it in error.details.items()}},
    }


def read_refusal(document: Json) -> DibsError:
    """Return the domain error that ``write_refusal`` wrote, or BadValue for a class that this version lacks."""
    data = document.get("data") or {}
    for known in every_error():
        if known.__name__ == data.get("error"):
            return known(**data["details"])
    return BadValue(reason=str(document.get("message")))


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | list | dict | None) else str(value)
