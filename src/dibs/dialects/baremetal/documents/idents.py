"""What stands for a resource in a path or a body: a uuid, or a name."""

import re
from urllib.parse import quote

from dibs.dialects.baremetal.errors import Refusal, bad_request
from dibs.dialects.baremetal.exchange import Exchange
from dibs.errors import BadValue
from dibs.machines.model.nodes import check_node_name, is_uuid

NAMES_SINCE = 5

RESERVED_NAMES = ("maintenance", "management", "states", "vendor_passthru", "detail", "validate")
"""Words that stand where a name may stand in a path."""

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


def check_name(name: str, complaint: str) -> None:
    """Refuse a node's new name; ``complaint`` comes before it in the message."""
    try:
        check_node_name(name)
    except BadValue as error:
        raise bad_request(f"{complaint} '{name}'") from error
    if name in RESERVED_NAMES:
        raise bad_request(
            f'The word "{name}" is reserved and can not be used as a node name. '
            f"Reserved words are: {', '.join(RESERVED_NAMES)}."
        )


def location(exchange: Exchange, *parts: str) -> tuple[tuple[str, str], ...]:
    """The header that says where the result is."""
    return (("Location", exchange.url(*(quote(part, safe="") for part in parts))),)
