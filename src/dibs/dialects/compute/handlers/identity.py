"""Projects and users, as far as stock commands look them up: whoever is named is there, under that name.

Without Keystone a project is whatever callers and the file of users call one. The ``openstack`` command wants an
identity service all the same before it lists servers or makes flavors, and asks it for the projects that its user
names.
"""

from typing import Any

from dibs.dialects.compute.exchange import Exchange, json_answer
from dibs.http.messages import Response

DOMAIN = "default"


def show_identity_versions(exchange: Exchange) -> Response:
    """GET /identity"""
    return json_answer({"versions": {"values": [_version(exchange)]}})


def show_identity_version(exchange: Exchange) -> Response:
    """GET /identity/v3"""
    return json_answer({"version": _version(exchange)})


def show_project(exchange: Exchange) -> Response:
    """GET /identity/v3/projects/{project}"""
    return json_answer({"project": _named(exchange.arguments["project"])})


def list_projects(exchange: Exchange) -> Response:
    """GET /identity/v3/projects: those that the caller names, or its own"""
    name = exchange.query("name") or exchange.actor.project
    return json_answer({"projects": [_named(name)] if name else [], "links": {"next": None}})


def show_user(exchange: Exchange) -> Response:
    """GET /identity/v3/users/{user}"""
    return json_answer({"user": _named(exchange.arguments["user"])})


def list_users(exchange: Exchange) -> Response:
    """GET /identity/v3/users: those that the caller names, or itself"""
    name = exchange.query("name") or exchange.actor.user
    return json_answer({"users": [_named(name)] if name else [], "links": {"next": None}})


def _named(name: str) -> dict[str, Any]:
    return {"id": name, "name": name, "domain_id": DOMAIN, "enabled": True}


def _version(exchange: Exchange) -> dict[str, Any]:
    href = f"{exchange.request.base_url}/identity/v3/"
    return {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": href}]}
