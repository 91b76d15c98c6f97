"""JSON schemas of request bodies; the OpenAPI document uses them too.

The schemas of nodes and ports are in ``machines.model``, because a patch is checked inside the transaction.
"""

from dibs.documents.json_schema import FREE_FORM, ITEMS_MAX, TEXT_LENGTH_MAX
from dibs.documents.json_schema import Schema as Schema
from dibs.ledger.model.traits import TRAIT_LENGTH_MAX
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX

_STEP_INTERFACES = ("vendor", "power", "management", "firmware", "deploy", "bios", "raid", "network")
_IDENT = {"type": "string", "maxLength": 255}
_TEXT_OR_NULL = {"type": ["string", "null"], "maxLength": TEXT_LENGTH_MAX}
_FLAG = {"type": ["string", "boolean", "null"], "maxLength": 255}
_NUMBER = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,9}$", "maxLength": 9}]}
_STEP_NAME = {"type": "string", "minLength": 1, "maxLength": 255}
_CONFIG_DRIVE_LENGTH_MAX = 4 * 1024 * 1024
"""The default size of a request body, which a config drive nearly fills."""


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
    "properties": {
        "traits": {
            "type": "array",
            "items": {"type": "string", "maxLength": TRAIT_LENGTH_MAX},
            "maxItems": ITEMS_MAX,
        }
    },
    "additionalProperties": False,
}

MAINTENANCE: Schema = {"type": "object", "properties": {"reason": _TEXT_OR_NULL}, "additionalProperties": False}

POWER: Schema = {
    "type": "object",
    "properties": {"target": _IDENT, "timeout": {"type": ["integer", "null"], "maximum": 1_000_000_000}},
    "additionalProperties": False,
}

BOOT_DEVICE: Schema = {
    "type": "object",
    "properties": {"boot_device": _IDENT, "persistent": _FLAG},
    "additionalProperties": False,
}

VIF: Schema = {
    "type": "object",
    "properties": {
        "id": _IDENT,
        "port_uuid": _IDENT,
        "portgroup_uuid": _IDENT,
    },
    "required": ["id"],
    "maxProperties": 20,
}

_STEPS: Schema = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {
            "interface": {"enum": list(_STEP_INTERFACES)},
            "step": _STEP_NAME,
            "args": {**FREE_FORM, "type": "object"},
            "order": _NUMBER,
            "execute_on_child_nodes": {"type": "boolean"},
            "limit_child_node_execution": {"type": "array", "items": _IDENT, "maxItems": ITEMS_MAX},
        },
        "required": ["interface", "step"],
        "additionalProperties": False,
    },
    "maxItems": ITEMS_MAX,
}
_DEPLOY_STEPS: Schema = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {
            "interface": {"enum": list(_STEP_INTERFACES)},
            "step": _STEP_NAME,
            "args": {**FREE_FORM, "type": "object"},
            "priority": _NUMBER,
        },
        "required": ["interface", "step", "args", "priority"],
        "additionalProperties": False,
    },
    "maxItems": ITEMS_MAX,
}
_CONFIG_DRIVE: Schema = {
    "type": ["object", "string", "null"],
    "maxLength": _CONFIG_DRIVE_LENGTH_MAX,
    "properties": {
        "meta_data": {"type": "object", "maxProperties": ITEMS_MAX},
        "network_data": {"type": "object", "maxProperties": ITEMS_MAX},
        "user_data": {
            "type": ["object", "array", "string", "null"],
            "maxProperties": ITEMS_MAX,
            "maxItems": ITEMS_MAX,
            "maxLength": _CONFIG_DRIVE_LENGTH_MAX,
        },
        "vendor_data": {"type": "object", "maxProperties": ITEMS_MAX},
    },
    "additionalProperties": False,
}

PROVISION: Schema = {
    "type": "object",
    "properties": {
        "target": _IDENT,
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
        "instance_uuid": {**_IDENT, "description": "The instance that the node is reserved for."},
        "node_uuid": {
            "type": "array",
            "items": _IDENT,
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
        "candidate_nodes": {"type": ["array", "null"], "items": _IDENT, "maxItems": ITEMS_MAX},
        "extra": FREE_FORM,
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
