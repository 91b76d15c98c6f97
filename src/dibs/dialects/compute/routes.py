"""Every URL of the compute dialect."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from dibs.dialects.compute import discovery
from dibs.dialects.compute.exchange import Handler
from dibs.dialects.compute.handlers import (
    flavor_details,
    flavors,
    hypervisors,
    identity,
    images,
    server_details,
    server_requests,
    servers,
    services,
)
from dibs.dialects.compute.microversions import FLAVOR_DESCRIPTION_SINCE, IMAGES_UNTIL, UUIDS_SINCE
from dibs.dialects.compute.schemas import Schema
from dibs.http.routing import Route

_API = "os_compute_api:"
_FLAVOR = "/v2.1/flavors/{flavor}"
_SPECS = f"{_FLAVOR}/os-extra_specs"
_SERVER = "/v2.1/servers/{server}"
_HYPERVISOR = "/v2.1/os-hypervisors/{hypervisor}"
_OK = {200: "Done."}


class Endpoint(Struct, frozen=True):
    """The handler of a route, and the rule that it needs."""

    handle: Handler
    rule: str | None = None
    """The rule that must allow it in the caller's own project; None when every caller may, or the handler checks."""


def _route(
    method: str,
    path: str,
    handle: Handler,
    summary: str,
    rule: str | None = None,
    *,
    since: int = 1,
    until: int | None = None,
    body: Schema | None = None,
    query: Mapping[str, Mapping[str, Any]] | None = None,
    statuses: Mapping[int, str] = _OK,
) -> Route[Endpoint]:
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle, None if rule is None else _API + rule),
        summary=summary,
        since=since,
        until=until,
        body=body,
        query=query or {},
        statuses=statuses,
    )


_NEWEST_FLAVOR = flavors.CREATE[max(flavors.CREATE)]
_NEWEST_SERVER = server_requests.CREATE[max(server_requests.CREATE)]
_NEWEST_CHANGE = server_requests.CHANGE[max(server_requests.CHANGE)]
_DELETED = {204: "Deleted."}
_ACCEPTED = {202: "Accepted."}

