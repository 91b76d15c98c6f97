"""The past of nodes."""

from collections.abc import Mapping

from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer, read_moment
from dibs.dialects.native.times import render_time
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
    moment = read_moment(exchange.query(QUERY), "at")
    if moment is None:
        raise Refusal(400, "The query parameter at is required.")
    found = exchange.read(show_node_at, ShowNodeAt(ident=exchange.arguments["node"], moment=moment))
    return json_answer({"uuid": found.uuid, "at": render_time(moment), "node": state_document(found.attributes)})
