"""The values of calendars and their entries."""

import hashlib

from msgspec import Struct

from dibs.access.actor import Actor

CALENDARS_MAX = 20
"""How many calendars one user may have in a project."""
ENTRIES_MAX = 400
"""How many leases, and how many allocations, a feed shows at most: those that end first."""

DAY = 24 * 60 * 60 * 1_000_000
PAST = 30 * DAY
FUTURE = 366 * DAY
"""A feed shows what overlaps the time from PAST before now to FUTURE after it."""

TOKEN_BYTES = 32
"""The random bytes of a token. Nobody guesses it, so a digest without a salt protects it."""

FEEDS_PREFIX = "/v1/feeds/"
FEED_SUFFIX = ".ics"

LEASE = "lease"
ALLOCATION = "allocation"


class Calendar(Struct, frozen=True, kw_only=True):
    """What a feed shows, and for whom."""

    id: int
    uuid: str
    project_id: str | None
    """Only entries of this project; None for every project that its creator sees."""
    user_id: str | None = None
    """Of these, only those of this user."""
    node: str | None = None
    """Of these, only those of the node with this uuid."""
    creator: Actor
    """The caller that created it, with the roles that it had then."""
    created_at: int


class Entry(Struct, frozen=True, kw_only=True):
    """A lease, or an allocation with an end."""

    kind: str
    uuid: str
    name: str
    project: str | None
    status: str
    start: int
    end: int
    changed_at: int
    nodes: tuple[str, ...] = ()
    """The names of its nodes, as far as the creator of the calendar sees them."""


class Feed(Struct, frozen=True, kw_only=True):
    """A calendar with its entries."""

    title: str
    entries: tuple[Entry, ...]


def feed_path(token: str) -> str:
    """Return the path, below the mount of Dibs' own API, of the feed that a token opens."""
    return f"{FEEDS_PREFIX}{token}{FEED_SUFFIX}"


def digest_of(token: str) -> str:
    """Return what the database knows of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
