"""Version discovery, answered without authentication."""

from typing import Any

from dibs.dialects.baremetal.exchange import Exchange, json_answer
from dibs.dialects.baremetal.microversions import LIMITS
from dibs.http.messages import Response

RESOURCES_SINCE = {
    "nodes": 1, "ports": 1, "drivers": 1, "chassis": 1, "portgroups": 23, "volume": 32, "reservations": 37,
    "conductors": 49, "allocations": 52,
}  # fmt: skip
"""The resources that Dibs has, each with its first version: clients look here for what they may use."""


def show_versions(exchange: Exchange) -> Response:
    """GET /"""
    version = _version(exchange)
    document = {
        "name": "OpenStack Ironic API",
        "description": "Dibs speaks the bare-metal API: machines, their traits, and who may have them.",
        "default_version": version,
        "versions": [version],
    }
    return json_answer(document)


def show_version(exchange: Exchange) -> Response:
    """GET /v1"""
    document: dict[str, Any] = {
        "id": "v1",
        "links": [{"href": exchange.url(""), "rel": "self"}],
        "media_types": {"base": "application/json", "type": "application/vnd.openstack.ironic.v1+json"},
        "version": _version(exchange),
    }
    for name, since in RESOURCES_SINCE.items():
        if since <= exchange.minor:
            document[name] = exchange.links(name, "")
    return json_answer(document)


def _version(exchange: Exchange) -> dict[str, Any]:
    minimum, maximum = (value for _, value in LIMITS)
    return {
        "id": "v1",
        "links": [{"href": exchange.url(""), "rel": "self"}],
        "status": "CURRENT",
        "min_version": minimum,
        "version": maximum,
    }
