"""JSON schemas of the bodies of responses, one per document; the OpenAPI document uses them."""

from dibs.allocations.model.allocations import STATES
from dibs.allocations.model.schedules import ALLOCATION as ALLOCATION_KIND
from dibs.allocations.model.schedules import HOLD, LEASE
from dibs.allocations.model.verdicts import Prospect
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import (
    FLAG,
    INTEGER,
    INTEGER_OR_NULL,
    LINKS,
    OBJECT,
    TEXT,
    TEXT_OR_NULL,
    TIME,
    TIME_OR_NULL,
    UUID,
    UUID_OR_NULL,
    by_name,
    document,
    list_of,
    record,
)
from dibs.leases.model.matching.offers import OfferKind
from dibs.webhooks.model.webhooks import STATES as DELIVERY_STATES

ERROR: Schema = document("Error", {"error": record({"code": TEXT, "message": TEXT})})

VERSIONS: Schema = document(
    "Versions", {"versions": list_of(record({"id": {"const": "v1"}, "status": TEXT, "links": LINKS}))}
)

ALLOCATION: Schema = document(
    "Allocation",
    {
        "uuid": UUID,
        "name": TEXT_OR_NULL,
        "state": {"enum": list(STATES)},
        "resource_class": TEXT_OR_NULL,
        "traits": list_of(TEXT),
        "candidate_nodes": list_of(TEXT),
        "extra": OBJECT,
        "owner": TEXT_OR_NULL,
        "node_uuid": UUID_OR_NULL,
        "last_error": TEXT_OR_NULL,
        "sticky": FLAG,
        "wait_until": TIME_OR_NULL,
        "keep_alive_seconds": {"type": ["number", "null"]},
        "alive_until": TIME_OR_NULL,
        "lifetime": {"type": ["integer", "null"]},
        "until": TIME_OR_NULL,
        "noticed_at": TIME_OR_NULL,
        "latest_start": TIME_OR_NULL,
        "depends_on": TEXT_OR_NULL,
        "moved_by": TEXT_OR_NULL,
        "batch": UUID_OR_NULL,
        "created_at": TIME,
        "updated_at": TIME_OR_NULL,
    },
    {"position": {"type": ["integer", "null"]}},
)
ALLOCATIONS: Schema = document("Allocations", {"allocations": list_of(ALLOCATION)}, {"next": TEXT})

RELEASED: Schema = document("Released", {"lease": UUID, "hosts": by_name(INTEGER)})
LATEST_END: Schema = document("LatestEnd", {"end": TIME_OR_NULL, "latest": TIME_OR_NULL, "reason": TEXT})

OFFER: Schema = document(
    "Offer",
    {
        "kind": {"enum": [kind.value for kind in OfferKind]},
        "text": TEXT,
        "request": record({"method": {"const": "POST"}, "path": TEXT, "body": OBJECT}),
        "command": TEXT,
    },
)
_REASONS = {
    "fits": FLAG,
    "reasons": by_name(INTEGER),
    "text": TEXT,
    "earliest": TIME_OR_NULL,
    "offers": list_of(OFFER),
}
_BLOCKING = record(
    {
        "kind": {"enum": [ALLOCATION_KIND, HOLD, LEASE]},
        "id": UUID_OR_NULL,
        "name": TEXT_OR_NULL,
        "project": TEXT_OR_NULL,
        "until": TIME_OR_NULL,
    }
)
_VERDICT = record(
    {
        "uuid": UUID,
        "name": TEXT_OR_NULL,
        "reason": TEXT_OR_NULL,
        "until": TIME_OR_NULL,
        "blocked_by": {**_BLOCKING, "type": ["object", "null"]},
    }
)
_STAGE = record({"parameter": TEXT, "value": TEXT, "remaining": INTEGER})
FUNNEL: Schema = document(
    "CandidateFunnel",
    {"total": INTEGER, "stages": list_of(_STAGE), "emptied_by": TEXT_OR_NULL, "complete": FLAG},
)
WHY_NODES: Schema = document("WhyNodes", {prospect.value: list_of(_VERDICT) for prospect in Prospect}, {"next": TEXT})
WHY: Schema = document("Why", {**_REASONS, "free": INTEGER, "quota": TEXT_OR_NULL})
_SEARCH = {**record({"result": TEXT, "steps": INTEGER}), "type": ["object", "null"]}
AVAILABILITY: Schema = document("Availability", {**_REASONS, "hosts": INTEGER, "search": _SEARCH})

