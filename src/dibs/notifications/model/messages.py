"""What a notification says."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

BAREMETAL = "baremetal"
LEASES = "leases"
FAMILIES = (BAREMETAL, LEASES)
"""The services whose consumers listen, each on topics of its own."""

INFO = "info"
ERROR = "error"


class Message(Struct, frozen=True, kw_only=True):
    """The type and the payload of a notification."""

    family: str
    event_type: str
    level: str = INFO
    payload: Mapping[str, Any]
