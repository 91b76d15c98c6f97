"""Version discovery, extensions, and limits: Dibs sets none."""

from typing import Any

from dibs.access.compute_policy import OTHER_PROJECT_LIMITS
from dibs.dialects.compute.exchange import VERSION, Exchange, json_answer
from dibs.dialects.compute.microversions import (
    FEWER_LIMITS_SINCE,
    MAXIMUM,
    MINIMUM,
    NO_IMAGE_LIMIT_SINCE,
    NO_PERSONALITY_SINCE,
    version_text,
)
from dibs.http.messages import Response

UNLIMITED = -1

LIMITS = {
    "maxTotalInstances": None,
    "maxTotalCores": None,
    "maxTotalRAMSize": None,
    "maxTotalKeypairs": None,
    "maxServerMeta": None,
    "maxServerGroups": None,
    "maxServerGroupMembers": None,
    "maxImageMeta": NO_IMAGE_LIMIT_SINCE,
    "maxTotalFloatingIps": FEWER_LIMITS_SINCE,
    "maxSecurityGroups": FEWER_LIMITS_SINCE,
    "maxSecurityGroupRules": FEWER_LIMITS_SINCE,
    "maxPersonality": NO_PERSONALITY_SINCE,
    "maxPersonalitySize": NO_PERSONALITY_SINCE,
}
"""Every limit of Nova, with the version that removed it; None when all versions have it."""


def show_versions(exchange: Exchange) -> Response:
    """GET /"""
    return json_answer({"versions": [_version(exchange)]})


def show_version(exchange: Exchange) -> Response:
    """GET /v2.1"""
    media = [{"base": "application/json", "type": "application/vnd.openstack.compute+json;version=2.1"}]
    return json_answer({"version": _version(exchange) | {"media-types": media}})


def show_limits(exchange: Exchange) -> Response:
    """GET /v2.1/limits"""
    if exchange.query("tenant_id") is not None:
        exchange.require(OTHER_PROJECT_LIMITS)
    limits = {name: UNLIMITED for name, until in LIMITS.items() if until is None or exchange.minor < until}
    return json_answer({"limits": {"rate": [], "absolute": limits}})


def list_extensions(exchange: Exchange) -> Response:
    """GET /v2.1/extensions"""
    return json_answer({"extensions": []})


def _version(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": VERSION,
        "status": "CURRENT",
        "version": version_text(MAXIMUM[1]),
        "min_version": version_text(MINIMUM[1]),
        "updated": "2013-07-23T11:33:21Z",
        "links": [{"rel": "self", "href": exchange.url("")}],
    }
