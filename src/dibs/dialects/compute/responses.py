"""JSON schemas of the bodies of responses, one per document; the OpenAPI document uses them.

A property that came with a later version, or that only admins see, is one that the document may have.
"""

from dibs.dialects.compute.discovery import LIMITS
from dibs.dialects.compute.errors import FAULTS, OTHER_FAULT
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import (
    FLAG,
    INTEGER,
    LINKS,
    NULL,
    NUMBER,
    OBJECT,
    TEXT,
    TEXT_OR_NULL,
    TIME,
    UUID,
    by_name,
    document,
    list_of,
    record,
)
from dibs.servers.model.servers import STATUSES

_TEXTS = by_name(TEXT)
_ID = {"type": ["string", "integer"], "description": "A number before 2.53."}


def error_body(status: int) -> Schema:
    """Return the schema of an error, whose only property is Nova's name of the status."""
    return record({FAULTS.get(status, OTHER_FAULT): record({"code": {"const": status}, "message": TEXT})})


def page_of(noun: str, entry: Schema) -> Schema:
    """Return the schema of one page of a list."""
    return record({noun: list_of(entry)}, {f"{noun}_links": LINKS})


_VERSION = record(
    {"id": TEXT, "status": TEXT, "links": LINKS},
    {"version": TEXT, "min_version": TEXT, "updated": TIME, "media-types": list_of(_TEXTS)},
)
VERSIONS: Schema = record({"versions": list_of(_VERSION)})
VERSION: Schema = record({"version": _VERSION})
IDENTITY_VERSIONS: Schema = record({"versions": record({"values": list_of(_VERSION)})})

_LIMITS = record({"rate": list_of(OBJECT), "absolute": record({}, dict.fromkeys(LIMITS, INTEGER))})
SHOWN_LIMITS: Schema = record({"limits": _LIMITS})
EXTENSIONS: Schema = record({"extensions": list_of(OBJECT)})

_NAMED = {"id": TEXT, "name": TEXT, "links": LINKS}
_FLAVOR = document(
    "Flavor",
    {
        **_NAMED,
        "ram": INTEGER,
        "disk": INTEGER,
        "swap": {"anyOf": [INTEGER, {"const": ""}]},
        "OS-FLV-EXT-DATA:ephemeral": INTEGER,
        "OS-FLV-DISABLED:disabled": FLAG,
        "vcpus": INTEGER,
        "os-flavor-access:is_public": FLAG,
        "rxtx_factor": NUMBER,
    },
    {"description": TEXT_OR_NULL, "extra_specs": _TEXTS},
)
FLAVOR: Schema = record({"flavor": _FLAVOR})
FLAVORS: Schema = page_of("flavors", document("FlavorSummary", _NAMED, {"description": TEXT_OR_NULL}))
FLAVORS_IN_DETAIL: Schema = page_of("flavors", _FLAVOR)
EXTRA_SPECS: Schema = record({"extra_specs": _TEXTS})
EXTRA_SPEC: Schema = {**_TEXTS, "minProperties": 1, "maxProperties": 1}
FLAVOR_ACCESS: Schema = record({"flavor_access": list_of(record({"flavor_id": TEXT, "tenant_id": TEXT}))})

_SERVER = document(
    "Server",
    {
        **_NAMED,
        "id": UUID,
        "status": {"enum": list(STATUSES)},
        "tenant_id": TEXT,
        "user_id": TEXT,
        "metadata": _TEXTS,
        "hostId": TEXT,
        "image": {"anyOf": [record({"id": TEXT, "links": LINKS}), {"const": ""}]},
        "flavor": {
            "anyOf": [
                record(
                    {
                        **dict.fromkeys(("vcpus", "ram", "disk", "ephemeral", "swap"), INTEGER),
                        "original_name": TEXT,
                        "extra_specs": _TEXTS,
                    }
                ),
                record({"id": TEXT, "links": LINKS}),
            ],
            "description": "Only an id and a link before 2.47.",
        },
        "created": TIME,
        "updated": TIME,
        "addresses": OBJECT,
        "accessIPv4": TEXT,
        "accessIPv6": TEXT,
        "OS-DCF:diskConfig": TEXT,
        "OS-EXT-AZ:availability_zone": TEXT,
        "config_drive": TEXT,
        "key_name": TEXT_OR_NULL,
        "OS-SRV-USG:launched_at": TEXT_OR_NULL,
        "OS-SRV-USG:terminated_at": NULL,
        "OS-EXT-STS:task_state": TEXT_OR_NULL,
        "OS-EXT-STS:vm_state": TEXT,
        "OS-EXT-STS:power_state": INTEGER,
        "os-extended-volumes:volumes_attached": list_of(OBJECT),
    },
    {
        "fault": record({"code": INTEGER, "created": TIME, "message": TEXT}),
        "progress": INTEGER,
        "locked": FLAG,
        "description": TEXT_OR_NULL,
        "tags": list_of(TEXT),
        "OS-EXT-SRV-ATTR:host": TEXT_OR_NULL,
        "OS-EXT-SRV-ATTR:instance_name": TEXT,
        "OS-EXT-SRV-ATTR:hypervisor_hostname": TEXT_OR_NULL,
        "OS-EXT-SRV-ATTR:hostname": TEXT,
        "OS-EXT-SRV-ATTR:kernel_id": TEXT,
        "OS-EXT-SRV-ATTR:launch_index": INTEGER,
        "OS-EXT-SRV-ATTR:ramdisk_id": TEXT,
        "OS-EXT-SRV-ATTR:reservation_id": TEXT_OR_NULL,
        "OS-EXT-SRV-ATTR:root_device_name": TEXT_OR_NULL,
        "OS-EXT-SRV-ATTR:user_data": TEXT_OR_NULL,
        "host_status": TEXT,
    },
)
SERVER: Schema = record({"server": _SERVER})
SERVERS: Schema = page_of("servers", document("ServerSummary", {**_NAMED, "id": UUID}))
SERVERS_IN_DETAIL: Schema = page_of("servers", _SERVER)
_LAUNCHED = record({"id": UUID, "links": LINKS, "OS-DCF:diskConfig": TEXT, "security_groups": list_of(OBJECT)})
LAUNCHED: Schema = {"anyOf": [record({"server": _LAUNCHED}), record({"reservation_id": TEXT})]}
METADATA: Schema = record({"metadata": _TEXTS})
METADATA_ITEM: Schema = record({"meta": {**_TEXTS, "minProperties": 1, "maxProperties": 1}})

