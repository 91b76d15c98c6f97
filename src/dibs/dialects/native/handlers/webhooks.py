"""Webhooks: create, list, show, enable and delete them, and list their deliveries."""

import secrets
from collections.abc import Mapping
from typing import Any

from dibs.dialects.native.exchange import Exchange, json_answer, next_url
from dibs.dialects.native.times import render_time
from dibs.documents.json_schema import Schema
from dibs.http.exchange import empty_answer
from dibs.http.messages import Response
from dibs.webhooks.model.access import RULES
from dibs.webhooks.model.messages import SECRET_BYTES, new_secret
from dibs.webhooks.model.targets import URL_LENGTH_MAX
from dibs.webhooks.model.webhooks import STATES, Delivery, Webhook
from dibs.webhooks.operations import webhooks as operations

LIMIT_MAX = 1_000
LIMIT_DEFAULT = 100
TYPES_MAX = 100

NEW: Schema = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "minLength": 1, "maxLength": URL_LENGTH_MAX},
        "types": {
            "type": "array",
            "maxItems": TYPES_MAX,
            "items": {"type": "string", "maxLength": 64, "pattern": "^[a-z_]+([.][a-z_]+)?$"},
            "description": "Types of events, such as lease.started, or kinds of objects, such as lease. Default: all.",
        },
        "project": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "description": "The project whose events it receives; null for every project. Default: that of the caller.",
        },
    },
    "required": ["url"],
    "additionalProperties": False,
}
NOTHING: Schema = {"type": "object", "additionalProperties": False}
_LIMIT: Schema = {"type": "string", "pattern": "^[1-9][0-9]{0,3}$", "description": f"Page size; at most {LIMIT_MAX}."}
QUERY: Mapping[str, Schema] = {
    "limit": _LIMIT,
    "marker": {"type": "string", "maxLength": 255, "description": "Start after the webhook with this uuid."},
}
DELIVERIES_QUERY: Mapping[str, Schema] = {
    "state": {"enum": list(STATES), "description": "Only deliveries in this state."},
    "limit": _LIMIT,
    "marker": {"type": "string", "pattern": "^[0-9]{1,18}$", "description": "Start after the delivery with this id."},
}


def create_webhook(exchange: Exchange) -> Response:
    """POST /v1/webhooks"""
    RULES.visible(exchange.access)
    body = exchange.body(NEW)
    secret = new_secret(secrets.token_bytes(SECRET_BYTES))
    command = operations.CreateWebhook(
        url=body["url"],
        project=body.get("project", exchange.actor.project),
        types=tuple(sorted(set(body.get("types", ())))),
        secret=secret,
        targets=exchange.services.webhook_targets,
    )
    return json_answer({**render(exchange.write(operations.create_webhook, command)), "secret": secret}, 201)


def list_webhooks(exchange: Exchange) -> Response:
    """GET /v1/webhooks"""
    asked = exchange.query(QUERY)
    command = operations.ListWebhooks(limit=_limit(asked), marker=asked.get("marker"))
    found = exchange.read(operations.list_webhooks, command)
    document: dict[str, Any] = {"webhooks": [render(webhook) for webhook in found]}
    if len(found) == command.limit:
        document["next"] = next_url(exchange, asked, command.limit, found[-1].uuid)
    return json_answer(document)


def show_webhook(exchange: Exchange) -> Response:
    """GET /v1/webhooks/{webhook}"""
    return json_answer(render(exchange.read(operations.get_webhook, exchange.arguments["webhook"])))


def enable_webhook(exchange: Exchange) -> Response:
    """POST /v1/webhooks/{webhook}/enable"""
    exchange.body(NOTHING)
    return json_answer(render(exchange.write(operations.enable_webhook, exchange.arguments["webhook"])))


def delete_webhook(exchange: Exchange) -> Response:
    """DELETE /v1/webhooks/{webhook}"""
    exchange.write(operations.delete_webhook, exchange.arguments["webhook"])
    return empty_answer(204)


def list_deliveries(exchange: Exchange) -> Response:
    """GET /v1/webhooks/{webhook}/deliveries"""
    asked = exchange.query(DELIVERIES_QUERY)
    command = operations.ListDeliveries(
        webhook=exchange.arguments["webhook"],
        state=asked.get("state"),
        marker=int(asked["marker"]) if "marker" in asked else None,
        limit=_limit(asked),
    )
    found = exchange.read(operations.list_deliveries, command)
    document: dict[str, Any] = {"deliveries": [_render_delivery(delivery) for delivery in found]}
    if len(found) == command.limit:
        document["next"] = next_url(exchange, asked, command.limit, str(found[-1].id))
    return json_answer(document)


def render(webhook: Webhook) -> dict[str, Any]:
    """Return a webhook as JSON."""
    return {
        "uuid": webhook.uuid,
        "project": webhook.project_id,
        "url": webhook.url,
        "types": list(webhook.types),
        "state": "enabled" if webhook.disabled_at is None else "disabled",
        "disabled_at": render_time(webhook.disabled_at),
        "disabled_reason": webhook.disabled_reason,
        "failures": webhook.failures,
        "failing_since": render_time(webhook.failing_since),
        "last_error": webhook.last_error,
        "delivered_at": render_time(webhook.delivered_at),
        "created_at": render_time(webhook.created_at),
    }


def _render_delivery(delivery: Delivery) -> dict[str, Any]:
    pending = delivery.finished_at is None
    return {
        "id": delivery.id,
        "type": delivery.type,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "last_status": delivery.last_status,
        "last_error": delivery.last_error,
        "retry_at": render_time(delivery.due_at) if pending else None,
        "created_at": render_time(delivery.created_at),
        "finished_at": render_time(delivery.finished_at),
    }


def _limit(asked: Mapping[str, str]) -> int:
    return min(int(asked.get("limit", LIMIT_DEFAULT)), LIMIT_MAX)
