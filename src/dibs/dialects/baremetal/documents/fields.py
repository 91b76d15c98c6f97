"""The attributes of a node in this API, one row each, in the order of a response.

A row says since which version an attribute exists; ``machines.model.node_attributes`` says what clients may set it to.
Hiding attributes that are too new for a request, and refusing them, are two loops over these rows. To add an attribute:
follow the steps in ``machines.model.node_attributes``.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from dibs.dialects.baremetal.documents.selection import FIELDS_SINCE
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.microversions import VERSIONS
from dibs.machines.model.patching.node_attributes import ATTRIBUTES, Kind


class Field(Struct, frozen=True, kw_only=True):
    """One attribute."""

    name: str
    since: int = 1
    kind: Kind = Kind.TEXT
    sortable: bool = True
    in_list: bool = False
    """Shown in a list when the request does not choose attributes."""

    @property
    def creatable(self) -> bool:
        """True when a client may set it on a new node."""
        return self.name in ATTRIBUTES and ATTRIBUTES[self.name].creatable

    @property
    def patchable(self) -> bool:
        """True when a client may change it."""
        return self.name in ATTRIBUTES and ATTRIBUTES[self.name].patchable


def _own(name: str, since: int = 1, **options: Any) -> Field:
    """Describe an attribute that the service sets itself."""
    return Field(name=name, since=since, **options)


def _settable(name: str, since: int = 1, *, in_list: bool = False) -> Field:
    """Describe an attribute that clients set; the model has the rules for its value."""
    kind = ATTRIBUTES[name].kind
    return Field(name=name, since=since, kind=kind, sortable=kind is not Kind.OBJECT, in_list=in_list)


def _object(name: str, since: int) -> Field:
    return _own(name, since, kind=Kind.OBJECT, sortable=False)


def _time(name: str, since: int = 1) -> Field:
    return _own(name, since, kind=Kind.TIME)


def _links(name: str, since: int = 1) -> Field:
    return _own(name, since, kind=Kind.LINKS, sortable=False)


FIELDS: tuple[Field, ...] = (
    _settable("uuid", in_list=True),
    _time("created_at"),
    _time("updated_at"),
    _settable("automated_clean", 47),
    _settable("bios_interface", 40),
    _settable("boot_interface", 31),
    _settable("boot_mode", 75),
    _object("clean_step", 7),
    _settable("conductor_group", 46),
    _settable("console_enabled"),
    _settable("console_interface", 31),
    _settable("disable_power_off", 95),
    _settable("deploy_interface", 31),
    _object("deploy_step", 44),
    _settable("description", 51),
    _settable("driver"),
    _settable("driver_info"),
    _object("driver_internal_info", 3),
    _settable("extra"),
    _own("fault", 42),
    _settable("firmware_interface", 86),
    _own("health", 109),
    _time("inspection_finished_at", 6),
    _time("inspection_started_at", 6),
    _settable("inspect_interface", 31),
    _settable("instance_info"),
    _settable("instance_name", 104),
    _settable("instance_uuid", in_list=True),
    _own("last_error"),
    _settable("lessee", 65),
    _settable("maintenance", in_list=True),
    _own("maintenance_reason"),
    _settable("management_interface", 31),
    _settable("name", 5, in_list=True),
    _settable("network_data", 66),
    _settable("network_interface", 20),
    _settable("owner", 50),
    _settable("parent_node", 83),
    _settable("power_interface", 31),
    _own("power_state", in_list=True),
    _settable("properties"),
    _settable("protected", 48),
    _settable("protected_reason", 48),
    _own("provision_state", in_list=True),
    _time("provision_updated_at"),
    _object("raid_config", 12),
    _settable("raid_interface", 31),
    _settable("rescue_interface", 38),
    _own("reservation"),
    _settable("resource_class", 21),
    _settable("retired", 61),
    _settable("retired_reason", 61),
    _settable("secure_boot", 75),
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
    _settable("chassis_uuid"),
    _links("ports"),
    _links("states", 14),
    _links("portgroups", 24),
    _links("volume", 32),
)

BY_NAME: Mapping[str, Field] = {field.name: field for field in FIELDS}
STORED: frozenset[str] = frozenset(
    field.name
    for field in FIELDS
    if field.kind not in (Kind.LINKS, Kind.NAMES) and field.name not in ("conductor", "allocation_uuid")
)
"""Attributes of Node itself."""

STATE_FIELDS = (
    "console_enabled", "last_error", "power_state", "provision_state", "target_power_state", "target_provision_state",
    "provision_updated_at", "raid_config", "target_raid_config", "boot_mode", "secure_boot",
)  # fmt: skip
"""The attributes in ``/v1/nodes/{node}/states``."""


def visible_fields(minor: int) -> frozenset[str]:
    """Return the attributes that exist in a version."""
    return frozenset(field.name for field in FIELDS if field.since <= minor)


VISIBLE: Mapping[int, frozenset[str]] = {minor: visible_fields(minor) for minor in VERSIONS}
IN_LIST: frozenset[str] = frozenset(field.name for field in FIELDS if field.in_list)


def check_field_names(names: Iterable[str], minor: int) -> None:
    """Raise a 400 for names that are no attributes, then a 406 for attributes that are too new.

    Quirk not copied: Ironic answers 500 to an unknown name in a list (contract samples 052, 055, 056).
    """
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise bad_request(f'Field(s) "{", ".join(unknown)}" are not valid')
    if any(BY_NAME[name].since > minor for name in names):
        raise not_acceptable()


def wanted_fields(names: tuple[str, ...] | None, minor: int) -> frozenset[str] | None:
    """Return the attributes that ``fields=`` names; None without it."""
    if names is None:
        return None
    if minor < FIELDS_SINCE:
        raise not_acceptable()
    check_field_names(names, minor)
    return frozenset(names)


def check_sort_key(key: str, minor: int) -> str:
    """Return the sort key; refuse an attribute by which nodes cannot be sorted."""
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
    """Raise a 406 for attributes that the version does not have; null and empty text are ignored."""
    for name, value in values.items():
        if BY_NAME[name].since > minor and value not in (None, ""):
            raise not_acceptable()
