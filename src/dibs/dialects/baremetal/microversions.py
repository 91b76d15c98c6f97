"""Every microversion of the bare-metal API, one line each on what it added.

Most versions are rows elsewhere: a field in ``documents/fields.py``, a filter in ``documents/filters.py``, a route in
``routes.py``, a verb in ``handlers/provision.py``. Lines in brackets belong to parts of Ironic that Dibs does not have:
the version is accepted and changes nothing. To add a version: write its line here (the last line is the announced
maximum), then give its rows ``since=<minor>``. A version number never leaves the dialect: a command has a named option
for each behaviour that depends on it.
"""

from collections.abc import Mapping

from dibs.dialects.baremetal.errors import Refusal
from dibs.http.microversions import Problem, Version, VersionRange, VersionRefusal

VERSIONS = {
    1: "nodes, ports, drivers: the API as it was first published",
    2: "a free node's state is called available; before, it was null",
    3: "driver_internal_info of a node",
    4: "the state manageable with the verbs manage and provide",
    5: "names for nodes, in bodies and in place of the uuid in paths",
    6: "the verb inspect; when an inspection started and finished",
    7: "clean_step of a node",
    8: "fields=: only these attributes",
    9: "nodes filtered by provision_state",
    10: "names may have any character that needs no escape in a URL",
    11: "new nodes begin in enroll rather than available",
    12: "raid_config and target_raid_config of a node",
    13: "the verb abort for a node that is being cleaned",
    14: "links to states in nodes, to properties in drivers",
    15: "the verb clean with steps from the client",
    16: "nodes filtered by driver",
    17: "the verb adopt",
    18: "internal_info of a port",
    19: "pxe_enabled and local_link_connection of a port",
    20: "network_interface of a node",
    21: "resource_class of a node, and a filter for it",
    22: "[the ramdisk's lookup and heartbeat]",
    23: "port groups",
    24: "port groups of a node, ports of a port group",
    25: "a node can be taken out of its chassis",
    26: "mode and properties of a port group",
    27: "soft reboot, soft power off, and a timeout for power",
    28: "virtual interfaces of a node",
    29: "[a non-maskable interrupt can be injected]",
    30: "type and interfaces in drivers, the filter type and detail",
    31: "boot, console, deploy, inspect, management, power, raid and vendor interface of a node",
    32: "volume connectors and targets",
    33: "storage_interface of a node",
    34: "physical_network of a port",
    35: "rebuild takes a config drive",
    36: "[the ramdisk reports its version]",
    37: "traits of a node, and (Dibs) the four filters on them; reservations",
    38: "rescue_interface of a node, the verbs rescue and unrescue",
    39: "the state inspect wait is shown as itself",
    40: "bios_interface of a node [and BIOS settings]",
    41: "the verb abort for a node in inspect wait",
    42: "fault of a node, and a filter for it",
    43: "detail= in lists of nodes and ports",
    44: "deploy_step of a node",
    45: "reset_interfaces when the driver of a node changes",
    46: "conductor_group of a node, and a filter for it",
    47: "automated_clean of a node",
    48: "protected and protected_reason of a node",
    49: "conductors; conductor of a node, and a filter for it",
    50: "owner of a node, and a filter for it",
    51: "description of a node, and description_contains",
    52: "allocation_uuid of a node; allocations",
    53: "is_smartnic of a port",
    54: "[events]",
    55: "[deploy templates]",
    56: "a config drive may be given as an object to build it from",
    57: "allocations can be updated",
    58: "allocations for nodes that are active already",
    59: "vendor_data in a config drive",
    60: "owner of an allocation",
    61: "retired and retired_reason of a node, and a filter for it",
    62: "[the ramdisk's token]",
    63: "[indicators such as lamps]",
    64: "network_type in local_link_connection",
    65: "lessee of a node, filters lessee and project",
    66: "network_data of a node",
    67: "virtual interfaces can name their port",
    68: "[the ramdisk sends its certificate]",
    69: "deploy_steps with active and rebuild",
    70: "disable_ramdisk with clean",
    71: "access by roles with system scope",
    72: "[the ramdisk reports the state of its work]",
    73: "deploy and undeploy, better names for active and deleted",
    74: "[the registry of BIOS settings]",
    75: "boot_mode and secure_boot of a node",
    76: "[boot mode and secure boot can be changed]",
    77: "fields= in drivers",
    78: "history of a node",
    79: "allocations prefer a node of their own name",
    80: "project admins may create and delete nodes of their own",
    81: "[inventory of a node]",
    82: "shard of a node, filters shard and sharded [and the list of shards]",
    83: "parent_node of a node, filters parent_node and include_children",
    84: "[inspection can be continued from outside]",
    85: "the verb unhold",
    86: "firmware_interface of a node [and firmware]",
    87: "the verb service; service_step of a node",
    88: "name of a port",
    89: "[virtual media can be attached]",
    90: "[OVN VTEP switches in local_link_connection]",
    91: "[.json at the end of a path no longer has a meaning; it never has one here]",
    92: "[runbooks]",
    93: "[virtual media can be shown]",
    94: "node_ident, which may be a name, when a port is created",
    95: "disable_power_off of a node",
    96: "[inspection rules]",
    97: "description of a port",
    98: "~0 and ~1 in the first part of a patch path",
    99: "ports filtered by conductor_groups",
    100: "vendor of a port",
    101: "category of a port",
    102: "physical_network of a port group",
    103: "category of a port group",
    104: "instance_name of a node, and a filter for it",
    105: "[OVN VTEP switches are gone again]",
    106: "port groups filtered by shard",
    107: "the client's X-OpenStack-Request-ID is kept",
    108: "disable_ramdisk with service",
    109: "health of a node",
    110: "the verb abort for a node in wait call-back",
    111: "available_for_dynamic_portgroup of a port",
    112: "[traits of runbooks]",
    113: "project in the history of a node",
    114: "[identity of firmware]",
    115: "state and duration in the history of a node",
}

