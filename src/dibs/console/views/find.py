"""Find a machine: dates first, then what it must be; yes, or what is in the way and what would be possible."""

from dibs.console.answers import find_answer
from dibs.console.booking import read_request
from dibs.console.exchange import Exchange
from dibs.http.messages import Response

_PARTS = {"panel": "panel.html", "answer": "answer.html"}
"""What the user's page shows the answer in: the panel beside the timeline, or the place below the form."""


def show(exchange: Exchange) -> Response:
    """GET /find"""
    request = read_request(exchange, exchange.query)
    # The page asks nothing before the user does.
    answer = find_answer(exchange, request) if exchange.query.get("start") else None
    target = exchange.request.headers.get("hx-target", "") if exchange.is_part else ""
    return exchange.page(
        _PARTS.get(target, "find.html"),
        request=request,
        fields=request.fields(exchange.zone),
        answer=answer,
        command=request.command,
    )
