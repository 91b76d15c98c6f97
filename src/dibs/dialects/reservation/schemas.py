"""The schemas of bodies about leases, for the OpenAPI document only; ``documents`` parses and checks bodies."""

from dibs.dialects.reservation.documents.values import BEFORE_END_ACTIONS, NAME_LENGTH_MAX, NUMBER_MAX
from dibs.documents.json_schema import Schema
from dibs.leases.model.leases import RESERVATIONS_MAX, RESOURCE_TYPES

_COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": NUMBER_MAX}
_SIZE: Schema = {"type": "integer", "minimum": 0, "maximum": NUMBER_MAX}
_REQUIREMENTS: Schema = {
    "type": "string",
    "description": 'JSON in a string, such as ["==", "$gpu", "a100"]; may be empty.',
}
_DATE: Schema = {"type": "string", "description": "YYYY-MM-DD HH:MM in UTC, or now."}

_PARTS = {
    "min": {**_COUNT, "description": "physical:host: minimum number of hosts."},
    "max": {**_COUNT, "description": "physical:host: maximum number of hosts."},
    "hypervisor_properties": _REQUIREMENTS,
    "resource_properties": _REQUIREMENTS,
    "before_end": {"enum": [*BEFORE_END_ACTIONS, "", None]},
    "vcpus": _SIZE,
    "memory_mb": _SIZE,
    "disk_gb": _SIZE,
    "amount": {**_COUNT, "description": "Number of instances."},
    "affinity": {
        "type": ["boolean", "string", "null"],
        "description": "true: all on one host; false: each on another host; null: no preference.",
    },
    "flavor_id": {"type": "string", "description": "flavor:instance: ID of the flavor of the instances."},
}
_DATES = {"start_date": _DATE, "end_date": _DATE, "before_end_date": {**_DATE, "type": ["string", "null"]}}
_NAME: Schema = {"type": "string", "maxLength": NAME_LENGTH_MAX}

NEW: Schema = {
    "type": "object",
    "properties": {
        "name": _NAME,
        **_DATES,
        "reservations": {
            "type": "array",
            "maxItems": RESERVATIONS_MAX,
            "items": {
                "type": "object",
                "properties": {"resource_type": {"enum": list(RESOURCE_TYPES)}, **_PARTS},
                "required": ["resource_type"],
            },
        },
        "events": {"type": "array"},
    },
    "required": ["name", "start_date", "end_date"],
}
CHANGED: Schema = {
    "type": "object",
    "properties": {
        "name": _NAME,
        **_DATES,
        "reservations": {
            "type": "array",
            "maxItems": RESERVATIONS_MAX,
            "items": {"type": "object", "properties": {"id": {"type": "string"}, **_PARTS}, "required": ["id"]},
        },
    },
}