ROUTES: tuple[Route[Endpoint], ...] = (
    _route("GET", "/", discovery.show_versions, "List API versions"),
    _route("GET", "/v2.1", discovery.show_version, "Show the API version"),
    _route("GET", "/v2.1/limits", discovery.show_limits, "Show limits: Dibs sets none", "limits"),
    _route("GET", "/v2.1/extensions", discovery.list_extensions, "List extensions: Dibs has none", "extensions"),
    # --- flavors ---
    _route("GET", "/v2.1/flavors", flavors.list_all, "List flavors", query=flavors.QUERY),
    _route("POST", "/v2.1/flavors", flavors.create, "Create a flavor", "os-flavor-manage:create", body=_NEWEST_FLAVOR),
    _route("GET", "/v2.1/flavors/detail", flavors.list_details, "List flavors in detail", query=flavors.QUERY),
    _route("GET", _FLAVOR, flavors.show, "Show a flavor"),
    _route(
        "PUT",
        _FLAVOR,
        flavors.change,
        "Change the description of a flavor",
        "os-flavor-manage:update",
        since=FLAVOR_DESCRIPTION_SINCE,
        body=flavors.CHANGE,
    ),
    _route("DELETE", _FLAVOR, flavors.delete, "Delete a flavor", "os-flavor-manage:delete", statuses=_ACCEPTED),
    _route("GET", _SPECS, flavor_details.list_specs, "List extra specs", "os-flavor-extra-specs:index"),
    _route(
        "POST",
        _SPECS,
        flavor_details.create_specs,
        "Add extra specs",
        "os-flavor-extra-specs:create",
        body=flavor_details.SPECS,
    ),
    _route("GET", _SPECS + "/{key}", flavor_details.show_spec, "Show an extra spec", "os-flavor-extra-specs:show"),
    _route(
        "PUT",
        _SPECS + "/{key}",
        flavor_details.change_spec,
        "Change an extra spec",
        "os-flavor-extra-specs:update",
        body=flavor_details.ONE_SPEC,
    ),
    _route(
        "DELETE", _SPECS + "/{key}", flavor_details.delete_spec, "Delete an extra spec", "os-flavor-extra-specs:delete"
    ),
    _route(
        "GET",
        f"{_FLAVOR}/os-flavor-access",
        flavor_details.show_access,
        "List the projects with access to a flavor",
        "os-flavor-access",
    ),
    _route(
        "POST",
        f"{_FLAVOR}/action",
        flavor_details.act,
        "Add or remove the access of a project to a flavor",
        body=flavor_details.ACTION,
    ),
    # --- servers ---
    _route("GET", "/v2.1/servers", servers.list_all, "List servers", "servers:index", query=servers.QUERY),
    _route(
        "POST",
        "/v2.1/servers",
        servers.create,
        "Launch servers",
        "servers:create",
        body=_NEWEST_SERVER,
        statuses={202: "Accepted. GET shows the server on its host, or in ERROR with the reason."},
    ),
    _route(
        "GET",
        "/v2.1/servers/detail",
        servers.list_details,
        "List servers in detail",
        "servers:detail",
        query=servers.QUERY,
    ),
    _route("GET", _SERVER, servers.show, "Show a server"),
    _route("PUT", _SERVER, servers.change, "Change the name or description of a server", body=_NEWEST_CHANGE),
    _route("DELETE", _SERVER, servers.delete, "Delete a server", statuses=_DELETED),
    _route(
        "POST",
        f"{_SERVER}/action",
        server_details.act,
        "Start, stop or reboot a server on a bare-metal node",
        body=server_details.ACTION,
        statuses=_ACCEPTED,
    ),
    _route("GET", f"{_SERVER}/metadata", server_details.list_metadata, "List metadata"),
    _route("POST", f"{_SERVER}/metadata", server_details.add_metadata, "Add metadata", body=server_details.ITEMS),
    _route(
        "PUT", f"{_SERVER}/metadata", server_details.replace_metadata, "Replace metadata", body=server_details.ITEMS
    ),
    _route("GET", _SERVER + "/metadata/{key}", server_details.show_metadata, "Show a metadata item"),
    _route(
        "PUT",
        _SERVER + "/metadata/{key}",
        server_details.set_metadata,
        "Set a metadata item",
        body=server_details.ITEM,
    ),
    _route(
        "DELETE",
        _SERVER + "/metadata/{key}",
        server_details.delete_metadata,
        "Delete a metadata item",
        statuses=_DELETED,
    ),
    # --- hypervisors and services ---
    _route(
        "GET",
        "/v2.1/os-hypervisors",
        hypervisors.list_all,
        "List hypervisors",
        "os-hypervisors:list",
        query=hypervisors.QUERY,
    ),
    _route(
        "GET",
        "/v2.1/os-hypervisors/detail",
        hypervisors.list_details,
        "List hypervisors in detail",
        "os-hypervisors:list-detail",
        query=hypervisors.QUERY,
    ),
    _route("GET", _HYPERVISOR, hypervisors.show, "Show a hypervisor", "os-hypervisors:show"),
    _route(
        "GET",
        f"{_HYPERVISOR}/uptime",
        hypervisors.show_uptime,
        "Show the uptime of a hypervisor: always 501",
        "os-hypervisors:uptime",
    ),
    _route(
        "GET",
        f"{_HYPERVISOR}/search",
        hypervisors.search,
        "Search hypervisors by a part of their name",
        "os-hypervisors:search",
        until=UUIDS_SINCE - 1,
    ),
    _route(
        "GET",
        f"{_HYPERVISOR}/servers",
        hypervisors.list_servers,
        "List the servers of hypervisors found by a part of their name",
        "os-hypervisors:servers",
        until=UUIDS_SINCE - 1,
    ),
    _route(
        "GET", "/v2.1/os-services", services.list_all, "List compute services", "os-services:list", query=services.QUERY
    ),
    _route(
        "PUT",
        "/v2.1/os-services/{service}",
        services.switch,
        "Enable or disable a compute service by its host",
        "os-services:update",
        until=UUIDS_SINCE - 1,
        body=services.SWITCH,
    ),
    _route(
        "PUT",
        "/v2.1/os-services/{service}",
        services.change,
        "Enable or disable a compute service by its uuid",
        "os-services:update",
        since=UUIDS_SINCE,
        body=services.CHANGE,
    ),
    _route(
        "GET", "/v2.1/os-availability-zone", services.list_zones, "List availability zones", "os-availability-zone:list"
    ),
    _route(
        "GET",
        "/v2.1/os-availability-zone/detail",
        services.list_zone_details,
        "List availability zones with their hosts",
        "os-availability-zone:detail",
    ),
    _route(
        "GET", "/v2.1/os-aggregates", services.list_aggregates, "List aggregates: Dibs has none", "os-aggregates:index"
    ),
    # --- images ---
    _route("GET", "/v2.1/images", images.list_compute, "List images", until=IMAGES_UNTIL),
    _route("GET", "/v2.1/images/detail", images.list_compute_details, "List images in detail", until=IMAGES_UNTIL),
    _route("GET", "/v2.1/images/{image}", images.show_compute, "Show an image", until=IMAGES_UNTIL),
    _route("GET", "/image", images.show_image_versions, "List versions of the image service"),
    _route("GET", "/image/v2", images.show_image_version, "Show the version of the image service"),
    _route("GET", "/image/v2/images", images.list_images, "List images in the format of Glance"),
    _route("GET", "/image/v2/images/{image}", images.show_image, "Show an image in the format of Glance"),
    # --- projects and users ---
    _route("GET", "/identity", identity.show_identity_versions, "List versions of the identity service"),
    _route("GET", "/identity/v3", identity.show_identity_version, "Show the version of the identity service"),
    _route("GET", "/identity/v3/projects", identity.list_projects, "List projects by name"),
    _route("GET", "/identity/v3/projects/{project}", identity.show_project, "Show a project"),
    _route("GET", "/identity/v3/users", identity.list_users, "List users by name"),
    _route("GET", "/identity/v3/users/{user}", identity.show_user, "Show a user"),
)
