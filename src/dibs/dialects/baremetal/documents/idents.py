"""What stands for a resource in a path or a body: a uuid, or a name."""

import re
from urllib.parse import quote

from dibs.dialects.baremetal.errors import Refusal
from dibs.dialects.baremetal.exchange import Exchange
from dibs.machines.model.nodes import is_uuid

NAMES_SINCE = 5

# What needs no escape in a URL. A name that could not be created is simply not found.
_IDENT = re.compile(r"[A-Za-z0-9._~-]{1,255}\Z")


def read_ident(noun: str, text: str, minor: int) -> str:
    """A uuid in lower case, or a name; 400 for what can be neither."""
    if is_uuid(text):
        return text.lower()
    if minor < NAMES_SINCE or not _IDENT.match(text):
        raise Refusal(400, f"Expected UUID or name for {noun}: {text}", framework=True)
    return text


def node_in_path(exchange: Exchange) -> str:
    """The node that the path names."""
    return read_ident("node", exchange.arguments["node"], exchange.minor)


def location(exchange: Exchange, *parts: str) -> tuple[tuple[str, str], ...]:
    """The header that says where the result is."""
    return (("Location", exchange.url(*(quote(part, safe="") for part in parts))),)
