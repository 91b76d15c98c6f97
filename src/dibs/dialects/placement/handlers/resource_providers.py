"""Resource providers."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from dibs.dialects.placement.errors import Refusal, bad_request, conflict, not_found, refusal_of
from dibs.dialects.placement.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.placement.query import read_in_tree, read_member_of, read_required, read_resources
from dibs.dialects.placement.schemas import NAME, UUID, Schema, closed, dashed, in_version
from dibs.http.messages import Response
from dibs.ledger.model.errors import BadParent, NoSuchTrait, ProviderExists, ProviderNotFound, ResourceClassNotFound
from dibs.ledger.model.providers import ListedProvider, Provider, ProviderQuery
from dibs.ledger.operations.providers import (
    UNMOVED,
    ChangeProvider,
    CreateProvider,
    change_provider,
    create_provider,
    delete_provider,
    get_provider,
    list_providers,
)

TREES_SINCE = 14
BODY_OF_NEW_SINCE = 20
FREE_MOVES_SINCE = 37

_PARENT: Schema = {"anyOf": [UUID, {"type": "null"}]}
CREATE: Mapping[int, Schema] = {
    0: closed({"name": NAME, "uuid": UUID}, "name"),
    TREES_SINCE: closed({"name": NAME, "uuid": UUID, "parent_provider_uuid": _PARENT}, "name"),
}
CHANGE: Mapping[int, Schema] = {
    0: closed({"name": NAME}, "name"),
    TREES_SINCE: closed({"name": NAME, "parent_provider_uuid": _PARENT}, "name"),
}
_TEXT: Schema = {"type": "string"}
PARAMETERS: Mapping[str, tuple[int, Schema]] = {
    "name": (0, _TEXT),
    "uuid": (0, UUID),
    "member_of": (3, _TEXT),
    "resources": (4, _TEXT),
    "in_tree": (TREES_SINCE, UUID),
    "required": (18, _TEXT),
}
"""The filters of a list, each with its first version."""
_LISTS: Mapping[int, Schema] = {
    version: closed({name: schema for name, (since, schema) in PARAMETERS.items() if since <= version})
    for version in {since for since, _ in PARAMETERS.values()}
}

_PLACE = "uuid-of-the-provider"
_LINKS = {"inventories": 0, "usages": 0, "aggregates": 1, "traits": 6, "allocations": 11}
"""The links of a provider, each with its first version."""


def list_all(exchange: Exchange) -> Response:
    """GET /resource_providers"""
    exchange.query.check(in_version(_LISTS, exchange.minor))
    try:
        found = exchange.read(list_providers, _read_query(exchange))
    except ResourceClassNotFound as error:
        raise refusal_of(error, "Invalid resource class in resources parameter: ") from None
    except NoSuchTrait as error:
        raise refusal_of(error, 'Invalid trait(s) in "required" parameter: ') from None
    modified = max([each[-1] for each in found], default=exchange.now())
    return json_answer(exchange, {"resource_providers": _render(exchange, found)}, modified=modified)


def create(exchange: Exchange) -> Response:
    """POST /resource_providers"""
    body = exchange.body(in_version(CREATE, exchange.minor))
    command = CreateProvider(
        uuid=_dashed(body.get("uuid")) or str(uuid.uuid4()),
        name=body["name"],
        parent=_dashed(body.get("parent_provider_uuid")),
    )
    unable = f'Unable to create resource provider "{command.name}", {command.uuid}: '
    if not command.name:
        raise bad_request(f"{unable}name is required")
    try:
        made = exchange.write(create_provider, command)
    except BadParent as error:
        raise refusal_of(error, unable) from None
    location = exchange.location("resource_providers", made.uuid)
    if exchange.minor < BODY_OF_NEW_SINCE:
        return empty_answer(exchange, 201, headers=location)
    return json_answer(exchange, _render_one(exchange, made), modified=made.changed_at, headers=location)


def show(exchange: Exchange) -> Response:
    """GET /resource_providers/{uuid}"""
    return _answer(exchange, exchange.read(get_provider, exchange.arguments["uuid"]))


def change(exchange: Exchange) -> Response:
    """PUT /resource_providers/{uuid}"""
    body = body_about_provider(exchange, in_version(CHANGE, exchange.minor))
    command = ChangeProvider(
        uuid=exchange.arguments["uuid"],
        name=body["name"],
        parent=_dashed(body["parent_provider_uuid"]) if "parent_provider_uuid" in body else UNMOVED,
        may_move_again=exchange.minor >= FREE_MOVES_SINCE,
    )
    try:
        changed = exchange.write(change_provider, command)
    except BadParent as error:
        raise refusal_of(error, f"Unable to save resource provider {command.uuid}: ") from None
    except ProviderExists as error:
        raise conflict(
            f"Conflicting resource provider {command.name} already exists.", refusal_of(error).code
        ) from None
    return _answer(exchange, changed)


def delete(exchange: Exchange) -> Response:
    """DELETE /resource_providers/{uuid}"""
    try:
        exchange.write(delete_provider, exchange.arguments["uuid"])
    except ProviderNotFound as error:
        raise not_found(f"{error} for delete") from None
    return empty_answer(exchange)


def body_about_provider(exchange: Exchange, schema: Schema) -> Any:
    """Return the body of a request about one provider.

    Quirk: a provider that does not exist is a 404 before the body is checked.
    """
    try:
        return exchange.body(schema)
    except Refusal:
        exchange.read(get_provider, exchange.arguments["uuid"])
        raise


def _dashed(value: str | None) -> str | None:
    return None if value is None else dashed(value)


def _read_query(exchange: Exchange) -> ProviderQuery:
    query = exchange.query
    resources, in_tree = query.last("resources"), query.last("in_tree")
    return ProviderQuery(
        # Quirk: an empty name does not filter.
        name=query.last("name") or None,
        uuid=_dashed(query.last("uuid")),
        in_tree=None if in_tree is None else _dashed(read_in_tree(in_tree)),
        resources={} if resources is None else read_resources(resources),
        traits=read_required(query, exchange.minor),
        aggregates=read_member_of(query, exchange.minor),
    )


def _answer(exchange: Exchange, provider: Provider) -> Response:
    return json_answer(exchange, _render_one(exchange, provider), modified=provider.changed_at)


class _Document(Struct, gc=False):
    """A provider as the API shows it; not a dictionary, because a list has thousands of them."""

    uuid: str
    name: str
    generation: int
    links: Raw
    parent_provider_uuid: str | UnsetType | None
    root_provider_uuid: str | UnsetType


def _render(exchange: Exchange, found: Iterable[ListedProvider]) -> list[_Document]:
    """Render providers. Their links are encoded once, and get the uuid of each provider."""
    here = exchange.path("resource_providers", _PLACE)
    links = [{"rel": "self", "href": here}]
    links += [{"rel": rel, "href": f"{here}/{rel}"} for rel, since in _LINKS.items() if exchange.minor >= since]
    around_uuid = msgspec.json.encode(links).split(_PLACE.encode())
    shown = [
        _Document(uuid, name, generation, Raw(uuid.encode().join(around_uuid)), parent, root or uuid)
        for uuid, name, generation, parent, root, _ in found
    ]
    if exchange.minor < TREES_SINCE:
        for document in shown:
            document.parent_provider_uuid = document.root_provider_uuid = UNSET
    return shown


def _render_one(exchange: Exchange, provider: Provider) -> _Document:
    row = (provider.uuid, provider.name, provider.generation, provider.parent, provider.root, provider.changed_at)
    return _render(exchange, [row])[0]