MINIMUM: Version = (1, min(VERSIONS))
MAXIMUM: Version = (1, max(VERSIONS))

HEADER = "X-OpenStack-Ironic-API-Version"
LIMITS = (
    ("X-OpenStack-Ironic-API-Minimum-Version", f"{MINIMUM[0]}.{MINIMUM[1]}"),
    ("X-OpenStack-Ironic-API-Maximum-Version", f"{MAXIMUM[0]}.{MAXIMUM[1]}"),
)
"""Headers of every response, also of a 406."""

_RANGE = VersionRange(
    service_type="baremetal", legacy_headers=(HEADER,), minimum=MINIMUM, maximum=MAXIMUM, default=MINIMUM
)
_RANGE_TEXT = f"The supported version range is: [{MINIMUM[0]}.{MINIMUM[1]}, {MAXIMUM[0]}.{MAXIMUM[1]}]."
_OWN_HEADER = HEADER.lower()


def choose_minor(headers: Mapping[str, str]) -> int:
    """Return the minor version of a request, or raise a 406.

    Quirk: Ironic knows only its own header. Dibs also accepts ``OpenStack-API-Version: baremetal 1.N``; Ironic's header
    takes precedence.
    """
    if _OWN_HEADER in headers:
        headers = {_OWN_HEADER: headers[_OWN_HEADER].strip()}
    chosen = _RANGE.choose(headers)
    if isinstance(chosen, VersionRefusal):
        raise Refusal(406, _refusal_text(chosen), framework=True)
    return chosen[1]


def _refusal_text(refusal: VersionRefusal) -> str:
    if refusal.problem is Problem.MALFORMED:
        return f"Invalid value for {HEADER} header"
    if refusal.problem is Problem.UNSUPPORTED_MAJOR:
        return (
            "Mutually exclusive versions requested. "
            f"Version {refusal.asked} requested but not supported by this service. {_RANGE_TEXT}"
        )
    return (
        f"Version {refusal.asked} was requested but the minor version is not supported by this service. {_RANGE_TEXT}"
    )
