"""Every URL of the reservation dialect."""

from collections.abc import Mapping

from dibs.dialects.reservation import discovery, floating_ips, responses, schemas
from dibs.dialects.reservation.endpoints import Endpoint
from dibs.dialects.reservation.exchange import Handler
from dibs.dialects.reservation.handlers import hosts, leases
from dibs.documents.json_schema import Schema
from dibs.http.routing import Route

OK = {200: "OK"}
CREATED = {201: "Created"}
NO_CONTENT = {204: "No content"}


def _row(
    method: str,
    path: str,
    handle: Handler,
    rule: str | None,
    summary: str,
    *,
    statuses: Mapping[int, str] = OK,
    query: Mapping[str, Schema] | None = None,
    body: Schema | None = None,
    answer: Schema | None = None,
) -> Route[Endpoint]:
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle=handle, rule=rule),
        summary=summary,
        query=query or {},
        body=body,
        statuses=statuses,
        answer=answer,
    )


_CHOICES = {300: "Multiple choices"}
_DISCOVERY = (
    _row("GET", "/", discovery.list_versions, None, "List versions", statuses=_CHOICES, answer=responses.VERSIONS),
    _row(
        "GET", "/versions", discovery.list_versions, None, "List versions", statuses=_CHOICES, answer=responses.VERSIONS
    ),
    _row("GET", "/v1", discovery.show_version, None, "Show this version", answer=responses.VERSION),
)

_LEASE = "/v1/leases/{lease}"
_LEASES = (
    _row(
        "GET",
        "/v1/leases",
        leases.list_all,
        "blazar:leases:get",
        "List leases",
        query=leases.PAGE_QUERY,
        answer=responses.LEASES,
    ),
    _row(
        "POST",
        "/v1/leases",
        leases.create,
        "blazar:leases:post",
        "Create a lease",
        body=schemas.NEW,
        statuses=CREATED,
        answer=responses.LEASE,
    ),
    _row("GET", _LEASE, leases.show, "blazar:leases:get", "Show a lease", answer=responses.LEASE),
    _row(
        "PUT",
        _LEASE,
        leases.change,
        "blazar:leases:put",
        "Update a lease",
        body=schemas.CHANGED,
        answer=responses.LEASE,
    ),
    _row("DELETE", _LEASE, leases.delete, "blazar:leases:delete", "End and delete a lease", statuses=NO_CONTENT),
)

_HOST = "/v1/os-hosts/{host}"
_HOSTS = (
    _row("GET", "/v1/os-hosts", hosts.list_all, "blazar:oshosts:get", "List hosts", answer=responses.HOSTS),
    _row(
        "POST",
        "/v1/os-hosts",
        hosts.create,
        "blazar:oshosts:post",
        "Register a compute provider or a node as a host",
        body=hosts.NEW,
        statuses=CREATED,
        answer=responses.HOST,
    ),
    _row("GET", _HOST, hosts.show, "blazar:oshosts:get", "Show a host", answer=responses.HOST),
    _row(
        "PUT",
        _HOST,
        hosts.change,
        "blazar:oshosts:put",
        "Update the properties of a host",
        body=hosts.CHANGED,
        answer=responses.HOST,
    ),
    _row("DELETE", _HOST, hosts.delete, "blazar:oshosts:delete", "Remove a host", statuses=NO_CONTENT),
    _row(
        "GET",
        "/v1/os-hosts/allocations",
        hosts.list_allocations,
        "blazar:oshosts:get_allocations",
        "List the bookings of all hosts",
        query=hosts.OF_LEASE,
        answer=responses.ALLOCATIONS,
    ),
    _row(
        "GET",
        f"{_HOST}/allocation",
        hosts.show_allocation,
        "blazar:oshosts:get_allocations",
        "Show the bookings of a host",
        query=hosts.OF_LEASE,
        answer=responses.ALLOCATION,
    ),
    _row(
        "GET",
        "/v1/os-hosts/properties",
        hosts.list_properties,
        "blazar:oshosts:get_resource_properties",
        "List the properties of hosts",
        query=hosts.OF_PROPERTIES,
        answer=responses.PROPERTIES,
    ),
    _row(
        "PATCH",
        "/v1/os-hosts/properties/{name}",
        hosts.change_property,
        "blazar:oshosts:patch_resource_properties",
        "Make a property private or public",
        body=hosts.PRIVACY,
        answer=responses.PROPERTY,
    ),
)

_FLOATING_IP = "/v1/floatingips/{address}"
_LEFT_OUT = {404: "Floating IPs are not supported"}
_NOT_SERVED = "Not supported: floating IPs"
_FLOATING_IPS = tuple(
    _row(method, path, floating_ips.refuse, f"blazar:floatingips:{method.lower()}", _NOT_SERVED, statuses=_LEFT_OUT)
    for method, path in (
        ("GET", "/v1/floatingips"),
        ("POST", "/v1/floatingips"),
        ("GET", _FLOATING_IP),
        ("DELETE", _FLOATING_IP),
    )
)

ROUTES: tuple[Route[Endpoint], ...] = (*_DISCOVERY, *_LEASES, *_HOSTS, *_FLOATING_IPS)
