"""Calendars: create, list, show and delete them. ``feeds`` shows what they contain."""

import secrets
from collections.abc import Mapping
from typing import Any

from dibs.calendars.model.access import RULES
from dibs.calendars.model.calendars import TOKEN_BYTES, Calendar, digest_of, feed_path
from dibs.calendars.operations import calendars as operations
from dibs.dialects.native.exchange import Exchange, json_answer, next_url
from dibs.dialects.native.times import render_time
from dibs.documents.json_schema import Schema
from dibs.http.exchange import empty_answer
from dibs.http.messages import Response

LIMIT_MAX = 1_000
LIMIT_DEFAULT = 100

NEW: Schema = {
    "type": "object",
    "properties": {
        "project": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "description": "The project whose entries it shows; null for every project. Default: that of the caller.",
        },
        "mine": {"type": "boolean", "description": "Show only what the caller created."},
        "node": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "description": "Show only what occupies the node with this uuid or name.",
        },
    },
    "additionalProperties": False,
}
QUERY: Mapping[str, Schema] = {
    "limit": {"type": "string", "pattern": "^[1-9][0-9]{0,3}$", "description": f"Page size; at most {LIMIT_MAX}."},
    "marker": {"type": "string", "maxLength": 255, "description": "Start after the calendar with this uuid."},
}


def create_calendar(exchange: Exchange) -> Response:
    """POST /v1/calendars"""
    RULES.visible(exchange.access)
    body = exchange.body(NEW)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    command = operations.CreateCalendar(
        project=body.get("project", exchange.actor.project),
        mine=body.get("mine", False),
        node=body.get("node"),
        token_digest=digest_of(token),
    )
    made = exchange.write(operations.create_calendar, command)
    return json_answer({**_render(made), "url": f"{exchange.request.base_url}{feed_path(token)}"}, 201)


def list_calendars(exchange: Exchange) -> Response:
    """GET /v1/calendars"""
    asked = exchange.query(QUERY)
    limit = min(int(asked.get("limit", LIMIT_DEFAULT)), LIMIT_MAX)
    command = operations.ListCalendars(limit=limit, marker=asked.get("marker"))
    found = exchange.read(operations.list_calendars, command)
    document: dict[str, Any] = {"calendars": [_render(calendar) for calendar in found]}
    if len(found) == command.limit:
        document["next"] = next_url(exchange, asked, command.limit, found[-1].uuid)
    return json_answer(document)


def show_calendar(exchange: Exchange) -> Response:
    """GET /v1/calendars/{calendar}"""
    return json_answer(_render(exchange.read(operations.get_calendar, exchange.arguments["calendar"])))


def delete_calendar(exchange: Exchange) -> Response:
    """DELETE /v1/calendars/{calendar}"""
    exchange.write(operations.delete_calendar, exchange.arguments["calendar"])
    return empty_answer(204)


def _render(calendar: Calendar) -> dict[str, Any]:
    return {
        "uuid": calendar.uuid,
        "project": calendar.project_id,
        "user": calendar.user_id,
        "node": calendar.node,
        "created_by": calendar.creator.user,
        "created_at": render_time(calendar.created_at),
    }
