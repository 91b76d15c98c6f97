"""Calls to external services that follow from changes to leases.

The transaction that changes a lease adds the call as a row, and a conductor makes it after the commit. A call is
retried until it succeeds, so every call must be idempotent.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

CREATE_FLAVORS = "create_flavors"
GRANT_FLAVORS = "grant_flavors"
CLEAN_UP = "clean_up"
NOTIFY_END = "notify_end"

FIRST_PAUSE_SECONDS = 1
LONGEST_PAUSE_SECONDS = 300
CALL_SECONDS = 120
"""After this time another conductor may repeat a call whose result was not recorded."""


class OutboxCall(Struct, frozen=True, kw_only=True):
    """A call to an external service that has not succeeded yet."""

    id: int
    kind: str
    lease: str
    """The uuid of the lease that the call is for. The calls of one lease are made in order, one at a time."""
    arguments: Mapping[str, Any]
    attempts: int
    due_at: int
    last_error: str | None = None
    created_at: int


class ComputeService(Protocol):
    """An external compute service, such as Nova, which keeps the flavors and servers of leases."""

    def create_flavors(self, flavors: Sequence[Mapping[str, Any]]) -> None:
        """Create private flavors; replace one that exists with other values."""

    def grant_flavors(self, flavors: Sequence[str], project: str | None) -> None:
        """Grant a project access to private flavors."""

    def clean_up(self, flavors: Sequence[str], hosts: Sequence[str]) -> bool:
        """Delete the servers of flavors and on hosts, then the flavors; return False while servers still exist."""


def pause_after(attempts: int) -> int:
    """Return the microseconds to wait before the next attempt: twice as long after each failure, up to a limit."""
    seconds = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS << min(attempts, 16))
    return seconds * 1_000_000
