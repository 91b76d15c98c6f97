"""Nodes as JSON documents."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

from msgspec import Raw
from msgspec.json import encode

from dibs.dialects.baremetal.documents.fields import BY_NAME, FIELDS, STATE_FIELDS, STORED, VISIBLE
from dibs.dialects.baremetal.documents.secrets import mask_keys, mask_secrets
from dibs.dialects.baremetal.exchange import Exchange
from dibs.machines.model import states
from dibs.machines.model.access import node_target
from dibs.machines.model.patching.node_attributes import Kind
from dibs.machines.operations.nodes import NodeView

Values = Mapping[str, Any]
Writer = Callable[[Values], Any]

_PLACE = b"{node}"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LINKED = {"links": (), **{name: (name,) for name in ("ports", "states", "portgroups", "volume")}}
_TIMES = frozenset(field.name for field in FIELDS if field.kind is Kind.TIME)

_GUARDED: Mapping[str, Any] = {
    "last_error": "** Value Redacted - Requires baremetal:node:get:last_error permission. **",
    "reservation": "** Redacted - requires baremetal:node:get:reservation permission. **",
    "driver_internal_info": {
        "content": "** Redacted - Requires baremetal:node:get:driver_internal_info permission. **"
    },
    "driver_info": {"content": "** Redacted - requires baremetal:node:get:driver_info permission. **"},
}
"""The value of an attribute for callers without the rule ``baremetal:node:get:<name>``."""


def render_time(instant: int | None) -> str | None:
    """Return a time as ISO 8601 in UTC."""
    return None if instant is None else (_EPOCH + timedelta(microseconds=instant)).isoformat(timespec="microseconds")


def node_values(view: NodeView) -> dict[str, Any]:
    """Return all attributes of a node by name."""
    values = {name: getattr(view.node, name) for name in STORED}
    values["traits"] = list(view.traits)
    values["conductor"] = view.conductor
    values["allocation"] = view.allocation
    return values


class NodeRenderer:
    """Renders the nodes of one request; what depends on caller and version is computed once, not per node."""

    def __init__(self, exchange: Exchange, wanted: frozenset[str] | None) -> None:
        self._exchange = exchange
        self._access = access = exchange.access
        self._sees_all = access.allows("baremetal:node:get:filter_threshold", {})
        self._sees_passwords = access.allows("show_password", {})
        self._sees_instance_secrets = access.allows("show_instance_secrets", {})
        visible = VISIBLE[exchange.minor]
        shown = visible if wanted is None else visible & (wanted | {"links"})
        self._names = [field.name for field in FIELDS if field.name in shown]
        self._writers = {name: write for name in self._names if (write := self._writer(name)) is not None}
        # A value that a writer renders is read here too, and then replaced: one call in C for all values of a node.
        self._read = itemgetter(*(name if name in STORED else "uuid" for name in self._names), "uuid")

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns to read; owner and lessee decide what else the caller sees."""
        shown = {"allocation" if name == "allocation_uuid" else name for name in self._names}
        needed = shown & (STORED | {"traits", "conductor", "allocation"})
        return frozenset(needed | {"uuid"} if self._sees_all else needed | {"uuid", "owner", "lessee"})

    def render(self, values: Values) -> dict[str, Any]:
        """Return the document of a node from its attributes by name."""
        document = dict(zip(self._names, self._read(values), strict=False))
        for name, write in self._writers.items():
            document[name] = write(values)
        return document

    def _writer(self, name: str) -> Writer | None:
        """Return the function that renders an attribute; None for an attribute that is shown as it is."""
        write = self._unguarded_writer(name)
        if name not in _GUARDED or self._sees_all:
            return write
        return lambda values: (
            (values[name] if write is None else write(values)) if self._may_see(name, values) else _GUARDED[name]
        )

    def _unguarded_writer(self, name: str) -> Writer | None:
        if name in _LINKED:
            return self._link_writer(_LINKED[name])
        if name == "allocation_uuid":
            return lambda values: values["allocation"]
        if name in _TIMES:
            return lambda values: render_time(values[name])
        if name == "provision_state":
            return lambda values: state_in_version(values[name], self._exchange.minor)
        if name in ("driver_info", "driver_internal_info") and not self._sees_passwords:
            return lambda values: mask_secrets(values[name])
        if name == "instance_info" and not self._sees_instance_secrets:
            return lambda values: mask_keys(mask_secrets(values[name]), ("configdrive", "image_url"))
        return None if name in STORED else lambda values: values.get(name)

    def _link_writer(self, parts: tuple[str, ...]) -> Writer:
        """Return the function that renders links: encoded once, with the uuid of each node put in."""
        template = encode(self._exchange.links("nodes", _PLACE.decode(), *parts))
        return lambda values: Raw(template.replace(_PLACE, values["uuid"].encode()))

    def _may_see(self, name: str, values: Values) -> bool:
        return self._access.allows(f"baremetal:node:get:{name}", node_target(values["owner"], values["lessee"]))


def render_node(exchange: Exchange, view: NodeView, wanted: frozenset[str] | None = None) -> dict[str, Any]:
    """Return a node with all attributes, or only those in ``wanted``."""
    return NodeRenderer(exchange, wanted).render(node_values(view))


def render_states(exchange: Exchange, view: NodeView) -> dict[str, Any]:
    """Return the document of ``/states``."""
    names = [name for name in STATE_FIELDS if BY_NAME[name].since <= exchange.minor]
    shown = NodeRenderer(exchange, frozenset(names)).render(node_values(view))
    return {name: shown[name] for name in names}


def state_in_version(state: str | None, minor: int) -> str | None:
    """Return the state as a version shows it.

    Quirk: available is null before 1.2 (contract sample 024), and inspect wait is inspecting before 1.39.
    """
    if state == states.AVAILABLE and minor < 2:
        return None
    if state == states.INSPECT_WAIT and minor < 39:
        return states.INSPECTING
    return state
