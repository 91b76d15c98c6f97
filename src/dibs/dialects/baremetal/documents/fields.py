"""The attributes of a node in this API, one row each, in the order in which an answer shows them.

A row says since which version an attribute exists, what kind of value it has, and what a caller may do with it. Hiding
attributes that are too new for a request, and refusing them, are two loops over these rows. To add an attribute: add
its column (store), its attribute (domain/nodes.py) and its row here.
"""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.microversions import VERSIONS


class Kind(enum.Enum):
    """What sort of value an attribute has; reading and writing follow from it."""

    TEXT = "text"
    UUID = "uuid"
    FLAG = "flag"
    OPTIONAL_FLAG = "optional flag"
    TIME = "time"
    OBJECT = "object"
    NAMES = "names"
    LINKS = "links"
    NOTHING = "nothing"
    """Part of Ironic's answer that Dibs has nothing for: always null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One attribute."""

    name: str
    since: int = 1
    kind: Kind = Kind.TEXT
    creatable: bool = False
    patchable: bool = False
    sortable: bool = True
    in_list: bool = False
    """Shown in a list that asks for nothing in particular."""
    length: int | None = 255
    """Of text: the most characters that fit; None when there is no limit but that of the body."""
    empty: Any = None
    """What it is when nobody says anything."""


def _own(name: str, since: int = 1, **options: Any) -> Field:
    """An attribute that the service sets itself."""
    return Field(name=name, since=since, **options)


def _settable(name: str, since: int = 1, **options: Any) -> Field:
    """An attribute that callers give and change."""
    return Field(name=name, since=since, creatable=True, patchable=True, **options)


def _object(name: str, since: int = 1, settable: bool = False) -> Field:
    return Field(
        name=name, since=since, kind=Kind.OBJECT, sortable=False, creatable=settable, patchable=settable, empty={}
    )


def _flag(name: str, since: int = 1, **options: Any) -> Field:
    return _settable(name, since, kind=Kind.FLAG, empty=False, **options)


def _time(name: str, since: int = 1) -> Field:
    return _own(name, since, kind=Kind.TIME)


def _links(name: str, since: int = 1) -> Field:
    return _own(name, since, kind=Kind.LINKS, sortable=False)


FIELDS: tuple[Field, ...] = (
    Field(name="uuid", kind=Kind.UUID, creatable=True, in_list=True),
    _time("created_at"),
    _time("updated_at"),
    _settable("automated_clean", 47, kind=Kind.OPTIONAL_FLAG),
    _settable("bios_interface", 40),
    _settable("boot_interface", 31),
    Field(name="boot_mode", since=75, creatable=True, length=16),
    _object("clean_step", 7),
    _settable("conductor_group", 46, empty=""),
    Field(name="console_enabled", kind=Kind.FLAG, creatable=True, empty=False),
    _settable("console_interface", 31),
    _flag("disable_power_off", 95),
    _settable("deploy_interface", 31),
    _object("deploy_step", 44),
    _settable("description", 51, length=4096),
    _settable("driver"),
    _object("driver_info", settable=True),
    _object("driver_internal_info", 3),
    _object("extra", settable=True),
    _own("fault", 42),
    _settable("firmware_interface", 86),
    _own("health", 109),
    _time("inspection_finished_at", 6),
    _time("inspection_started_at", 6),
    _settable("inspect_interface", 31),
    _object("instance_info", settable=True),
    _settable("instance_name", 104),
    _settable("instance_uuid", kind=Kind.UUID, in_list=True),
    _own("last_error"),
    _settable("lessee", 65),
    _flag("maintenance", in_list=True),
    _own("maintenance_reason"),
    _settable("management_interface", 31),
    _settable("name", 5, in_list=True, length=None),
    _object("network_data", 66, settable=True),
    _settable("network_interface", 20),
    _settable("owner", 50),
    _settable("parent_node", 83, length=36),
    _settable("power_interface", 31),
    _own("power_state", in_list=True),
    _object("properties", settable=True),
    Field(name="protected", since=48, kind=Kind.FLAG, patchable=True, empty=False),
    Field(name="protected_reason", since=48, patchable=True, length=None),
    _own("provision_state", in_list=True),
    _time("provision_updated_at"),
    _object("raid_config", 12),
    _settable("raid_interface", 31),
    _settable("rescue_interface", 38),
    _own("reservation"),
    _settable("resource_class", 21, length=80),
    _flag("retired", 61),
    _settable("retired_reason", 61, length=None),
    Field(name="secure_boot", since=75, kind=Kind.OPTIONAL_FLAG, creatable=True),
    _object("service_step", 87),
    _settable("shard", 82),
    _settable("storage_interface", 33),
    _own("target_power_state"),
    _own("target_provision_state"),
    _object("target_raid_config", 12),
    _own("traits", 37, kind=Kind.NAMES, sortable=False),
    _settable("vendor_interface", 31),
    _links("links"),
    _own("conductor", 49, sortable=False),
    _own("allocation_uuid", 52, kind=Kind.UUID, sortable=False),
    _settable("chassis_uuid", kind=Kind.NOTHING, sortable=False),
    _links("ports"),
    _links("states", 14),
)

BY_NAME: Mapping[str, Field] = {field.name: field for field in FIELDS}
STORED: frozenset[str] = frozenset(
    field.name
    for field in FIELDS
    if field.kind not in (Kind.LINKS, Kind.NOTHING, Kind.NAMES) and field.name not in ("conductor", "allocation_uuid")
)
"""Attributes of Node itself."""

STATE_FIELDS = (
    "console_enabled", "last_error", "power_state", "provision_state", "target_power_state", "target_provision_state",
    "provision_updated_at", "raid_config", "target_raid_config", "boot_mode", "secure_boot",
)  # fmt: skip
"""What ``/v1/nodes/{node}/states`` shows."""


def visible_fields(minor: int) -> frozenset[str]:
    """The attributes that exist in a version."""
    return frozenset(field.name for field in FIELDS if field.since <= minor)


VISIBLE: Mapping[int, frozenset[str]] = {minor: visible_fields(minor) for minor in VERSIONS}
IN_LIST: frozenset[str] = frozenset(field.name for field in FIELDS if field.in_list)


def check_field_names(names: Iterable[str], minor: int) -> None:
    """Refuse names that are no attributes, then those that are too new.

    Quirk not copied: Ironic answers 500 to an unknown name in a list (contract samples 052, 055, 056).
    """
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise bad_request(f'Field(s) "{", ".join(unknown)}" are not valid')
    if any(BY_NAME[name].since > minor for name in names):
        raise not_acceptable()


def check_sort_key(key: str, minor: int) -> str:
    """Refuse what nodes cannot be sorted by."""
    if key == "id":
        return key
    field = BY_NAME.get(key)
    if field is None:
        raise bad_request(f'The sort_key value "{key}" is an invalid field for sorting')
    if field.since > minor:
        raise not_acceptable()
    if not field.sortable:
        raise bad_request(f"The sort_key value {key} is an invalid field for sorting")
    return key


def reject_too_new(values: Mapping[str, Any], minor: int) -> None:
    """Refuse to create a node with attributes that the version does not have; null and empty text say nothing."""
    for name, value in values.items():
        if BY_NAME[name].since > minor and value not in (None, ""):
            raise not_acceptable()
