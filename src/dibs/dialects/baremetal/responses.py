"""JSON schemas of the bodies of responses, one per document; the OpenAPI document uses them.

Documents with a table of attributes (ports, allocations) have their schema from that table. Which attributes a
response has depends on the version and on ``fields=``, so most schemas only say which attributes there may be.
"""

from collections.abc import Mapping

from dibs.dialects.baremetal.discovery import RESOURCES_SINCE
from dibs.dialects.baremetal.documents.fields import BY_NAME, FIELDS, STATE_FIELDS
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import (
    FLAG,
    FLAG_OR_NULL,
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
from dibs.machines.model.patching.node_attributes import Kind

_OF_KIND: Mapping[Kind, Schema] = {
    Kind.TEXT: TEXT_OR_NULL,
    Kind.UUID: UUID_OR_NULL,
    Kind.FLAG: FLAG,
    Kind.OPTIONAL_FLAG: FLAG_OR_NULL,
    Kind.OBJECT: OBJECT,
    Kind.TIME: TIME_OR_NULL,
    Kind.NAMES: list_of(TEXT),
    Kind.LINKS: LINKS,
}

_VERSION = record({"id": TEXT, "links": LINKS, "status": TEXT, "min_version": TEXT, "version": TEXT})
VERSIONS: Schema = document(
    "Versions", {"name": TEXT, "description": TEXT, "default_version": _VERSION, "versions": list_of(_VERSION)}
)
VERSION: Schema = document(
    "Version",
    {"id": TEXT, "links": LINKS, "media_types": record({"base": TEXT, "type": TEXT}), "version": _VERSION},
    dict.fromkeys(RESOURCES_SINCE, LINKS),
)

NODE: Schema = document("Node", {}, {field.name: _OF_KIND[field.kind] for field in FIELDS})
STATES: Schema = document("States", {}, {name: _OF_KIND[BY_NAME[name].kind] for name in STATE_FIELDS})
TRAITS: Schema = document("Traits", {"traits": list_of(TEXT)})
VALIDATION: Schema = {
    "title": "Validation",
    **by_name(record({"result": FLAG}, {"reason": TEXT})),
    "description": "The result for each interface of the node.",
}
BOOT_DEVICE: Schema = document("BootDevice", {"boot_device": TEXT_OR_NULL, "persistent": FLAG_OR_NULL})
BOOT_DEVICES: Schema = document("BootDevices", {"supported_boot_devices": list_of(TEXT)})

_RESERVATION = record(
    {
        "uuid": UUID,
        "node_uuid": UUID,
        "instance_uuid": UUID,
        "project_id": TEXT_OR_NULL,
        "expires_at": TIME,
        "created_at": TIME,
        "updated_at": TIME_OR_NULL,
    }
)
RESERVATION: Schema = document("Reservation", {"reservation": _RESERVATION})

DRIVER: Schema = {
    **document(
        "Driver",
        {"links": LINKS},
        {"name": TEXT, "hosts": list_of(TEXT), "properties": LINKS, "type": {"const": "dynamic"}},
    ),
    "patternProperties": {"^default_.*_interface$": TEXT_OR_NULL, "^enabled_.*_interfaces$": list_of(TEXT)},
}
DRIVERS: Schema = document("Drivers", {"drivers": list_of(DRIVER)})
DRIVER_PROPERTIES: Schema = {"title": "DriverProperties", **by_name(TEXT)}

VOLUMES: Schema = document("Volumes", {"links": LINKS, "connectors": LINKS, "targets": LINKS})
VIFS: Schema = document("Vifs", {"vifs": list_of(record({"id": TEXT}))})

HISTORY_ENTRY: Schema = document(
    "HistoryEntry",
    {"uuid": UUID, "created_at": TIME, "severity": {"enum": ["ERROR", "INFO"]}, "event": TEXT, "links": LINKS},
    {
        **dict.fromkeys(("conductor", "user", "project", "state", "target_provision_state"), TEXT_OR_NULL),
        "event_type": TEXT,
        "duration_seconds": INTEGER_OR_NULL,
    },
)

CONDUCTOR: Schema = document(
    "Conductor",
    {"links": LINKS},
    {
        "created_at": TIME_OR_NULL,
        "updated_at": TIME_OR_NULL,
        "hostname": TEXT,
        "conductor_group": TEXT,
        "drivers": list_of(TEXT),
        "alive": FLAG,
    },
)


def page_of(noun: str, entry: Schema) -> Schema:
    """Return the schema of one page of a list."""
    return record({noun: list_of(entry)}, {"next": TEXT})


NODES: Schema = page_of("nodes", NODE)
RESERVATIONS: Schema = page_of("reservations", _RESERVATION)
