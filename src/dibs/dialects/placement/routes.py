"""Every URL of the dialect: method, path, handler, first version, and the rule of the policy that guards it.

One list per noun. The order of the rows of a path is the order of methods in its ``Allow`` header. A row made with
``reads`` answers JSON and refuses (406) who does not accept it; one made with ``takes`` wants a JSON body and refuses
any other (415); one made with ``acts`` has neither. To add a URL: write a handler and a row.
"""

from dibs.dialects.placement import discovery
from dibs.dialects.placement.endpoints import DONE, OK, Endpoint, acts, reads, takes
from dibs.dialects.placement.handlers import (
    aggregates,
    allocation_candidates,
    allocations,
    inventories,
    reshaper,
    resource_classes,
    resource_providers,
    traits,
    usages,
)
from dibs.http.routing import Route

_CREATED = {201: "Made; Location says where it is."}
_MADE_OR_THERE = {201: "Made; Location says where it is.", 204: "It was there already."}
_PROVIDER = "/resource_providers/{uuid}"


Rows = list[Route[Endpoint]]

_ROOT: Rows = [
    Route(
        method="GET",
        path="/",
        handler=Endpoint(handle=discovery.show_versions, rule=None),
        summary="The versions of the API",
        statuses=OK,
    ),
]

_CLASS = "/resource_classes/{name}"

_RESOURCE_CLASSES: Rows = [
    reads(
        "/resource_classes",
        resource_classes.list_all,
        "placement:resource_classes:list",
        "List resource classes",
        since=2,
    ),
    takes(
        "POST",
        "/resource_classes",
        resource_classes.create,
        "placement:resource_classes:create",
        "Make a custom resource class",
        body=resource_classes.NAMED,
        statuses=_CREATED,
        since=2,
    ),
    reads(_CLASS, resource_classes.show, "placement:resource_classes:show", "Show a resource class", since=2),
    takes(
        "PUT",
        _CLASS,
        resource_classes.rename,
        "placement:resource_classes:update",
        "Rename a custom resource class",
        body=resource_classes.NAMED,
        since=2,
        until=6,
    ),
    acts(
        "PUT",
        _CLASS,
        resource_classes.ensure,
        "placement:resource_classes:update",
        "Make a custom resource class unless it is there",
        statuses=_MADE_OR_THERE,
        since=7,
    ),
    acts(
        "DELETE",
        _CLASS,
        resource_classes.delete,
        "placement:resource_classes:delete",
        "Remove a custom resource class that no provider has",
        since=2,
    ),
]

