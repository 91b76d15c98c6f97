"""What has to be done at a compute service outside because of leases, after the transaction that wants it.

Each is repeated until it succeeds, so each must be harmless when it is done twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

MAKE_FLAVORS = "make_flavors"
OPEN_FLAVORS = "open_flavors"
CLEAR_UP = "clear_up"
TELL_END = "tell_end"

FIRST_PAUSE_SECONDS = 1
LONGEST_PAUSE_SECONDS = 300
CALL_SECONDS = 120
"""How long a call may take before another conductor may take the errand for forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One thing to be done."""

    id: int
    kind: str
    lease: str
    """The uuid of the lease that wants it. Errands of a lease are done one after the other."""
    arguments: Mapping[str, Any]
    attempts: int
    due_at: int
    last_error: str | None = None
    created_at: int


class ComputeOutside(Protocol):
    """A compute service that is not ours, such as Nova. Each call may be repeated."""

    def make_flavors(self, flavors: Sequence[Mapping[str, Any]]) -> None:
        """Make private flavors; one that is there but different is made anew."""

    def open_flavors(self, flavors: Sequence[str], project: str | None) -> None:
        """Let a project use private flavors."""

    def clear_up(self, flavors: Sequence[str], hosts: Sequence[str]) -> bool:
        """Delete the servers of flavors and those on hosts, and then the flavors; False while servers are going."""


def pause_after(attempts: int) -> int:
    """How many microseconds to wait before an errand that failed so often is tried again."""
    seconds = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS << min(attempts, 16))
    return seconds * 1_000_000
