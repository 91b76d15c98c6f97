"""Parts of nodes: parse the request, run one operation, render the result. One class serves every kind of part."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from dibs.access.machine_policy import listed_projects
from dibs.dialects.baremetal.documents.filters import NAMES_MAX
from dibs.dialects.baremetal.documents.idents import location, read_ident
from dibs.dialects.baremetal.documents.paging import LIST_QUERY, page_answer
from dibs.dialects.baremetal.documents.patching import read_patch
from dibs.dialects.baremetal.documents.resource_fields import FieldTable, ResourceField
from dibs.dialects.baremetal.documents.selection import DETAIL_SINCE, asks_for_detail
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.baremetal.responses import page_of
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import OBJECT, UUID
from dibs.http.messages import Response
from dibs.machines.model.parts.documents import DOCUMENTS, check_new
from dibs.machines.model.parts.parts import Part, PartKind, PartQuery
from dibs.machines.model.patching.values import check_storable, read_mac, read_uuid
from dibs.machines.operations import parts as operations

NODE_IDENT_SINCE = 94
NETWORK_TYPE_SINCE = 64

NODE_QUERY: Mapping[str, Mapping[str, Any]] = {
    **LIST_QUERY,
    "node": {"type": "string", "description": "Uuid or name of a node: only its parts."},
}

Redact = Callable[[Exchange, dict[str, Any]], dict[str, Any]]


class PartField(ResourceField, frozen=True, kw_only=True):
    """One attribute of a part."""

    settable: bool = False
    in_list: bool = False
    """Shown in a list when the request does not choose attributes."""


IDENTITY = (
    PartField(name="uuid", in_list=True, schema=UUID),
    PartField(name="created_at"),
    PartField(name="updated_at"),
    PartField(name="extra", settable=True, sortable=False, schema=OBJECT),
)
"""The attributes of every part."""


class PartHandlers(Struct, frozen=True, kw_only=True):
    """The handlers of one kind of part."""

    kind: PartKind
    rules: str
    """The prefix of its policy rules: ``port`` for ``baremetal:port:get``."""
    argument: str
    """The name of its identifier in paths."""
    plural: str
    """Its name in lists."""
    path: tuple[str, ...]
    """Its path below the version."""
    fields: FieldTable[PartField]
    filters_since: Mapping[str, int] = {}
    """Filters of its list that came later than the resource, with their versions."""
    detail_since: int = DETAIL_SINCE
    """The first version with ``detail=`` in its list."""
    redact: Redact = lambda exchange, document: document
    """Hides what the caller may not see."""

    @property
    def schema(self) -> Schema:
        """The JSON schema of a part in responses."""
        return self.fields.schema(self.kind.value.title().replace(" ", ""))

    @property
    def page_schema(self) -> Schema:
        """The JSON schema of one page of parts."""
        return page_of(self.plural, self.schema)

    def create(self, exchange: Exchange) -> Response:
        """Create a part of a node."""
        document = DOCUMENTS[self.kind]
        body = exchange.body(self.argument, document.schema)
        ident = _node_of_new_part(self.argument, body, exchange.minor)
        self._reject_too_new(body, exchange.minor)
        sent = {name: body[name] for name in document.settable if body.get(name) is not None and name != "node_uuid"}
        values = {name: document.read(name, value) for name, value in sent.items()}
        check_new(self.kind, values)
        for name in ("extra", "properties"):
            check_storable(name, values.get(name, {}))
        command = operations.CreatePart(
            kind=self.kind,
            uuid=read_uuid("uuid", body["uuid"]) if body.get("uuid") is not None else str(uuid.uuid4()),
            node=ident,
            values=values,
            rules=(self._rule("create"),),
        )
        part = exchange.write(operations.create_part, command)
        return json_answer(self._render(exchange, part, None), 201, location(exchange, *self.path, part.uuid))

    def list(self, exchange: Exchange) -> Response:
        """List parts, with the attributes that the request chooses."""
        wanted = self.fields.wanted(exchange)
        if asks_for_detail(exchange.query, exchange.minor, self.detail_since):
            return self._list(exchange, None)
        in_list = frozenset(name for name, field in self.fields.by_name.items() if field.in_list)
        return self._list(exchange, in_list if wanted is None else wanted)

    def list_in_detail(self, exchange: Exchange) -> Response:
        """List parts with all attributes."""
        return self._list(exchange, None)

    def show(self, exchange: Exchange) -> Response:
        """Show a part."""
        wanted = self.fields.wanted(exchange)
        command = operations.GetPart(kind=self.kind, ident=self._ident(exchange), rules=(self._rule("get"),))
        return json_answer(self._render(exchange, exchange.read(operations.get_part, command), wanted))

    def update(self, exchange: Exchange) -> Response:
        """Change a part by a JSON patch."""
        settable = {name: field.since for name, field in self.fields.by_name.items() if field.settable}
        command = operations.UpdatePart(
            kind=self.kind,
            ident=self._ident(exchange),
            rules=(self._rule("update"),),
            patch=read_patch(exchange, settable),
            offers_network_type=exchange.minor >= NETWORK_TYPE_SINCE,
        )
        return json_answer(self._render(exchange, exchange.write(operations.update_part, command), None))

    def delete(self, exchange: Exchange) -> Response:
        """Delete a part."""
        command = operations.DeletePart(kind=self.kind, ident=self._ident(exchange), rules=(self._rule("delete"),))
        exchange.write(operations.delete_part, command)
        return empty_answer(204)

    def _rule(self, action: str) -> str:
        return f"baremetal:{self.rules}:{action}"

    def _ident(self, exchange: Exchange) -> str:
        return read_ident(self.argument, exchange.arguments[self.argument], exchange.minor)

    def _render(self, exchange: Exchange, part: Part, wanted: frozenset[str] | None) -> dict[str, Any]:
        return self.redact(exchange, self.fields.render(exchange, part, wanted))

    def _list(self, exchange: Exchange, wanted: frozenset[str] | None) -> Response:
        query = exchange.query
        for name, since in self.filters_since.items():
            if name in query and since > exchange.minor:
                raise not_acceptable(since)
            if len(query.names(name) or ()) > NAMES_MAX:
                raise bad_request(f"The query parameter {name} takes at most {NAMES_MAX} names")
        address = query.text("address")
        command = PartQuery(
            kind=self.kind,
            node=_named(exchange, "node"),
            portgroup=_named(exchange, "portgroup"),
            address=None if address is None else read_mac("address", address),
            shards=query.names("shard") or (),
            conductor_groups=tuple(group.lower() for group in query.names("conductor_groups") or ()),
            projects=listed_projects(exchange.access, self.rules),
            sort_key=self.fields.sort_key(exchange),
            descending=query.descending(),
            limit=query.limit(),
            marker=query.uuid("marker"),
        )
        found = exchange.read(operations.list_parts, command)
        entries = [self._render(exchange, part, wanted) for part in found]
        last = found[-1].uuid if found else None
        return page_answer(exchange, self.plural, entries, last, command.limit, cut=found.cut)

    def _reject_too_new(self, body: Mapping[str, Any], minor: int) -> None:
        for name, value in body.items():
            if name in self.fields.by_name and self.fields.by_name[name].since > minor and value is not None:
                raise not_acceptable()
        if "network_type" in (body.get("local_link_connection") or {}) and minor < NETWORK_TYPE_SINCE:
            raise not_acceptable()


def _named(exchange: Exchange, noun: str) -> str | None:
    """Return the node or port group of a list, from the path or a filter."""
    query = exchange.query
    found = exchange.arguments.get(noun) or query.uuid(f"{noun}_uuid") or query.text(noun)
    return None if found is None else read_ident(noun, found, exchange.minor)


def _node_of_new_part(name: str, body: Mapping[str, Any], minor: int) -> str:
    if ("node_uuid" in body) == ("node_ident" in body):
        raise bad_request(f"Schema error for {name}: either 'node_uuid' or 'node_ident' is a required property")
    if "node_uuid" in body:
        return read_uuid("node_uuid", body["node_uuid"])
    if minor < NODE_IDENT_SINCE:
        raise not_acceptable()
    return read_ident("node_ident", body["node_ident"], minor)
