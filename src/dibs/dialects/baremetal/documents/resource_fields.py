"""The attributes of a resource as a table: for ``fields=``, for ``sort_key=``, for rendering and for its schema."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from dibs.dialects.baremetal.documents.rendering import render_time
from dibs.dialects.baremetal.documents.selection import FIELDS_SINCE
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import LINKS, TEXT_OR_NULL, TIME_OR_NULL, document

_TIMES = ("created_at", "updated_at")


class ResourceField(Struct, frozen=True, kw_only=True):
    """One attribute of a resource."""

    name: str
    since: int = 1
    sortable: bool = True
    schema: Schema = field(default_factory=lambda: TEXT_OR_NULL)
    """The JSON schema of its value in responses; times and links have their own."""


Field = TypeVar("Field", bound=ResourceField)


class FieldTable(Generic[Field]):
    """All attributes of one resource; ``path`` is where it is below the version, for its links.

    The attributes in ``linked`` are links to lists below the resource.
    """

    def __init__(self, path: tuple[str, ...], fields: Iterable[Field], linked: tuple[str, ...] = ()) -> None:
        self._path = path
        self._linked = {"links": (), **{name: (name,) for name in linked}}
        self.by_name: Mapping[str, Field] = {field.name: field for field in fields}

    def schema(self, title: str) -> Schema:
        """Return the JSON schema of the resource in responses."""
        own = {**dict.fromkeys(self._linked, LINKS), **dict.fromkeys(_TIMES, TIME_OR_NULL)}
        return document(title, {}, {name: own.get(name, each.schema) for name, each in self.by_name.items()})

    def wanted(self, exchange: Exchange) -> frozenset[str] | None:
        """Return the attributes that ``fields=`` names; None without it."""
        names = exchange.query.names("fields")
        if names is None:
            return None
        if exchange.minor < FIELDS_SINCE:
            raise not_acceptable()
        unknown = [name for name in names if name not in self.by_name]
        if unknown:
            raise bad_request(f'Field(s) "{", ".join(unknown)}" are not valid')
        if any(self.by_name[name].since > exchange.minor for name in names):
            raise not_acceptable()
        return frozenset(names)

    def sort_key(self, exchange: Exchange) -> str:
        """Return the attribute by which a list is sorted."""
        key = exchange.query.text("sort_key") or "id"
        if key == "id":
            return key
        field = self.by_name.get(key)
        if field is None or not field.sortable:
            raise bad_request(f"The sort_key value {key} is an invalid field for sorting")
        if field.since > exchange.minor:
            raise not_acceptable()
        return key

    def render(self, exchange: Exchange, resource: Any, wanted: frozenset[str] | None) -> dict[str, Any]:
        """Return the document of a resource; attributes that it does not have are null."""
        shown: dict[str, Any] = {}
        for name, each in self.by_name.items():
            if each.since > exchange.minor or (wanted is not None and name not in wanted and name != "links"):
                continue
            if name in self._linked:
                shown[name] = exchange.links(*self._path, resource.uuid, *self._linked[name])
            else:
                value = getattr(resource, name, None)
                shown[name] = render_time(value) if name in _TIMES else value
        return shown
