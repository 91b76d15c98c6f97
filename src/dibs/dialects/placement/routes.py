"""Every URL of the dialect: method, path, handler, first version, and the policy rule that must grant it.

One list per noun. The order of the rows of a path is the order of methods in its ``Allow`` header. A row of ``reads``
answers with JSON and refuses a client that does not accept it (406); a row of ``takes`` refuses any body but JSON
(415); a row of ``acts`` has no body in either direction. To add a URL: write a handler and a row.
"""

from dibs.dialects.placement import discovery, responses
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
from dibs.ledger.model.access import LIST_CANDIDATES

_CREATED = {201: "Created; see the Location header."}
_CREATED_OR_PRESENT = {201: "Created; see the Location header.", 204: "It exists already."}
_PROVIDER = "/resource_providers/{uuid}"


Rows = list[Route[Endpoint]]

_ROOT: Rows = [
    Route(
        method="GET",
        path="/",
        handler=Endpoint(handle=discovery.show_versions, rule=None),
        summary="List API versions",
        statuses=OK,
        answer=responses.VERSIONS,
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
        answer=responses.RESOURCE_CLASSES,
    ),
    takes(
        "POST",
        "/resource_classes",
        resource_classes.create,
        "placement:resource_classes:create",
        "Create a custom resource class",
        body=resource_classes.NAMED,
        statuses=_CREATED,
        since=2,
    ),
    reads(
        _CLASS,
        resource_classes.show,
        "placement:resource_classes:show",
        "Show a resource class",
        since=2,
        answer=responses.RESOURCE_CLASS,
    ),
    takes(
        "PUT",
        _CLASS,
        resource_classes.rename,
        "placement:resource_classes:update",
        "Rename a custom resource class",
        body=resource_classes.NAMED,
        since=2,
        until=6,
        answer=responses.RESOURCE_CLASS,
    ),
    acts(
        "PUT",
        _CLASS,
        resource_classes.ensure,
        "placement:resource_classes:update",
        "Ensure that a custom resource class exists",
        statuses=_CREATED_OR_PRESENT,
        since=7,
    ),
    acts(
        "DELETE",
        _CLASS,
        resource_classes.delete,
        "placement:resource_classes:delete",
        "Delete a custom resource class",
        since=2,
    ),
]

_RESOURCE_PROVIDERS: Rows = [
    reads(
        "/resource_providers",
        resource_providers.list_all,
        "placement:resource_providers:list",
        "List resource providers",
        query={name: schema for name, (_, schema) in resource_providers.PARAMETERS.items()},
        answer=responses.RESOURCE_PROVIDERS,
    ),
    takes(
        "POST",
        "/resource_providers",
        resource_providers.create,
        "placement:resource_providers:create",
        "Create a resource provider",
        body=resource_providers.CREATE[resource_providers.TREES_SINCE],
        statuses=_CREATED,
        until=resource_providers.BODY_OF_NEW_SINCE - 1,
    ),
    takes(
        "POST",
        "/resource_providers",
        resource_providers.create,
        "placement:resource_providers:create",
        "Create a resource provider",
        body=resource_providers.CREATE[resource_providers.TREES_SINCE],
        since=resource_providers.BODY_OF_NEW_SINCE,
        answer=responses.RESOURCE_PROVIDER,
    ),
    reads(
        _PROVIDER,
        resource_providers.show,
        "placement:resource_providers:show",
        "Show a resource provider",
        answer=responses.RESOURCE_PROVIDER,
    ),
    acts(
        "DELETE",
        _PROVIDER,
        resource_providers.delete,
        "placement:resource_providers:delete",
        "Delete a resource provider",
    ),
    takes(
        "PUT",
        _PROVIDER,
        resource_providers.change,
        "placement:resource_providers:update",
        "Rename a resource provider, or change its parent",
        body=resource_providers.CHANGE[resource_providers.TREES_SINCE],
        answer=responses.RESOURCE_PROVIDER,
    ),
]

_INVENTORY = f"{_PROVIDER}/inventories/{{resource_class}}"

_INVENTORIES: Rows = [
    reads(
        f"{_PROVIDER}/inventories",
        inventories.list_all,
        "placement:resource_providers:inventories:list",
        "List the inventories of a resource provider",
        answer=responses.INVENTORIES,
    ),
    takes(
        "POST",
        f"{_PROVIDER}/inventories",
        inventories.create,
        "placement:resource_providers:inventories:create",
        "Create an inventory",
        body=inventories.CREATE,
        statuses=_CREATED,
        answer=responses.INVENTORY,
    ),
    takes(
        "PUT",
        f"{_PROVIDER}/inventories",
        inventories.replace_all,
        "placement:resource_providers:inventories:update",
        "Replace all inventories of a resource provider",
        body=inventories.REPLACE,
        answer=responses.INVENTORIES,
    ),
    acts(
        "DELETE",
        f"{_PROVIDER}/inventories",
        inventories.delete_all,
        "placement:resource_providers:inventories:delete",
        "Delete all inventories of a resource provider",
        since=5,
        too_old=405,
    ),
    reads(
        _INVENTORY,
        inventories.show,
        "placement:resource_providers:inventories:show",
        "Show an inventory",
        answer=responses.INVENTORY,
    ),
    takes(
        "PUT",
        _INVENTORY,
        inventories.change,
        "placement:resource_providers:inventories:update",
        "Update an inventory",
        body=inventories.CHANGE,
        answer=responses.INVENTORY,
    ),
    acts(
        "DELETE",
        _INVENTORY,
        inventories.delete,
        "placement:resource_providers:inventories:delete",
        "Delete an inventory",
    ),
]

