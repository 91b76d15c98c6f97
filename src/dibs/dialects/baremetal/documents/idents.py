"""Identifiers of resources in paths and bodies: a uuid or a name."""

import re
from urllib.parse import quote

from dibs.dialects.baremetal.errors import Refusal
from dibs.dialects.baremetal.exchange import Exchange
from dibs.machines.model.nodes import is_uuid

NAMES_SINCE = 5

# Characters that need no escape in a URL. A name that cannot exist is not found.
_IDENT = re.compile(r"[A-Za-z0-9._~-]{1,255}\Z")


def read_ident(noun: str, text: str, minor: int) -> str:
    """Return a uuid in lower case, or a name; raise a 400 for anything else."""
    if is_uuid(text):
        return text.lower()
    if minor < NAMES_SINCE or not _IDENT.match(text):
        raise Refusal(400, f"Expected UUID or name for {noun}: {text}", framework=True)
    return text


def node_in_path(exchange: Exchange) -> str:
    """Return the uuid or name of the node in the path."""
    return read_ident("node", exchange.arguments["node"], exchange.minor)


def location(exchange: Exchange, *parts: str) -> tuple[tuple[str, str], ...]:
    """Return the Location header of a resource."""
    return (("Location", exchange.url(*(quote(part, safe="") for part in parts))),)
