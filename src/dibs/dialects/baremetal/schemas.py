"""JSON schemas of request bodies; the OpenAPI document uses them too.

The schemas of nodes and ports are in ``machines.model``, because a patch is checked inside the transaction.
"""

from dibs.documents.json_schema import Schema as Schema
from dibs.ledger.model.traits import TRAIT_LENGTH_MAX
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX

_STEP_INTERFACES = ("vendor", "power", "management", "firmware", "deploy", "bios", "raid", "network")
_TEXT_OR_NULL = {"type": ["string", "null"]}
_FLAG = {"type": ["string", "boolean", "null"]}
_NUMBER = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,9}$"}]}


PATCH: Schema = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "op": {"enum": ["add", "replace", "remove"]},
            "path": {"type": "string", "pattern": "^/[^/]", "maxLength": 1024},
            "value": {},
        },
        "required": ["op", "path"],
        "additionalProperties": False,
    },
    "maxItems": 1000,
}

TRAITS: Schema = {
    "type": "object",
    "properties": {"traits": {"type": "array", "items": {"type": "string", "maxLength": TRAIT_LENGTH_MAX}}},
    "additionalProperties": False,
}

MAINTENANCE: Schema = {"type": "object", "properties": {"reason": _TEXT_OR_NULL}, "additionalProperties": False}

POWER: Schema = {
    "type": "object",
    "properties": {"target": {"type": "string"}, "timeout": {"type": ["integer", "null"], "maximum": 1_000_000_000}},
    "additionalProperties": False,
}

BOOT_DEVICE: Schema = {
    "type": "object",
    "properties": {"boot_device": {"type": "string"}, "persistent": _FLAG},
    "additionalProperties": False,
}

_STEPS: Schema = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {
            "interface": {"enum": list(_STEP_INTERFACES)},
            "step": {"type": "string", "minLength": 1},
            "args": {"type": "object"},
            "order": _NUMBER,
            "execute_on_child_nodes": {"type": "boolean"},
            "limit_child_node_execution": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["interface", "step"],
        "additionalProperties": False,
    },
}
_DEPLOY_STEPS: Schema = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {
            "interface": {"enum": list(_STEP_INTERFACES)},
            "step": {"type": "string", "minLength": 1},
            "args": {"type": "object"},
            "priority": _NUMBER,
        },
        "required": ["interface", "step", "args", "priority"],
        "additionalProperties": False,
    },
}
_CONFIG_DRIVE: Schema = {
    "type": ["object", "string", "null"],
    "properties": {
        "meta_data": {"type": "object"},
        "network_data": {"type": "object"},
        "user_data": {"type": ["object", "array", "string", "null"]},
        "vendor_data": {"type": "object"},
    },
    "additionalProperties": False,
}

PROVISION: Schema = {
    "type": "object",
    "properties": {
        "target": {"type": "string"},
        "configdrive": _CONFIG_DRIVE,
        "clean_steps": _STEPS,
        "deploy_steps": _DEPLOY_STEPS,
        "service_steps": _STEPS,
        "rescue_password": _TEXT_OR_NULL,
        "disable_ramdisk": _FLAG,
        "reservation_uuid": _TEXT_OR_NULL,
    },
    "additionalProperties": False,
}

_TTL = {
    "type": ["number", "null"],
    "description": "Seconds until the reservation expires; null for the server's default.",
}

RESERVATION: Schema = {
    "type": "object",
    "properties": {
        "instance_uuid": {"type": "string", "description": "The instance that the node is reserved for."},
        "node_uuid": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": 256,
            "description": "Nodes in order of preference; the first free one is reserved.",
        },
        "ttl_seconds": _TTL,
    },
    "required": ["instance_uuid", "node_uuid"],
    "additionalProperties": False,
}

RENEWAL: Schema = {"type": "object", "properties": {"ttl_seconds": _TTL}, "additionalProperties": False}

_NAME_OR_NULL: Schema = {**_TEXT_OR_NULL, "maxLength": 255}

ALLOCATION: Schema = {
    "type": "object",
    "properties": {
        "candidate_nodes": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 1000},
        "extra": {"type": ["object", "null"]},
        "name": _NAME_OR_NULL,
        "node": _TEXT_OR_NULL,
        "owner": _NAME_OR_NULL,
        "reservation_uuid": _TEXT_OR_NULL,
        "resource_class": _TEXT_OR_NULL,
        "traits": {
            "type": ["array", "null"],
            "items": {"type": "string", "maxLength": TRAIT_LENGTH_MAX},
            "maxItems": TRAITS_PER_NODE_MAX,
        },
        "uuid": _TEXT_OR_NULL,
    },
    "additionalProperties": False,
}