_AGGREGATES: Rows = [
    reads(
        f"{_PROVIDER}/aggregates",
        aggregates.list_all,
        "placement:resource_providers:aggregates:list",
        "List the aggregates of a resource provider",
        since=1,
        answer=responses.AGGREGATES,
    ),
    takes(
        "PUT",
        f"{_PROVIDER}/aggregates",
        aggregates.replace_all,
        "placement:resource_providers:aggregates:update",
        "Replace the aggregates of a resource provider",
        body=aggregates.REPLACE[aggregates.GENERATION_SINCE],
        since=1,
        answer=responses.AGGREGATES,
    ),
]

_TRAIT = "/traits/{name}"

_TRAITS: Rows = [
    reads(
        "/traits",
        traits.list_all,
        "placement:traits:list",
        "List traits",
        since=6,
        query=traits.PARAMETERS,
        answer=responses.TRAITS,
    ),
    acts("GET", _TRAIT, traits.show, "placement:traits:show", "Check whether a trait exists", since=6),
    acts(
        "PUT",
        _TRAIT,
        traits.ensure,
        "placement:traits:update",
        "Ensure that a custom trait exists",
        statuses=_CREATED_OR_PRESENT,
        since=6,
    ),
    acts(
        "DELETE",
        _TRAIT,
        traits.delete,
        "placement:traits:delete",
        "Delete a custom trait",
        since=6,
    ),
    reads(
        f"{_PROVIDER}/traits",
        traits.list_of_provider,
        "placement:resource_providers:traits:list",
        "List the traits of a resource provider",
        since=6,
        answer=responses.PROVIDER_TRAITS,
    ),
    takes(
        "PUT",
        f"{_PROVIDER}/traits",
        traits.replace_of_provider,
        "placement:resource_providers:traits:update",
        "Replace the traits of a resource provider",
        body=traits.REPLACE,
        since=6,
        answer=responses.PROVIDER_TRAITS,
    ),
    acts(
        "DELETE",
        f"{_PROVIDER}/traits",
        traits.delete_of_provider,
        "placement:resource_providers:traits:delete",
        "Delete all traits of a resource provider",
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
        "Replace the allocations of several consumers, all or nothing",
        body=allocations.MANY_CONSUMERS[38],
        statuses=DONE,
        since=13,
    ),
    reads(
        _CONSUMER,
        allocations.list_allocations_of_consumer,
        "placement:allocations:list",
        "List the allocations of a consumer",
        answer=responses.ALLOCATIONS,
    ),
    takes(
        "PUT",
        _CONSUMER,
        allocations.set_allocations_of_consumer,
        "placement:allocations:update",
        "Replace the allocations of a consumer",
        body=allocations.ONE_CONSUMER[38],
        statuses=DONE,
    ),
    acts(
        "DELETE",
        _CONSUMER,
        allocations.delete_allocations_of_consumer,
        "placement:allocations:delete",
        "Delete all allocations of a consumer",
    ),
    reads(
        f"{_PROVIDER}/allocations",
        allocations.list_allocations_of_provider,
        "placement:resource_providers:allocations:list",
        "List the allocations on a resource provider",
        answer=responses.PROVIDER_ALLOCATIONS,
    ),
]

_USAGES: Rows = [
    reads(
        f"{_PROVIDER}/usages",
        usages.show_provider_usage,
        "placement:resource_providers:usages",
        "Show the usages of a resource provider",
        answer=responses.PROVIDER_USAGES,
    ),
    reads(
        "/usages",
        usages.show_usage_of_project,
        None,
        "Show the usages of a project",
        since=9,
        query=usages.QUERY,
        required_query=("project_id",),
        answer=responses.USAGES,
    ),
]

_CANDIDATES: Rows = [
    reads(
        "/allocation_candidates",
        allocation_candidates.list_candidates,
        LIST_CANDIDATES,
        "List allocation candidates",
        since=10,
        query=allocation_candidates.QUERY,
        answer=responses.ALLOCATION_CANDIDATES,
    ),
]

_RESHAPER: Rows = [
    takes(
        "POST",
        "/reshaper",
        reshaper.post,
        "placement:reshaper:reshape",
        "Move inventories and the allocations on them, all or nothing",
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
