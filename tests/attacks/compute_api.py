"""The compute API for new and old clients: its routes, and a valid request for each."""

from dataclasses import replace

from dibs.dialects.compute.handlers.images import IMAGE_ID
from dibs.dialects.compute.microversions import MAXIMUM
from dibs.dialects.compute.routes import ROUTES
from tests.attacks.apis import Api
from tests.attacks.compute_target import COMPUTE_HOST, KEY, MACHINE, SERVER
from tests.attacks.invalid_values import UNKNOWN

_VERSION_HEADER = "openstack-api-version"
_FLAVOR = "/v2.1/flavors/{flavor}"
_SERVER = "/v2.1/servers/{server}"
_SERVICE = ("PUT", "/v2.1/os-services/{service}")
_PAGE = {"limit": "10", "sort_dir": "asc"}
_FLAVORS = {**_PAGE, "is_public": "None", "minRam": "1", "minDisk": "1", "sort_key": "name", "marker": "metal"}
_SERVERS = {
    **_PAGE, "all_tenants": "1", "name": "er", "status": "ACTIVE", "flavor": "small", "host": "open-1",
    "sort_key": "display_name", "marker": MACHINE,
}  # fmt: skip
_HYPERVISORS = {"limit": "10", "marker": COMPUTE_HOST, "with_servers": "True"}

NEW_SERVER = ("POST", "/v2.1/servers")
_NEW_FLAVOR = ("POST", "/v2.1/flavors")

_WANTED = {
    "name": "new",
    "flavorRef": "small",
    "availability_zone": "nova:open-1",
    "metadata": {KEY: "r1"},
    "key_name": "mine",
    "security_groups": [{"name": "default"}],
    "user_data": "IyEvYmluL3NoCg==",
    "config_drive": True,
    "block_device_mapping_v2": [{"source_type": "image", "uuid": IMAGE_ID, "destination_type": "local"}],
    "min_count": 1,
    "max_count": 2,
    "accessIPv4": "10.0.0.1",
}
_SIZES = {
    "name": "new",
    "id": "new-1",
    "ram": 512,
    "vcpus": "2",
    "disk": 1,
    "OS-FLV-EXT-DATA:ephemeral": 1,
    "swap": 512,
    "rxtx_factor": "1.5",
    "os-flavor-access:is_public": False,
}

COMPUTE = Api(
    mount="/compute",
    # Dibs does not know the uptime of a host: the response is 501.
    routes=[route for route in ROUTES if route.until is None and not route.path.endswith("/uptime")],
    headers={"content-type": b"application/json", _VERSION_HEADER: f"compute 2.{MAXIMUM[1]}".encode()},
    version_header=_VERSION_HEADER,
    versions=(
        b"", b"compute", b"compute ", b"compute 2", b"compute 2.1", b"compute 2.36", b"compute 2.37", b"compute 2.52",
        b"compute 2.53", b"compute 2.99", b"compute 3.0", b"compute latest", b"compute a.b", b"placement 1.1", b"\xff",
        b"compute 2." + b"9" * 5_000, "compute 2.٣".encode(), b"compute 2.61, compute 2.1", b",",
    ),
    arguments={
        "flavor": "small",
        "key": KEY,
        "server": MACHINE,
        "hypervisor": COMPUTE_HOST,
        "service": COMPUTE_HOST,
        "image": IMAGE_ID,
        "project": "p",
        "user": "u",
    },
    bodies={
        _NEW_FLAVOR: {"flavor": {**_SIZES, "description": "d"}},
        ("PUT", _FLAVOR): {"flavor": {"description": "d"}},
        ("POST", f"{_FLAVOR}/os-extra_specs"): {
            "extra_specs": {"resources:VCPU": "2", "trait:CUSTOM_A": "required", "resources1:VGPU": 1, "a b": True}
        },
        ("PUT", f"{_FLAVOR}/os-extra_specs/{{key}}"): {KEY: "r2"},
        ("POST", f"{_FLAVOR}/action"): {"addTenantAccess": {"tenant": "q"}},
        NEW_SERVER: {"server": {**_WANTED, "description": "d", "tags": ["a", "b"], "networks": "auto"}},
        ("PUT", _SERVER): {"server": {"name": "renamed", "description": None, "accessIPv4": ""}},
        ("POST", f"{_SERVER}/action"): {"reboot": {"type": "HARD"}},
        ("POST", f"{_SERVER}/metadata"): {"metadata": {KEY: "r2", "row": "1"}},
        ("PUT", f"{_SERVER}/metadata"): {"metadata": {"row": "1"}},
        ("PUT", f"{_SERVER}/metadata/{{key}}"): {"meta": {KEY: "r2"}},
        _SERVICE: {"status": "disabled", "disabled_reason": "broken"},
    },
    queries={
        "/v2.1/flavors": _FLAVORS,
        "/v2.1/flavors/detail": _FLAVORS,
        "/v2.1/servers": _SERVERS,
        "/v2.1/servers/detail": _SERVERS,
        "/v2.1/os-hypervisors": _HYPERVISORS,
        "/v2.1/os-hypervisors/detail": _HYPERVISORS,
        "/v2.1/os-services": {"host": "open-1", "binary": "nova-compute"},
        "/image/v2/images": {"name": "in:any,other"},
        "/identity/v3/projects": {"name": "p"},
        "/identity/v3/users": {"name": "u"},
    },
    names=("name", "deleted", "tenant_id", "changes-since", "id"),
    query_values=(
        "ACTIVE", "error", "DELETED", "None", "small", "metal", "open", "open-1", "%", "_", "memory_mb", "root_gb",
        "display_name", "launched_at", "updated_at", "nova-compute", SERVER, MACHINE, COMPUTE_HOST, UNKNOWN,
        SERVER.upper(), SERVER.replace("-", ""), "999999999", "1e3",
    ),
)  # fmt: skip

OLDEST = replace(
    COMPUTE,
    routes=[route for route in ROUTES if route.since == 1 and not route.path.endswith("/uptime")],
    headers={"content-type": b"application/json"},
    arguments={**COMPUTE.arguments, "server": SERVER, "hypervisor": "open", "service": "disable-log-reason"},
    bodies={
        **COMPUTE.bodies,
        _NEW_FLAVOR: {"flavor": _SIZES},
        NEW_SERVER: {
            "server": {**_WANTED, "networks": [], "personality": []},
            "OS-SCH-HNT:scheduler_hints": {"reservation": UNKNOWN},
        },
        ("PUT", _SERVER): {"server": {"name": "renamed"}},
        _SERVICE: {"host": "open-1", "binary": "nova-compute", "disabled_reason": "broken"},
    },
)
"""The routes of 2.1; the server runs on a compute host, the hypervisor is given as part of its name."""

ON_A_NODE = {
    "server": {
        "name": "new",
        "flavorRef": "metal",
        "imageRef": "http://image.example/1",
        "networks": "none",
        "metadata": {KEY: "r1"},
        "user_data": "IyEvYmluL3NoCg==",
    },
    "os:scheduler_hints": {"group": [UNKNOWN]},
}
"""A new server that is a node."""
