"""Projects and users for stock commands: every name exists, and is its own id.

Without Keystone, a project is a name that callers and the user file choose. The ``openstack`` command still needs an
identity service: before it lists servers or creates flavors, it looks up the projects that its user names.
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
    return json_answer({"project": _entry(exchange.arguments["project"])})


def list_projects(exchange: Exchange) -> Response:
    """GET /identity/v3/projects: the project in the query, or the caller's own"""
    name = exchange.query("name") or exchange.actor.project
    return json_answer({"projects": [_entry(name)] if name else [], "links": {"next": None}})


def show_user(exchange: Exchange) -> Response:
    """GET /identity/v3/users/{user}"""
    return json_answer({"user": _entry(exchange.arguments["user"])})


def list_users(exchange: Exchange) -> Response:
    """GET /identity/v3/users: the user in the query, or the caller"""
    name = exchange.query("name") or exchange.actor.user
    return json_answer({"users": [_entry(name)] if name else [], "links": {"next": None}})


def _entry(name: str) -> dict[str, Any]:
    return {"id": name, "name": name, "domain_id": DOMAIN, "enabled": True}


def _version(exchange: Exchange) -> dict[str, Any]:
    href = f"{exchange.request.base_url}/identity/v3/"
    return {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": href}]}
