"""Pages of a list and the link to the next one."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from dibs.dialects.compute.errors import bad_request
from dibs.dialects.compute.exchange import Exchange
from dibs.dialects.compute.schemas import Schema

LIMIT_MAX = 1_000
QUERY: Mapping[str, Schema] = {
    "limit": {"type": "integer", "minimum": 0, "description": f"At most so many; {LIMIT_MAX} at most."},
    "marker": {"type": "string", "description": "Begin after this one, the last of the page before."},
}


def read_limit(exchange: Exchange) -> int:
    """How many a page may have. Quirk: 0 is no limit of the caller's."""
    text = exchange.query("limit")
    if text is None:
        return LIMIT_MAX
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise bad_request(f"Invalid input for query parameters limit. Value: {text}. limit must be >= 0")
    return min(int(text) or LIMIT_MAX, LIMIT_MAX)


def read_number(exchange: Exchange, name: str) -> int:
    """A number that a filter compares with; 0 when there is none."""
    text = exchange.query(name)
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise bad_request(f"Invalid {name} filter [{text}]")
    return int(text)


def page_document(
    exchange: Exchange, noun: str, entries: Sequence[dict[str, Any]], last: str | None, limit: int
) -> dict[str, Any]:
    """One page; a full one links to the next with every parameter of the request."""
    document: dict[str, Any] = {noun: entries}
    if last is not None and entries and len(entries) >= limit:
        kept = [(name, value) for name, value in exchange.request.query if name != "marker"]
        query = urlencode([*kept, ("marker", last)])
        href = f"{exchange.request.base_url}{quote(exchange.request.path)}?{query}"
        document[f"{noun}_links"] = [{"rel": "next", "href": href}]
    return document