_HYPERVISOR_SUMMARY = {"id": _ID, "hypervisor_hostname": TEXT, "state": TEXT, "status": TEXT}
_SERVERS_OF_HYPERVISOR = {"servers": list_of(record({"uuid": UUID, "name": TEXT}))}
_HYPERVISOR = document(
    "Hypervisor",
    {
        **_HYPERVISOR_SUMMARY,
        **dict.fromkeys(
            (
                "vcpus", "vcpus_used", "memory_mb", "memory_mb_used", "free_ram_mb", "local_gb", "local_gb_used",
                "free_disk_gb", "disk_available_least", "running_vms", "current_workload",
            ),
            INTEGER,
        ),
        "hypervisor_type": TEXT,
        "hypervisor_version": INTEGER,
        "host_ip": TEXT,
        "service": record({"id": _ID, "host": TEXT, "disabled_reason": TEXT_OR_NULL}),
        "cpu_info": {"type": ["object", "string"], "description": "JSON in a string before 2.28."},
    },
    _SERVERS_OF_HYPERVISOR,
)  # fmt: skip
HYPERVISOR: Schema = record({"hypervisor": _HYPERVISOR})
HYPERVISORS: Schema = page_of("hypervisors", document("HypervisorSummary", _HYPERVISOR_SUMMARY, _SERVERS_OF_HYPERVISOR))
HYPERVISORS_IN_DETAIL: Schema = page_of("hypervisors", _HYPERVISOR)

_SERVICE = document(
    "Service",
    {
        "id": _ID,
        "binary": TEXT,
        "host": TEXT,
        "zone": TEXT,
        "status": TEXT,
        "state": TEXT,
        "updated_at": TEXT_OR_NULL,
        "disabled_reason": TEXT_OR_NULL,
    },
    {"forced_down": FLAG},
)
SERVICES: Schema = record({"services": list_of(_SERVICE)})
SERVICE: Schema = record({"service": _SERVICE})
SWITCHED_SERVICE: Schema = record(
    {"service": record({"host": TEXT, "binary": TEXT, "status": TEXT}, {"disabled_reason": TEXT})}
)
_HOSTS = {"type": ["object", "null"], "additionalProperties": by_name(OBJECT)}
ZONES: Schema = record(
    {"availabilityZoneInfo": list_of(record({"zoneName": TEXT, "zoneState": by_name(FLAG), "hosts": _HOSTS}))}
)
_AGGREGATE = document(
    "Aggregate",
    {
        "id": INTEGER,
        "name": TEXT,
        "availability_zone": TEXT_OR_NULL,
        "hosts": list_of(TEXT),
        "metadata": _TEXTS,
        "created_at": TEXT,
        "updated_at": TEXT_OR_NULL,
        "deleted_at": NULL,
        "deleted": FLAG,
    },
    {"uuid": UUID},
)
AGGREGATES: Schema = record({"aggregates": list_of(_AGGREGATE)})
AGGREGATE: Schema = record({"aggregate": _AGGREGATE})

_IMAGE = document(
    "Image",
    {
        **_NAMED,
        "status": TEXT,
        **dict.fromkeys(("progress", "minDisk", "minRam", "OS-EXT-IMG-SIZE:size"), INTEGER),
        "metadata": _TEXTS,
        "created": TIME,
        "updated": TIME,
    },
)
IMAGE: Schema = record({"image": _IMAGE})
IMAGES: Schema = record({"images": list_of(record(_NAMED))})
IMAGES_IN_DETAIL: Schema = record({"images": list_of(_IMAGE)})
GLANCE_IMAGE: Schema = document(
    "GlanceImage",
    {
        **dict.fromkeys(
            ("id", "name", "status", "visibility", "container_format", "disk_format", "self", "file", "schema"), TEXT
        ),
        **dict.fromkeys(("min_disk", "min_ram", "size"), INTEGER),
        "protected": FLAG,
        "tags": list_of(TEXT),
        "owner": TEXT_OR_NULL,
        "checksum": TEXT_OR_NULL,
        "created_at": TIME,
        "updated_at": TIME,
    },
)
GLANCE_IMAGES: Schema = record({"images": list_of(GLANCE_IMAGE), "first": TEXT, "schema": TEXT})

_ENTRY = document("ProjectOrUser", {"id": TEXT, "name": TEXT, "domain_id": TEXT, "enabled": FLAG})
_NEXT = {"links": record({"next": NULL})}
PROJECT: Schema = record({"project": _ENTRY})
PROJECTS: Schema = record({"projects": list_of(_ENTRY), **_NEXT})
USER: Schema = record({"user": _ENTRY})
USERS: Schema = record({"users": list_of(_ENTRY), **_NEXT})
