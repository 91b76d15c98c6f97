"""Every URL of the dialect: method, path, handler, first version, and the rule of the policy that guards it.

One list per noun. The order of the rows of a path is the order of methods in its ``Allow`` header. A row made with
``_reads`` answers JSON and refuses (406) who does not accept it; one made with ``_takes`` wants a JSON body and refuses
any other (415); one made with ``_acts`` has neither. To add a URL: write a handler and a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dibs.dialects.placement import (
    aggregates,
    allocation_candidates,
    allocations,
    discovery,
    inventories,
    reshaper,
    resource_classes,
    resource_providers,
    traits,
    usages,
)
from dibs.dialects.placement.exchange import Handler
from dibs.dialects.placement.schemas import Schema
from dibs.http.routing import Route

_OK = {200: "As asked for."}
_DONE = {204: "Done."}
_CREATED = {201: "Made; Location says where it is."}
_MADE_OR_THERE = {201: "Made; Location says where it is.", 204: "It was there already."}
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

_CLASS = "/resource_classes/{name}"

_RESOURCE_CLASSES: Rows = [
    _reads(
        "/resource_classes",
        resource_classes.list_all,
        "placement:resource_classes:list",
        "List resource classes",
        since=2,
    ),
    _takes(
        "POST",
        "/resource_classes",
        resource_classes.create,
        "placement:resource_classes:create",
        "Make a custom resource class",
        body=resource_classes.NAMED,
        statuses=_CREATED,
        since=2,
    ),
    _reads(_CLASS, resource_classes.show, "placement:resource_classes:show", "Show a resource class", since=2),
    _takes(
        "PUT",
        _CLASS,
        resource_classes.rename,
        "placement:resource_classes:update",
        "Rename a custom resource class",
        body=resource_classes.NAMED,
        since=2,
        until=6,
    ),
    _acts(
        "PUT",
        _CLASS,
        resource_classes.ensure,
        "placement:resource_classes:update",
        "Make a custom resource class unless it is there",
        statuses=_MADE_OR_THERE,
        since=7,
    ),
    _acts(
        "DELETE",
        _CLASS,
        resource_classes.delete,
        "placement:resource_classes:delete",
        "Remove a custom resource class that no provider has",
        since=2,
    ),
]

_RESOURCE_PROVIDERS: Rows = [
    _reads(
        "/resource_providers",
        resource_providers.list_all,
        "placement:resource_providers:list",
        "List providers",
        query={name: schema for name, (_, schema) in resource_providers.PARAMETERS.items()},
    ),
    _takes(
        "POST",
        "/resource_providers",
        resource_providers.create,
        "placement:resource_providers:create",
        "Make a provider",
        body=resource_providers.CREATE[resource_providers.TREES_SINCE],
    ),
    _reads(_PROVIDER, resource_providers.show, "placement:resource_providers:show", "Show a provider"),
    _acts(
        "DELETE",
        _PROVIDER,
        resource_providers.delete,
        "placement:resource_providers:delete",
        "Remove a provider that nothing is below and nobody uses",
    ),
    _takes(
        "PUT",
        _PROVIDER,
        resource_providers.change,
        "placement:resource_providers:update",
        "Rename a provider, or move it in its tree",
        body=resource_providers.CHANGE[resource_providers.TREES_SINCE],
    ),
]

_INVENTORY = f"{_PROVIDER}/inventories/{{resource_class}}"

_INVENTORIES: Rows = [
    _reads(
        f"{_PROVIDER}/inventories",
        inventories.list_all,
        "placement:resource_providers:inventories:list",
        "Show what a provider has",
    ),
    _takes(
        "POST",
        f"{_PROVIDER}/inventories",
        inventories.create,
        "placement:resource_providers:inventories:create",
        "Let a provider have a class that it did not have",
        body=inventories.CREATE,
        statuses=_CREATED,
    ),
    _takes(
        "PUT",
        f"{_PROVIDER}/inventories",
        inventories.replace_all,
        "placement:resource_providers:inventories:update",
        "Replace everything that a provider has",
        body=inventories.REPLACE,
    ),
    _acts(
        "DELETE",
        f"{_PROVIDER}/inventories",
        inventories.delete_all,
        "placement:resource_providers:inventories:delete",
        "Take everything from a provider",
        since=5,
        too_old=405,
    ),
    _reads(
        _INVENTORY,
        inventories.show,
        "placement:resource_providers:inventories:show",
        "Show what a provider has of a class",
    ),
    _takes(
        "PUT",
        _INVENTORY,
        inventories.change,
        "placement:resource_providers:inventories:update",
        "Change how much a provider has of a class",
        body=inventories.CHANGE,
    ),
    _acts(
        "DELETE",
        _INVENTORY,
        inventories.delete,
        "placement:resource_providers:inventories:delete",
        "Take a class from a provider",
    ),
]

_AGGREGATES: Rows = [
    _reads(
        f"{_PROVIDER}/aggregates",
        aggregates.list_all,
        "placement:resource_providers:aggregates:list",
        "Show the aggregates that a provider is in",
        since=1,
    ),
    _takes(
        "PUT",
        f"{_PROVIDER}/aggregates",
        aggregates.replace_all,
        "placement:resource_providers:aggregates:update",
        "Set the aggregates that a provider is in",
        body=aggregates.REPLACE[aggregates.GENERATION_SINCE],
        since=1,
    ),
]

_TRAIT = "/traits/{name}"

_TRAITS: Rows = [
    _reads("/traits", traits.list_all, "placement:traits:list", "List traits", since=6, query=traits.PARAMETERS),
    _acts("GET", _TRAIT, traits.show, "placement:traits:show", "See whether there is a trait", since=6),
    _acts(
        "PUT",
        _TRAIT,
        traits.ensure,
        "placement:traits:update",
        "Make a custom trait unless it is there",
        statuses=_MADE_OR_THERE,
        since=6,
    ),
    _acts(
        "DELETE",
        _TRAIT,
        traits.delete,
        "placement:traits:delete",
        "Remove a custom trait that no provider has",
        since=6,
    ),
    _reads(
        f"{_PROVIDER}/traits",
        traits.list_of_provider,
        "placement:resource_providers:traits:list",
        "Show the traits that a provider has",
        since=6,
    ),
    _takes(
        "PUT",
        f"{_PROVIDER}/traits",
        traits.replace_of_provider,
        "placement:resource_providers:traits:update",
        "Set the traits that a provider has",
        body=traits.REPLACE,
        since=6,
    ),
    _acts(
        "DELETE",
        f"{_PROVIDER}/traits",
        traits.delete_of_provider,
        "placement:resource_providers:traits:delete",
        "Take every trait from a provider",
        since=6,
    ),
]

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

_CANDIDATES: Rows = [
    _reads(
        "/allocation_candidates",
        allocation_candidates.list_candidates,
        "placement:allocation_candidates:list",
        "List who could give what is asked for",
        since=10,
        query=allocation_candidates.QUERY,
    ),
]

_RESHAPER: Rows = [
    _takes(
        "POST",
        "/reshaper",
        reshaper.post,
        "placement:reshaper:reshape",
        "Move inventory and the allocations on it, all together or not at all",
        body=reshaper.BODY[38],
        statuses=_DONE,
        since=reshaper.FIRST_VERSION,
    ),
]

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
