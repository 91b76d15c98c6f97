"""JSON schemas of the bodies of responses, one per document; the OpenAPI document uses them."""

from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import (
    FLAG,
    FLAG_OR_NULL,
    INTEGER,
    INTEGER_OR_NULL,
    LINKS,
    NULL,
    TEXT,
    TEXT_OR_NULL,
    UUID,
    UUID_OR_NULL,
    document,
    list_of,
    record,
)
from dibs.leases.model.leases import RESOURCE_TYPES

_STAMPS = {"created_at": TEXT, "updated_at": TEXT_OR_NULL}

ERROR: Schema = document("Error", {"error_code": INTEGER, "error_message": TEXT, "error_name": INTEGER})
ROUTER_ERROR: Schema = document("RouterError", {"error": INTEGER, "error_message": TEXT})
UNAUTHORIZED: Schema = document(
    "Unauthorized", {"error": record({"code": {"const": 401}, "title": TEXT, "message": TEXT})}
)

_VERSION = record({"id": TEXT, "status": TEXT, "links": LINKS, "min_version": TEXT, "max_version": TEXT})
VERSIONS: Schema = document("Versions", {"versions": list_of(_VERSION)})
VERSION: Schema = document("Version", {"version": _VERSION})

_RESERVATION = document(
    "Reservation",
    {
        "id": UUID,
        "lease_id": UUID,
        "resource_id": UUID,
        "resource_type": {"enum": list(RESOURCE_TYPES)},
        "status": TEXT,
        "missing_resources": FLAG,
        "resources_changed": FLAG,
        "resource_properties": TEXT,
        **_STAMPS,
    },
    {
        "hypervisor_properties": TEXT,
        "before_end": TEXT_OR_NULL,
        "min": INTEGER,
        "max": INTEGER,
        "vcpus": INTEGER,
        "memory_mb": INTEGER,
        "disk_gb": INTEGER,
        "amount": INTEGER,
        "affinity": FLAG_OR_NULL,
        "flavor_id": UUID,
        "aggregate_id": NULL,
        "server_group_id": UUID_OR_NULL,
    },
)
_EVENT = document("Event", {"id": UUID, "lease_id": UUID, "event_type": TEXT, "time": TEXT, "status": TEXT, **_STAMPS})
_LEASE = document(
    "Lease",
    {
        "id": UUID,
        "name": TEXT,
        "user_id": TEXT_OR_NULL,
        "project_id": TEXT_OR_NULL,
        "start_date": TEXT,
        "end_date": TEXT,
        "trust_id": NULL,
        "status": TEXT,
        "degraded": FLAG,
        "reservations": list_of(_RESERVATION),
        "events": list_of(_EVENT),
        **_STAMPS,
    },
)
LEASE: Schema = record({"lease": _LEASE})
LEASES: Schema = record({"leases": list_of(_LEASE)}, {"leases_links": LINKS})

_HOST = {
    **document(
        "Host",
        {
            "id": TEXT,
            "vcpus": INTEGER,
            "cpu_info": TEXT,
            "hypervisor_type": TEXT,
            "hypervisor_version": INTEGER_OR_NULL,
            "hypervisor_hostname": TEXT,
            "service_name": TEXT,
            "memory_mb": INTEGER,
            "local_gb": INTEGER,
            "availability_zone": TEXT,
            "status": NULL,
            "trust_id": NULL,
            "reservable": FLAG,
            **_STAMPS,
        },
    ),
    "additionalProperties": {"type": "string", "description": "An extra capability."},
}
HOST: Schema = record({"host": _HOST})
HOSTS: Schema = record({"hosts": list_of(_HOST)})

_ALLOCATION = document(
    "Allocation",
    {
        "resource_id": TEXT,
        "reservations": list_of(record({"id": UUID, "lease_id": UUID, "start_date": TEXT, "end_date": TEXT})),
    },
)
ALLOCATION: Schema = record({"allocation": _ALLOCATION})
ALLOCATIONS: Schema = record({"allocations": list_of(_ALLOCATION)})

PROPERTIES: Schema = record(
    {
        "resource_properties": list_of(
            document("Property", {"property": TEXT}, {"private": FLAG, "values": list_of(TEXT)})
        )
    }
)
PROPERTY: Schema = record(
    {
        "resource_property": document(
            "PropertyName", {"id": UUID, "resource_type": TEXT, "property_name": TEXT, "private": FLAG, **_STAMPS}
        )
    }
)
