"""Every URL of the compute dialect."""

from dibs.dialects.compute import discovery, responses
from dibs.dialects.compute.endpoints import Endpoint, route
from dibs.dialects.compute.handlers import (
    aggregates,
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
from dibs.http.routing import Route

_FLAVOR = "/v2.1/flavors/{flavor}"
_SPECS = f"{_FLAVOR}/os-extra_specs"
_SERVER = "/v2.1/servers/{server}"
_HYPERVISOR = "/v2.1/os-hypervisors/{hypervisor}"
_AGGREGATE = "/v2.1/os-aggregates/{aggregate}"


_NEWEST_FLAVOR = flavors.CREATE[max(flavors.CREATE)]
_NEWEST_SERVER = server_requests.CREATE[max(server_requests.CREATE)]
_NEWEST_CHANGE = server_requests.CHANGE[max(server_requests.CHANGE)]
_DELETED = {204: "Deleted."}
_ACCEPTED = {202: "Accepted."}

ROUTES: tuple[Route[Endpoint], ...] = (
    route("GET", "/", discovery.show_versions, "List API versions", answer=responses.VERSIONS),
    route("GET", "/v2.1", discovery.show_version, "Show the API version", answer=responses.VERSION),
    route(
        "GET",
        "/v2.1/limits",
        discovery.show_limits,
        "Show limits: Dibs sets none",
        "limits",
        answer=responses.SHOWN_LIMITS,
    ),
    route(
        "GET",
        "/v2.1/extensions",
        discovery.list_extensions,
        "List extensions: Dibs has none",
        "extensions",
        answer=responses.EXTENSIONS,
    ),
    # --- flavors ---
    route("GET", "/v2.1/flavors", flavors.list_all, "List flavors", query=flavors.QUERY, answer=responses.FLAVORS),
    route(
        "POST",
        "/v2.1/flavors",
        flavors.create,
        "Create a flavor",
        "os-flavor-manage:create",
        body=_NEWEST_FLAVOR,
        answer=responses.FLAVOR,
    ),
    route(
        "GET",
        "/v2.1/flavors/detail",
        flavors.list_details,
        "List flavors in detail",
        query=flavors.QUERY,
        answer=responses.FLAVORS_IN_DETAIL,
    ),
    route("GET", _FLAVOR, flavors.show, "Show a flavor", answer=responses.FLAVOR),
    route(
        "PUT",
        _FLAVOR,
        flavors.change,
        "Change the description of a flavor",
        "os-flavor-manage:update",
        since=FLAVOR_DESCRIPTION_SINCE,
        body=flavors.CHANGE,
        answer=responses.FLAVOR,
    ),
    route("DELETE", _FLAVOR, flavors.delete, "Delete a flavor", "os-flavor-manage:delete", statuses=_ACCEPTED),
    route(
        "GET",
        _SPECS,
        flavor_details.list_specs,
        "List extra specs",
        "os-flavor-extra-specs:index",
        answer=responses.EXTRA_SPECS,
    ),
    route(
        "POST",
        _SPECS,
        flavor_details.create_specs,
        "Add extra specs",
        "os-flavor-extra-specs:create",
        body=flavor_details.SPECS,
        answer=responses.EXTRA_SPECS,
    ),
    route(
        "GET",
        _SPECS + "/{key}",
        flavor_details.show_spec,
        "Show an extra spec",
        "os-flavor-extra-specs:show",
        answer=responses.EXTRA_SPEC,
    ),
    route(
        "PUT",
        _SPECS + "/{key}",
        flavor_details.change_spec,
        "Change an extra spec",
        "os-flavor-extra-specs:update",
        body=flavor_details.ONE_SPEC,
        answer=responses.EXTRA_SPEC,
    ),
    route(
        "DELETE", _SPECS + "/{key}", flavor_details.delete_spec, "Delete an extra spec", "os-flavor-extra-specs:delete"
    ),
    route(
        "GET",
        f"{_FLAVOR}/os-flavor-access",
        flavor_details.show_access,
        "List the projects with access to a flavor",
        "os-flavor-access",
        answer=responses.FLAVOR_ACCESS,
    ),
    route(
        "POST",
        f"{_FLAVOR}/action",
        flavor_details.act,
        "Add or remove the access of a project to a flavor",
        body=flavor_details.ACTION,
        answer=responses.FLAVOR_ACCESS,
    ),
    # --- servers ---
    route(
        "GET",
        "/v2.1/servers",
        servers.list_all,
        "List servers",
        "servers:index",
        query=servers.QUERY,
        answer=responses.SERVERS,
    ),
    route(
        "POST",
        "/v2.1/servers",
        servers.create,
        "Launch servers",
        "servers:create",
        body=_NEWEST_SERVER,
        statuses={202: "Accepted. GET shows the server on its host, or in ERROR with the reason."},
        answer=responses.LAUNCHED,
    ),
    route(
        "GET",
        "/v2.1/servers/detail",
        servers.list_details,
        "List servers in detail",
        "servers:detail",
        query=servers.QUERY,
        answer=responses.SERVERS_IN_DETAIL,
    ),
    route("GET", _SERVER, servers.show, "Show a server", answer=responses.SERVER),
    route(
        "PUT",
        _SERVER,
        servers.change,
        "Change the name or description of a server",
        body=_NEWEST_CHANGE,
        answer=responses.SERVER,
    ),
    route("DELETE", _SERVER, servers.delete, "Delete a server", statuses=_DELETED),
    route(
        "POST",
        f"{_SERVER}/action",
        server_details.act,
        "Start, stop or reboot a server on a bare-metal node",
        body=server_details.ACTION,
        statuses=_ACCEPTED,
    ),
    route("GET", f"{_SERVER}/metadata", server_details.list_metadata, "List metadata", answer=responses.METADATA),
    route(
        "POST",
        f"{_SERVER}/metadata",
        server_details.add_metadata,
        "Add metadata",
        body=server_details.ITEMS,
        answer=responses.METADATA,
    ),
    route(
        "PUT",
        f"{_SERVER}/metadata",
        server_details.replace_metadata,
        "Replace metadata",
        body=server_details.ITEMS,
        answer=responses.METADATA,
    ),
    route(
        "GET",
        _SERVER + "/metadata/{key}",
        server_details.show_metadata,
        "Show a metadata item",
        answer=responses.METADATA_ITEM,
    ),
    route(
        "PUT",
        _SERVER + "/metadata/{key}",
        server_details.set_metadata,
        "Set a metadata item",
        body=server_details.ITEM,
        answer=responses.METADATA_ITEM,
    ),
    route(
        "DELETE",
        _SERVER + "/metadata/{key}",
        server_details.delete_metadata,
        "Delete a metadata item",
        statuses=_DELETED,
    ),
    # --- hypervisors and services ---
    route(
        "GET",
        "/v2.1/os-hypervisors",
        hypervisors.list_all,
        "List hypervisors",
        "os-hypervisors:list",
        query=hypervisors.QUERY,
        answer=responses.HYPERVISORS,
    ),
    route(
        "GET",
        "/v2.1/os-hypervisors/detail",
        hypervisors.list_details,
        "List hypervisors in detail",
        "os-hypervisors:list-detail",
        query=hypervisors.QUERY,
        answer=responses.HYPERVISORS_IN_DETAIL,
    ),
    route(
        "GET", _HYPERVISOR, hypervisors.show, "Show a hypervisor", "os-hypervisors:show", answer=responses.HYPERVISOR
    ),
    route(
        "GET",
        f"{_HYPERVISOR}/uptime",
        hypervisors.show_uptime,
        "Show the uptime of a hypervisor: always 501",
        "os-hypervisors:uptime",
        statuses={501: "Dibs does not know the uptime."},
    ),
    route(
        "GET",
        f"{_HYPERVISOR}/search",
        hypervisors.search,
        "Search hypervisors by a part of their name",
        "os-hypervisors:search",
        until=UUIDS_SINCE - 1,
        answer=responses.HYPERVISORS,
    ),
    route(
        "GET",
        f"{_HYPERVISOR}/servers",
        hypervisors.list_servers,
        "List the servers of hypervisors found by a part of their name",
        "os-hypervisors:servers",
        until=UUIDS_SINCE - 1,
        answer=responses.HYPERVISORS,
    ),
    route(
        "GET",
        "/v2.1/os-services",
        services.list_all,
        "List compute services",
        "os-services:list",
        query=services.QUERY,
        answer=responses.SERVICES,
    ),
    route(
        "PUT",
        "/v2.1/os-services/{service}",
        services.switch,
        "Enable or disable a compute service by its host",
        "os-services:update",
        until=UUIDS_SINCE - 1,
        body=services.SWITCH,
        answer=responses.SWITCHED_SERVICE,
    ),
    route(
        "PUT",
        "/v2.1/os-services/{service}",
        services.change,
        "Enable or disable a compute service by its uuid",
        "os-services:update",
        since=UUIDS_SINCE,
        body=services.CHANGE,
        answer=responses.SERVICE,
    ),
    route(
        "GET",
        "/v2.1/os-availability-zone",
        services.list_zones,
        "List availability zones",
        "os-availability-zone:list",
        answer=responses.ZONES,
    ),
    route(
        "GET",
        "/v2.1/os-availability-zone/detail",
        services.list_zone_details,
        "List availability zones with their hosts",
        "os-availability-zone:detail",
        answer=responses.ZONES,
    ),
    route(
        "GET",
        "/v2.1/os-aggregates",
        aggregates.list_all,
        "List host aggregates: the free pool, and one for each active reservation of hosts",
        "os-aggregates:index",
        answer=responses.AGGREGATES,
    ),
    route("GET", _AGGREGATE, aggregates.show, "Show an aggregate", "os-aggregates:show", answer=responses.AGGREGATE),
    *(
        route(
            method,
            path,
            aggregates.refuse,
            "Refused: aggregates follow from leases",
            f"os-aggregates:{rule}",
            statuses={409: "Aggregates cannot be changed."},
        )
        for method, path, rule in (
            ("POST", "/v2.1/os-aggregates", "create"),
            ("PUT", _AGGREGATE, "update"),
            ("DELETE", _AGGREGATE, "delete"),
            ("POST", f"{_AGGREGATE}/action", "set_metadata"),
        )
    ),
    # --- images ---
    route("GET", "/v2.1/images", images.list_compute, "List images", until=IMAGES_UNTIL, answer=responses.IMAGES),
    route(
        "GET",
        "/v2.1/images/detail",
        images.list_compute_details,
        "List images in detail",
        until=IMAGES_UNTIL,
        answer=responses.IMAGES_IN_DETAIL,
    ),
    route(
        "GET", "/v2.1/images/{image}", images.show_compute, "Show an image", until=IMAGES_UNTIL, answer=responses.IMAGE
    ),
    route("GET", "/image", images.show_image_versions, "List versions of the image service", answer=responses.VERSIONS),
    route(
        "GET", "/image/v2", images.show_image_version, "Show the version of the image service", answer=responses.VERSION
    ),
    route(
        "GET",
        "/image/v2/images",
        images.list_images,
        "List images in the format of Glance",
        answer=responses.GLANCE_IMAGES,
    ),
    route(
        "GET",
        "/image/v2/images/{image}",
        images.show_image,
        "Show an image in the format of Glance",
        answer=responses.GLANCE_IMAGE,
    ),
    # --- projects and users ---
    route(
        "GET",
        "/identity",
        identity.show_identity_versions,
        "List versions of the identity service",
        answer=responses.IDENTITY_VERSIONS,
    ),
    route(
        "GET",
        "/identity/v3",
        identity.show_identity_version,
        "Show the version of the identity service",
        answer=responses.VERSION,
    ),
    route("GET", "/identity/v3/projects", identity.list_projects, "List projects by name", answer=responses.PROJECTS),
    route("GET", "/identity/v3/projects/{project}", identity.show_project, "Show a project", answer=responses.PROJECT),
    route("GET", "/identity/v3/users", identity.list_users, "List users by name", answer=responses.USERS),
    route("GET", "/identity/v3/users/{user}", identity.show_user, "Show a user", answer=responses.USER),
)
