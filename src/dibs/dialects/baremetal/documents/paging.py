"""Pages of a list, with the link to the next page."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from dibs.dialects.baremetal.exchange import Exchange, json_answer
from dibs.http.messages import Response

LIST_QUERY: Mapping[str, Mapping[str, Any]] = {
    "limit": {
        "type": "integer",
        "minimum": 1,
        "description": "Maximum number of entries; 1000 at most. A large page has fewer.",
    },
    "marker": {"type": "string", "description": "The last entry of the previous page."},
    "sort_key": {"type": "string"},
    "sort_dir": {"enum": ["asc", "desc"]},
}
"""Parameters of every paged list."""


def page_answer(
    exchange: Exchange, noun: str, entries: Sequence[object], last: str | None, limit: int, *, cut: bool = False
) -> Response:
    """Return one page; a full page, or one that its size has cut, links to the next with every parameter.

    Quirk not copied: Ironic's link omits most filters and adds fields that the request does not have (contract sample
    057).
    """
    document: dict[str, Any] = {noun: entries}
    if last is not None and (cut or len(entries) >= limit):
        kept = [(name, value) for name, value in exchange.query.pairs if name not in ("marker", "limit")]
        query = urlencode([*kept, ("limit", limit), ("marker", last)], quote_via=quote, safe=",")
        document["next"] = f"{exchange.request.base_url}{quote(exchange.request.path)}?{query}"
    return json_answer(document)
