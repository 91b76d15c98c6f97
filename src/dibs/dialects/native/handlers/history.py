"""The past of nodes."""

from collections.abc import Mapping

from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.dialects.native.times import read_time, render_time
from dibs.documents.json_schema import Schema
from dibs.events.model.documents import state_document
from dibs.http.messages import Response
from dibs.reports.operations.history import ShowNodeAt, show_node_at

QUERY: Mapping[str, Schema] = {
    "at": {
        "type": "string",
        "maxLength": 64,
        "description": "ISO 8601 timestamp, in UTC unless it has an offset. Required.",
    },
}


def show_node(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/history"""
    asked = exchange.query(QUERY)
    if "at" not in asked:
        raise Refusal(400, "The query parameter at is required.")
    try:
        moment = read_time(asked["at"])
    except ValueError:
        raise Refusal(400, f"The query parameter at is not a valid ISO 8601 timestamp: {asked['at']}") from None
    found = exchange.read(show_node_at, ShowNodeAt(ident=exchange.arguments["node"], moment=moment))
    return json_answer({"uuid": found.uuid, "at": render_time(moment), "node": state_document(found.attributes)})
