"""Nodes as JSON documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import repeat, starmap
from typing import Any, NamedTuple

from msgspec import Raw, Struct, defstruct
from msgspec.json import encode
from msgspec.structs import asdict

from dibs.dialects.baremetal.documents.fields import BY_NAME, FIELDS, STATE_FIELDS, STORED, VISIBLE
from dibs.dialects.baremetal.documents.secrets import mask_keys, mask_secrets
from dibs.dialects.baremetal.exchange import Exchange
from dibs.machines.model import states
from dibs.machines.model.access import node_target
from dibs.machines.model.patching.node_attributes import Kind
from dibs.machines.operations.nodes import NodeView

Columns = Mapping[str, Sequence[Any]]
"""The attributes of some nodes: by name the values of all of them, in one order."""
Writer = Callable[[Columns], Iterable[Any]]
"""Returns one attribute of the documents of some nodes."""

FORMS_KEPT = 256

_PLACE = b"{node}"
# Without a time zone, which would double the time that it takes to write a time.
_EPOCH = datetime(1970, 1, 1)
_UTC = "+00:00"
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
    return None if instant is None else (_EPOCH + timedelta(0, 0, instant)).isoformat("T", "microseconds") + _UTC


def _columns(view: NodeView) -> Columns:
    """Return all attributes of one node."""
    values = {**asdict(view.node), "traits": view.traits, "conductor": view.conductor, "allocation": view.allocation}
    return {name: (value,) for name, value in values.items()}


class _Form(NamedTuple):
    """What the documents of nodes have in common, for one version and one choice of attributes."""

    document: type[Struct]
    names: tuple[str, ...]
    writers: Mapping[str, Writer]
    """The functions that render attributes; an attribute without one is shown as it is."""


class NodeRenderer:
    """Renders the nodes of one request; what depends on caller and version is computed once, not per node.

    A page is rendered attribute by attribute: that takes a loop in C for most of the seventy attributes, and a third of
    the time of a dictionary for each node.
    """

    def __init__(self, exchange: Exchange, wanted: frozenset[str] | None) -> None:
        self._access = access = exchange.access
        self._sees_all = access.allows("baremetal:node:get:filter_threshold", {})
        self._form = form = _form(
            exchange.minor,
            wanted,
            sees_passwords=access.allows("show_password", {}),
            sees_instance_secrets=access.allows("show_instance_secrets", {}),
        )
        self._writers = dict(form.writers)
        self._writers |= {name: _link_writer(exchange, _LINKED[name]) for name in form.names if name in _LINKED}
        if not self._sees_all:
            self._writers |= {name: self._guarded(name) for name in form.names if name in _GUARDED}

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns to read; owner and lessee decide what else the caller sees."""
        shown = {"allocation" if name == "allocation_uuid" else name for name in self._form.names}
        needed = shown & (STORED | {"traits", "conductor", "allocation"})
        return frozenset(needed | {"uuid"} if self._sees_all else needed | {"uuid", "owner", "lessee"})

    def render(self, columns: Columns) -> list[Struct]:
        """Return the documents of nodes."""
        written = (
            self._writers[name](columns) if name in self._writers else columns[name] for name in self._form.names
        )
        return list(starmap(self._form.document, zip(*written, strict=True)))

    def _guarded(self, name: str) -> Writer:
        """Return the function that renders an attribute only for callers that may see it on this node."""
        write = self._writers.get(name)

        def guarded(columns: Columns) -> list[Any]:
            shown = columns[name] if write is None else write(columns)
            projects = zip(columns["owner"], columns["lessee"], strict=True)
            return [
                value if self._may_see(name, *of_node) else _GUARDED[name]
                for value, of_node in zip(shown, projects, strict=True)
            ]

        return guarded

    def _may_see(self, name: str, owner: str | None, lessee: str | None) -> bool:
        return self._access.allows(f"baremetal:node:get:{name}", node_target(owner, lessee))


@lru_cache(maxsize=FORMS_KEPT)
def _form(minor: int, wanted: frozenset[str] | None, *, sees_passwords: bool, sees_instance_secrets: bool) -> _Form:
    """Return the form of documents. Clients repeat a few of them, so that the forms are kept."""
    visible = VISIBLE[minor]
    shown = visible if wanted is None else visible & (wanted | {"links"})
    names = tuple(field.name for field in FIELDS if field.name in shown)
    writers: dict[str, Writer] = {name: _writer_of(name, render_time) for name in names if name in _TIMES}
    others: dict[str, Writer] = {
        "allocation_uuid": lambda columns: columns["allocation"],
        "provision_state": _writer_of("provision_state", lambda state: state_in_version(state, minor)),
    }
    if not sees_passwords:
        others |= {name: _writer_of(name, mask_secrets) for name in ("driver_info", "driver_internal_info")}
    if not sees_instance_secrets:
        others["instance_info"] = _writer_of("instance_info", _masked_instance_info)
    writers |= {name: others[name] for name in names if name in others}
    writers |= {name: _optional_writer(name) for name in names if name not in STORED | _LINKED.keys() | writers.keys()}
    return _Form(defstruct("NodeDocument", names), names, writers)


def _writer_of(name: str, write: Callable[[Any], Any]) -> Writer:
    return lambda columns: map(write, columns[name])


def _optional_writer(name: str) -> Writer:
    return lambda columns: columns[name] if name in columns else repeat(None, len(columns["uuid"]))


def _masked_instance_info(values: Any) -> dict[str, Any]:
    return mask_keys(mask_secrets(values), ("configdrive", "image_url"))


def _link_writer(exchange: Exchange, parts: tuple[str, ...]) -> Writer:
    """Return the function that renders links: encoded once, with the uuid of each node put in."""
    around = encode(exchange.links("nodes", _PLACE.decode(), *parts)).split(_PLACE)
    return lambda columns: map(Raw, map(bytes.join, map(str.encode, columns["uuid"]), repeat(around)))


def render_node(exchange: Exchange, view: NodeView, wanted: frozenset[str] | None = None) -> Struct:
    """Return a node with all attributes, or only those in ``wanted``."""
    (document,) = NodeRenderer(exchange, wanted).render(_columns(view))
    return document


def render_states(exchange: Exchange, view: NodeView) -> dict[str, Any]:
    """Return the document of ``/states``."""
    names = [name for name in STATE_FIELDS if BY_NAME[name].since <= exchange.minor]
    shown = render_node(exchange, view, frozenset(names))
    return {name: getattr(shown, name) for name in names}


def state_in_version(state: str | None, minor: int) -> str | None:
    """Return the state as a version shows it.

    Quirk: available is null before 1.2 (contract sample 024), and inspect wait is inspecting before 1.39.
    """
    if state == states.AVAILABLE and minor < 2:
        return None
    if state == states.INSPECT_WAIT and minor < 39:
        return states.INSPECTING
    return state