_ACTOR = record({"user": TEXT_OR_NULL, "project": TEXT_OR_NULL})
EVENT: Schema = document(
    "Event",
    {
        "id": INTEGER,
        "time": TIME,
        "type": TEXT,
        "object": record({"kind": TEXT, "id": TEXT}),
        "node": UUID_OR_NULL,
        "project": TEXT_OR_NULL,
        "actor": _ACTOR,
        "request_id": TEXT_OR_NULL,
        "operation": TEXT,
        "before": {**OBJECT, "type": ["object", "null"]},
        "after": {**OBJECT, "type": ["object", "null"]},
    },
)
MESSAGES: Schema = {"type": "string", "description": "Server-sent events; the data of each is an Event."}
EVENTS: Schema = document("Events", {"events": list_of(EVENT)}, {"next": TEXT})

NODE_AT: Schema = document("NodeAt", {"uuid": UUID, "at": TIME, "node": OBJECT})

_UTILISATION = record(
    {
        "week": TEXT,
        "resource_class": TEXT,
        "project": TEXT_OR_NULL,
        "node_hours": {"type": "number"},
        "nodes": {"type": ["integer", "null"]},
        "share": {"type": ["number", "null"]},
    }
)
UTILISATION: Schema = document("Utilisation", {"since": TIME, "utilisation": list_of(_UTILISATION)})

_WEBHOOK: dict[str, Schema] = {
    "uuid": UUID,
    "project": TEXT_OR_NULL,
    "url": TEXT,
    "types": list_of(TEXT),
    "state": {"enum": ["enabled", "disabled"]},
    "disabled_at": TIME_OR_NULL,
    "disabled_reason": TEXT_OR_NULL,
    "failures": INTEGER,
    "failing_since": TIME_OR_NULL,
    "last_error": TEXT_OR_NULL,
    "delivered_at": TIME_OR_NULL,
    "created_at": TIME,
}
WEBHOOK: Schema = document("Webhook", _WEBHOOK)
NEW_WEBHOOK: Schema = document("NewWebhook", {**_WEBHOOK, "secret": TEXT})
WEBHOOKS: Schema = document("Webhooks", {"webhooks": list_of(WEBHOOK)}, {"next": TEXT})
_DELIVERY = record(
    {
        "id": INTEGER,
        "type": TEXT,
        "state": {"enum": list(DELIVERY_STATES)},
        "attempts": INTEGER,
        "last_status": {"type": ["integer", "null"]},
        "last_error": TEXT_OR_NULL,
        "retry_at": TIME_OR_NULL,
        "created_at": TIME,
        "finished_at": TIME_OR_NULL,
    }
)
DELIVERIES: Schema = document("Deliveries", {"deliveries": list_of(_DELIVERY)}, {"next": TEXT})
_CALENDAR: dict[str, Schema] = {
    "uuid": UUID,
    "project": TEXT_OR_NULL,
    "user": TEXT_OR_NULL,
    "node": TEXT_OR_NULL,
    "created_by": TEXT_OR_NULL,
    "created_at": TIME,
}
CALENDAR: Schema = document("Calendar", _CALENDAR)
NEW_CALENDAR: Schema = document("NewCalendar", {**_CALENDAR, "url": TEXT})
CALENDARS: Schema = document("Calendars", {"calendars": list_of(CALENDAR)}, {"next": TEXT})
ICALENDAR: Schema = {"type": "string", "description": "iCalendar, RFC 5545."}
_LIMITS = dict.fromkeys(("nodes", "node_hours", "lease_seconds", "queued"), INTEGER_OR_NULL)
QUOTA: Schema = document(
    "Quota",
    {
        "project": TEXT,
        "limits": list_of(record({"resource_class": TEXT_OR_NULL, **_LIMITS}, {"used": record(_LIMITS)})),
    },
)
_MAINTENANCE = {"name": TEXT, "start": TIME, "end": TIME, "hosts": list_of(TEXT)}
MAINTENANCE_PLAN: Schema = document(
    "MaintenancePlan",
    {
        "uuid": UUID_OR_NULL,
        **_MAINTENANCE,
        "moves": list_of(record({"lease": UUID, "before": list_of(TEXT), "after": list_of(TEXT)})),
    },
)
MAINTENANCE: Schema = document("Maintenance", {"maintenance": list_of(record({"uuid": UUID, **_MAINTENANCE}))})
SHARE: Schema = document("Share", {"project": TEXT, "weight": INTEGER, "average": {"type": "number"}, "nodes": INTEGER})
SHARES: Schema = document("Shares", {"shares": list_of(SHARE)}, {"next": TEXT})
QUOTAS: Schema = document("Quotas", {"quotas": list_of(QUOTA)}, {"next": TEXT})