_RESOURCE_PROVIDERS: Rows = [
    reads(
        "/resource_providers",
        resource_providers.list_all,
        "placement:resource_providers:list",
        "List providers",
        query={name: schema for name, (_, schema) in resource_providers.PARAMETERS.items()},
    ),
    takes(
        "POST",
        "/resource_providers",
        resource_providers.create,
        "placement:resource_providers:create",
        "Make a provider",
        body=resource_providers.CREATE[resource_providers.TREES_SINCE],
    ),
    reads(_PROVIDER, resource_providers.show, "placement:resource_providers:show", "Show a provider"),
    acts(
        "DELETE",
        _PROVIDER,
        resource_providers.delete,
        "placement:resource_providers:delete",
        "Remove a provider that nothing is below and nobody uses",
    ),
    takes(
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
    reads(
        f"{_PROVIDER}/inventories",
        inventories.list_all,
        "placement:resource_providers:inventories:list",
        "Show what a provider has",
    ),
    takes(
        "POST",
        f"{_PROVIDER}/inventories",
        inventories.create,
        "placement:resource_providers:inventories:create",
        "Let a provider have a class that it did not have",
        body=inventories.CREATE,
        statuses=_CREATED,
    ),
    takes(
        "PUT",
        f"{_PROVIDER}/inventories",
        inventories.replace_all,
        "placement:resource_providers:inventories:update",
        "Replace everything that a provider has",
        body=inventories.REPLACE,
    ),
    acts(
        "DELETE",
        f"{_PROVIDER}/inventories",
        inventories.delete_all,
        "placement:resource_providers:inventories:delete",
        "Take everything from a provider",
        since=5,
        too_old=405,
    ),
    reads(
        _INVENTORY,
        inventories.show,
        "placement:resource_providers:inventories:show",
        "Show what a provider has of a class",
    ),
    takes(
        "PUT",
        _INVENTORY,
        inventories.change,
        "placement:resource_providers:inventories:update",
        "Change how much a provider has of a class",
        body=inventories.CHANGE,
    ),
    acts(
        "DELETE",
        _INVENTORY,
        inventories.delete,
        "placement:resource_providers:inventories:delete",
        "Take a class from a provider",
    ),
]

_AGGREGATES: Rows = [
    reads(
        f"{_PROVIDER}/aggregates",
        aggregates.list_all,
        "placement:resource_providers:aggregates:list",
        "Show the aggregates that a provider is in",
        since=1,
    ),
    takes(
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
    reads("/traits", traits.list_all, "placement:traits:list", "List traits", since=6, query=traits.PARAMETERS),
    acts("GET", _TRAIT, traits.show, "placement:traits:show", "See whether there is a trait", since=6),
    acts(
        "PUT",
        _TRAIT,
        traits.ensure,
        "placement:traits:update",
        "Make a custom trait unless it is there",
        statuses=_MADE_OR_THERE,
        since=6,
    ),
    acts(
        "DELETE",
        _TRAIT,
        traits.delete,
        "placement:traits:delete",
        "Remove a custom trait that no provider has",
        since=6,
    ),
    reads(
        f"{_PROVIDER}/traits",
        traits.list_of_provider,
        "placement:resource_providers:traits:list",
        "Show the traits that a provider has",
        since=6,
    ),
    takes(
        "PUT",
        f"{_PROVIDER}/traits",
        traits.replace_of_provider,
        "placement:resource_providers:traits:update",
        "Set the traits that a provider has",
        body=traits.REPLACE,
        since=6,
    ),
    acts(
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
    takes(
        "POST",
        "/allocations",
        allocations.set_allocations,
        "placement:allocations:manage",
        "Set what several consumers have, all together or not at all",
        body=allocations.MANY_CONSUMERS[38],
        statuses=DONE,
        since=13,
    ),
    reads(
        _CONSUMER, allocations.list_allocations_of_consumer, "placement:allocations:list", "Show what a consumer has"
    ),
    takes(
        "PUT",
        _CONSUMER,
        allocations.set_allocations_of_consumer,
        "placement:allocations:update",
        "Set what a consumer has",
        body=allocations.ONE_CONSUMER[38],
        statuses=DONE,
    ),
    acts(
        "DELETE",
        _CONSUMER,
        allocations.delete_allocations_of_consumer,
        "placement:allocations:delete",
        "Take everything back from a consumer",
    ),
    reads(
        f"{_PROVIDER}/allocations",
        allocations.list_allocations_of_provider,
        "placement:resource_providers:allocations:list",
        "Show what is claimed of a provider",
    ),
]

_USAGES: Rows = [
    reads(
        f"{_PROVIDER}/usages",
        usages.show_provider_usage,
        "placement:resource_providers:usages",
        "Show how much of a provider is used",
    ),
    reads("/usages", usages.show_usage_of_project, None, "Show how much a project uses", since=9, query=usages.QUERY),
]

_CANDIDATES: Rows = [
    reads(
        "/allocation_candidates",
        allocation_candidates.list_candidates,
        "placement:allocation_candidates:list",
        "List who could give what is asked for",
        since=10,
        query=allocation_candidates.QUERY,
    ),
]

_RESHAPER: Rows = [
    takes(
        "POST",
        "/reshaper",
        reshaper.post,
        "placement:reshaper:reshape",
        "Move inventory and the allocations on it, all together or not at all",
        body=reshaper.BODY[38],
        statuses=DONE,
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
