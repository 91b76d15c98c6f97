"""Every URL of the dialect: method, path, handler, first version, and the rule of the policy that guards it.

One list per noun. The order of the rows of a path is the order of methods in its ``Allow`` header. A row made with
``_reads`` answers JSON and refuses (406) who does not accept it; one made with ``_takes`` wants a JSON body and refuses
any other (415); one made with ``_acts`` has neither. To add a URL: write a handler and a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dibs.dialects.placement import allocations, discovery, usages
from dibs.dialects.placement.exchange import Handler
from dibs.dialects.placement.schemas import Schema
from dibs.http.routing import Route

_OK = {200: "As asked for."}
_DONE = {204: "Done."}
_PROVIDER = "/resource_providers/{uuid}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """What a row leads to, and what is checked before."""

    handle: Handler
    rule: str | None
    """The rule that must allow it; None when everybody may, or when the handler itself asks."""
    takes_json: bool = False
    gives_json: bool = False
    too_old: int = 404
    """The status for a version before the first."""


Rows = list[Route[Endpoint]]


def _reads(
    path: str,
    handle: Handler,
    rule: str | None,
    summary: str,
    *,
    since: int = 0,
    query: Mapping[str, Schema] | None = None,
) -> Route[Endpoint]:
    """A GET that answers JSON."""
    return Route(
        method="GET",
        path=path,
        handler=Endpoint(handle=handle, rule=rule, gives_json=True),
        summary=summary,
        since=since,
        query=query or {},
        statuses=_OK,
    )


def _takes(
    method: str,
    path: str,
    handle: Handler,
    rule: str,
    summary: str,
    *,
    body: Schema,
    statuses: Mapping[int, str] = _OK,
    since: int = 0,
    until: int | None = None,
) -> Route[Endpoint]:
    """A request with a JSON body; ``body`` is its newest schema."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle=handle, rule=rule, takes_json=True),
        summary=summary,
        since=since,
        until=until,
        body=body,
        statuses=statuses,
    )


def _acts(
    method: str,
    path: str,
    handle: Handler,
    rule: str,
    summary: str,
    *,
    statuses: Mapping[int, str] = _DONE,
    since: int = 0,
    until: int | None = None,
    too_old: int = 404,
) -> Route[Endpoint]:
    """A request without a body that gets none back."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle=handle, rule=rule, too_old=too_old),
        summary=summary,
        since=since,
        until=until,
        statuses=statuses,
    )


_ROOT: Rows = [
    Route(
        method="GET",
        path="/",
        handler=Endpoint(handle=discovery.show_versions, rule=None),
        summary="The versions of the API",
        statuses=_OK,
    ),
]

_RESOURCE_CLASSES: Rows = []

_RESOURCE_PROVIDERS: Rows = []

_INVENTORIES: Rows = []

_AGGREGATES: Rows = []

_TRAITS: Rows = []

_CONSUMER = "/allocations/{consumer}"

_ALLOCATIONS: Rows = [
    _takes(
        "POST",
        "/allocations",
        allocations.set_allocations,
        "placement:allocations:manage",
        "Set what several consumers have, all together or not at all",
        body=allocations.MANY_CONSUMERS[38],
        statuses=_DONE,
        since=13,
    ),
    _reads(
        _CONSUMER, allocations.list_allocations_of_consumer, "placement:allocations:list", "Show what a consumer has"
    ),
    _takes(
        "PUT",
        _CONSUMER,
        allocations.set_allocations_of_consumer,
        "placement:allocations:update",
        "Set what a consumer has",
        body=allocations.ONE_CONSUMER[38],
        statuses=_DONE,
    ),
    _acts(
        "DELETE",
        _CONSUMER,
        allocations.delete_allocations_of_consumer,
        "placement:allocations:delete",
        "Take everything back from a consumer",
    ),
    _reads(
        f"{_PROVIDER}/allocations",
        allocations.list_allocations_of_provider,
        "placement:resource_providers:allocations:list",
        "Show what is claimed of a provider",
    ),
]

_USAGES: Rows = [
    _reads(
        f"{_PROVIDER}/usages",
        usages.show_provider_usage,
        "placement:resource_providers:usages",
        "Show how much of a provider is used",
    ),
    _reads("/usages", usages.show_usage_of_project, None, "Show how much a project uses", since=9, query=usages.QUERY),
]

_CANDIDATES: Rows = []

_RESHAPER: Rows = []

ROUTES: tuple[Route[Endpoint], ...] = (
    *_ROOT,
    *_RESOURCE_CLASSES,
    *_RESOURCE_PROVIDERS,
    *_INVENTORIES,
    *_AGGREGATES,
    *_TRAITS,
    *_ALLOCATIONS,
    *_USAGES,
    *_CANDIDATES,
    *_RESHAPER,
)
