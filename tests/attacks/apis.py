"""Placement's API and Dibs' own API: their routes, and a valid request for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dibs.dialects.native.routes import ROUTES as NATIVE_ROUTES
from dibs.dialects.placement.routes import ROUTES as PLACEMENT_ROUTES
from dibs.http.routing import Route
from tests.attacks.invalid_values import UNKNOWN
from tests.attacks.provider_target import AGGREGATE, CHILD, CONSUMER, PROJECT, ROOT, SHARING
from tests.attacks.target import INSTANCE, NODES


@dataclass(frozen=True, kw_only=True)
class Api:
    """One dialect, with its valid requests."""

    mount: str
    routes: Sequence[Route[Any]]
    headers: Mapping[str, bytes]
    version_header: str
    versions: tuple[bytes, ...]
    arguments: Mapping[str, str]
    """By name of the argument."""
    bodies: Mapping[tuple[str, str], Any]
    """By method and path."""
    queries: Mapping[str, Mapping[str, str]]
    """By path: parameters that are valid together."""
    names: tuple[str, ...]
    """Parameters that only some requests have."""
    query_values: tuple[str, ...]
    """Values that are almost valid, in addition to the general invalid values."""


_INVENTORY = {"total": 8, "reserved": 0, "min_unit": 1, "max_unit": 8, "step_size": 1, "allocation_ratio": 1.0}
_OWNER = {"project_id": "p", "user_id": "u", "consumer_generation": 1, "consumer_type": "INSTANCE"}
_CLAIM = {"allocations": {ROOT: {"resources": {"VCPU": 1, "CUSTOM_CLASS": 1}}}, **_OWNER}
_NEW_CLAIM = {"allocations": {CHILD: {"resources": {"VGPU": 1}}}, **_OWNER, "consumer_generation": None}
_PROVIDER = "/resource_providers/{uuid}"

PLACEMENT = Api(
    mount="/placement",
    routes=[route for route in PLACEMENT_ROUTES if route.until is None],
    headers={
        "x-auth-token": b"admin",
        "x-roles": b"admin,service",
        "openstack-api-version": b"placement 1.39",
        "content-type": b"application/json",
    },
    version_header="openstack-api-version",
    versions=(
        b"", b"placement", b"placement ", b"placement 1", b"placement 1.", b"placement 2.0", b"placement 1.40",
        b"placement 1.39, compute 2.1", b"compute 2.1", b"placement latest", b"placement 1.0", b"placement 1.7",
        b"placement 1.12", b"placement 1.27", "placement 1.٣".encode(), b"placement 1." + b"9" * 5_000, b"\xff", b",",
        b"placement 1.39, placement 1.2", b"placement -1.1", b"placement 1.1.1",
    ),
    arguments={"uuid": ROOT, "name": "CUSTOM_NEW", "consumer": CONSUMER, "resource_class": "CUSTOM_CLASS"},
    bodies={
        ("POST", "/resource_classes"): {"name": "CUSTOM_OTHER"},
        ("POST", "/resource_providers"): {"name": "new", "uuid": UNKNOWN, "parent_provider_uuid": ROOT},
        ("PUT", _PROVIDER): {"name": "renamed", "parent_provider_uuid": None},
        ("POST", f"{_PROVIDER}/inventories"): {"resource_class": "MEMORY_MB", **_INVENTORY},
        ("PUT", f"{_PROVIDER}/inventories"): {
            "resource_provider_generation": 0,
            "inventories": {"VCPU": _INVENTORY, "DISK_GB": _INVENTORY},
        },
        ("PUT", f"{_PROVIDER}/inventories/{{resource_class}}"): {"resource_provider_generation": 0, **_INVENTORY},
        ("PUT", f"{_PROVIDER}/aggregates"): {"resource_provider_generation": 0, "aggregates": [AGGREGATE, UNKNOWN]},
        ("PUT", f"{_PROVIDER}/traits"): {
            "resource_provider_generation": 0,
            "traits": ["CUSTOM_TRAIT", "HW_CPU_X86_AVX"],
        },
        ("POST", "/allocations"): {CONSUMER: _CLAIM, UNKNOWN: _NEW_CLAIM},
        ("PUT", "/allocations/{consumer}"): _CLAIM,
        ("POST", "/reshaper"): {
            "inventories": {
                ROOT: {"resource_provider_generation": 0, "inventories": {"CUSTOM_CLASS": _INVENTORY}},
                CHILD: {"resource_provider_generation": 0, "inventories": {"VCPU": _INVENTORY, "VGPU": _INVENTORY}},
            },
            "allocations": {CONSUMER: {**_CLAIM, "allocations": {CHILD: {"resources": {"VCPU": 1}}}}},
        },
    },
    queries={
        "/resource_providers": {"resources": "VCPU:1", "required": "CUSTOM_TRAIT", "member_of": AGGREGATE},
        "/traits": {"name": "startswith:CUSTOM", "associated": "true"},
        "/usages": {"project_id": "p", "user_id": "u", "consumer_type": "INSTANCE"},
        "/allocation_candidates": {
            "resources": "VCPU:1,DISK_GB:10",
            "required": "CUSTOM_TRAIT",
            "resources1": "VGPU:1",
            "group_policy": "none",
            "limit": "3",
        },
    },
    names=("resources1", "required1", "member_of1", "in_tree1", "resources_A", "required_A", "resources" + "9" * 70),
    query_values=(
        "VCPU:1", "VCPU:0", "VCPU:-1", "VCPU:1.5", "VCPU", "VCPU:", ":1", "VCPU:1,", "VCPU:1,VCPU:2", "vcpu:1",
        f"VCPU:{2**31}", f"VCPU:{2**63}", "VCPU:" + "9" * 5_000, "CUSTOM_NOTHING:1", "VCPU:1" + ",VCPU:1" * 300,
        "in:", "in:" + AGGREGATE, f"!in:{AGGREGATE},{UNKNOWN}", "!" + AGGREGATE, "!!" + AGGREGATE, "in:!" + AGGREGATE,
        "CUSTOM_TRAIT", "!CUSTOM_TRAIT", "in:CUSTOM_TRAIT,CUSTOM_NOTHING", "CUSTOM_TRAIT,!CUSTOM_TRAIT", "!", "in:!",
        "startswith:", "startswith:%", "in:CUSTOM_TRAIT,HW_CPU_X86_AVX", "isolate", "none", "1,_A", "_A", ROOT, SHARING,
        AGGREGATE, ",".join([AGGREGATE] * 500), "INSTANCE", "all", "unknown", "1" * 100,
    ),
)  # fmt: skip

NATIVE = Api(
    mount="/dibs",
    routes=NATIVE_ROUTES,
    headers={"content-type": b"application/json"},
    version_header="openstack-api-version",
    versions=(b"dibs 9.9", b"\xff", b""),
    arguments={"allocation": INSTANCE, "node": NODES["available"], "project": PROJECT},
    bodies={
        ("POST", "/v1/allocations"): {
            "resource_class": "large",
            "name": "mine",
            "uuid": UNKNOWN,
            "count": 1,
            "traits": ["CUSTOM_A"],
            "candidate_nodes": [NODES["available"], "held"],
            "extra": {"a": 1},
            "owner": "p",
            "sticky": True,
            "wait_seconds": 60,
        },
        ("POST", "/v1/allocations/{allocation}/retry"): {"wait_seconds": 60},
        ("POST", "/v1/leases/{lease}/release"): {"host": "held"},
        ("PUT", "/v1/quotas/{project}"): {"resource_class": "large", "nodes": 1_000, "node_hours": None, "queued": 100},
        ("PUT", "/v1/shares/{project}"): {"weight": 3},
        ("POST", "/v1/calendars"): {"project": "p", "mine": False, "node": NODES["available"]},
        ("POST", "/v1/webhooks/{webhook}/enable"): {},
        ("POST", "/v1/maintenance"): {"nodes": "*", "seconds": 3_600, "name": "fans", "apply": True},
        ("POST", "/v1/webhooks"): {"url": "https://8.8.8.8/events", "types": ["lease.started", "node"]},
    },
    queries={
        "/v1/allocations": {"state": "allocating", "resource_class": "large", "limit": "10", "marker": INSTANCE},
        "/v1/leases/availability": {
            "start": "now",
            "end": "2090-01-01T12:00",
            "resource_type": "virtual:instance",
            "vcpus": "2",
            "amount": "3",
            "affinity": "none",
            "hypervisor_properties": "%5B%22==%22,%22$vcpus%22,%2264%22%5D",
        },
        "/v1/nodes/{node}/history": {"at": "2090-01-01T12:00:00"},
        "/v1/why": {"resource_class": "large", "traits": "CUSTOM_A", "candidate_nodes": "held", "count": "2"},
        "/v1/why/nodes": {"resource_class": "large", "traits": "CUSTOM_A", "candidate_nodes": "held"},
        "/v1/why/candidates": {"resources": "VCPU:1", "required": "CUSTOM_A"},
    },
    names=("batch",),
    query_values=(
        "allocating", "large", "CUSTOM_A,CUSTOM_A", "held,available," + UNKNOWN, "100", "101", "9999", "now",
        "2090-01-01T12:00", "0001-01-01", "9999-12-31T23:59:59.999999", "2090-01-01T12:00+14:00", "physical:host",
        "flavor:instance", "999999999", '["==", "$vcpus", "NaN"]', '["and"]', "[[[]]]", "[" * 3_000,
    ),
)  # fmt: skip
