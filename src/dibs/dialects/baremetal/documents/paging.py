"""Pages of a list and the link to the next one."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from dibs.dialects.baremetal.exchange import Exchange, json_answer
from dibs.http.messages import Response

LIST_QUERY: Mapping[str, Mapping[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "description": "At most so many; 1000 at most."},
    "marker": {"type": "string", "description": "Begin after this one, the last of the page before."},
    "sort_key": {"type": "string"},
    "sort_dir": {"enum": ["asc", "desc"]},
}
"""Parameters that every paged list has."""


def page_answer(
    exchange: Exchange, noun: str, entries: Sequence[dict[str, Any]], last: str | None, limit: int
) -> Response:
    """One page. A full one links to the next with every parameter of the request, so that no filter is lost on the way.

    Quirk not copied: Ironic's link forgets most filters, and names fields that nobody asked for (contract sample 057).
    """
    document: dict[str, Any] = {noun: entries}
    if last is not None and len(entries) >= limit:
        kept = [(name, value) for name, value in exchange.query.pairs if name not in ("marker", "limit")]
        query = urlencode([*kept, ("limit", limit), ("marker", last)], quote_via=quote, safe=",")
        document["next"] = f"{exchange.request.base_url}{quote(exchange.request.path)}?{query}"
    return json_answer(document)
