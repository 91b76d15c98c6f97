"""Pages of a list, and the link to the next page."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from dibs.dialects.compute.errors import bad_request
from dibs.dialects.compute.exchange import Exchange
from dibs.dialects.compute.schemas import Schema

LIMIT_MAX = 1_000
QUERY: Mapping[str, Schema] = {
    "limit": {
        "type": "integer",
        "minimum": 0,
        "description": f"Maximum number of entries on a page, up to {LIMIT_MAX}.",
    },
    "marker": {"type": "string", "description": "ID of the last entry of the previous page."},
}


def read_limit(exchange: Exchange) -> int:
    """Return the number of entries of a page. Quirk: Nova takes 0 for no limit."""
    text = exchange.query("limit")
    if text is None:
        return LIMIT_MAX
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise bad_request(f"Invalid input for query parameters limit. Value: {text}. limit must be >= 0")
    return min(int(text) or LIMIT_MAX, LIMIT_MAX)


def read_number(exchange: Exchange, name: str) -> int:
    """Return the number of a filter; 0 when the query has none."""
    text = exchange.query(name)
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise bad_request(f"Invalid {name} filter [{text}]")
    return int(text)


def page_document(
    exchange: Exchange, noun: str, entries: Sequence[dict[str, Any]], last: str | None, limit: int, *, cut: bool = False
) -> dict[str, Any]:
    """Return one page; a full one, or one that its size has cut, links to the next with all parameters."""
    document: dict[str, Any] = {noun: entries}
    if last is not None and entries and (cut or len(entries) >= limit):
        kept = [(name, value) for name, value in exchange.request.query if name != "marker"]
        query = urlencode([*kept, ("marker", last)])
        href = f"{exchange.request.base_url}{quote(exchange.request.path)}?{query}"
        document[f"{noun}_links"] = [{"rel": "next", "href": href}]
    return document
