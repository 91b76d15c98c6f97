"""Events: a change of one object, with what the object was before and is after.

An event shows only attributes that a watch names: internal ids and times of update say nothing to a reader, and a
secret must not leave its row. Of an attribute that may hold secrets only the keys are shown.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

CREATED = "created"
CHANGED = "changed"
DELETED = "deleted"

HIDDEN = "******"
"""Stands for a value that may be secret."""

STATE_BYTES_MAX = 8_192
"""The largest state that is stored as it is: 400 events of two such states fit into a MariaDB packet of 16 MiB."""

State = Mapping[str, Any]

_DECODER = msgspec.json.Decoder(dict[str, Any])


class Event(Struct, frozen=True, kw_only=True):
    """A change of one object. The recorder adds the time, the actor, the request and the operation."""

    type: str
    """The kind of the object and what happened to it: ``node.changed``."""
    object_id: str
    """What callers know the object by, mostly its uuid."""
    project: str | None
    """The project that may see the event; None shows it only to callers that see every project."""
    node: str | None = None
    """The uuid of the node or provider that the change is about."""
    before: State | None = None
    """The attributes that changed, as they were; None for a new object."""
    after: State | None = None
    """The same attributes as they are now; None for a deleted object."""
    actor_hidden: bool = False
    """True when the project that sees the event must not learn who caused it: a caller of another project."""

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return self.type.partition(".")[0]

    @property
    def verb(self) -> str:
        """What happened to it."""
        return self.type.partition(".")[2]


class Watch(Struct, frozen=True, kw_only=True):
    """What events show of objects of one kind."""

    kind: str
    names: tuple[str, ...]
    hidden: frozenset[str] = frozenset()
    """Those of the attributes whose values may be secrets; they are mappings."""

    def event(
        self,
        before: Struct | None,
        after: Struct | None,
        *,
        object_id: str,
        project: str | None,
        node: str | None = None,
        verb: str | None = None,
    ) -> Event | None:
        """Return the event of a change; None when nothing changed that a watch names, and no verb is given."""
        if before is not None and after is not None:
            names: list[str] | None = [name for name in self.names if getattr(before, name) != getattr(after, name)]
            if not names and verb is None:
                return None
        else:
            names = None
        default = CREATED if before is None else DELETED if after is None else CHANGED
        return Event(
            type=f"{self.kind}.{verb or default}",
            object_id=object_id,
            project=project,
            node=node,
            before=None if before is None else self.state(before, names),
            after=None if after is None else self.state(after, names),
        )

    def state(self, value: Struct, names: Iterable[str] | None = None) -> State:
        """Return these attributes; without names, those that are not empty."""
        if names is None:
            names = [name for name in self.names if getattr(value, name) not in (None, "", {}, ())]
        return {
            name: dict.fromkeys(getattr(value, name), HIDDEN) if name in self.hidden else getattr(value, name)
            for name in names
        }


def merge(recorded: Iterable[Event]) -> list[Event]:
    """Return one event for each object: a transaction may write an object several times, but it commits one change."""
    recorded = list(recorded)
    if len(recorded) == 1:
        return recorded
    merged: dict[tuple[str, str, str | None], Event] = {}
    for event in recorded:
        key = (event.kind, event.object_id, event.node)
        merged[key] = _joined(merged[key], event) if key in merged else event
    return [event for event in merged.values() if event.before != event.after or event.verb != CHANGED]


def _joined(first: Event, second: Event) -> Event:
    verb = first.verb if second.verb == CHANGED else second.verb
    if (first.verb, second.verb) == (DELETED, CREATED):
        verb = CHANGED
    return replace(
        second,
        type=f"{second.kind}.{verb}",
        before=None if first.before is None else {**(second.before or {}), **first.before},
        after=None if second.after is None else {**(first.after or {}), **second.after},
    )


def encode_state(state: State | None) -> str | None:
    """Return a state as JSON of a bounded size: if it is too large, its largest values are replaced by their size."""
    if state is None:
        return None
    text = msgspec.json.encode(state)
    if len(text) > STATE_BYTES_MAX:
        text = msgspec.json.encode(_shortened(state, len(text)))
    return text.decode()


def decode_state(text: str | None) -> dict[str, Any] | None:
    """Return a state from its JSON."""
    return None if text is None else _DECODER.decode(text)


def _shortened(state: State, size: int) -> State:
    """Replace as few values as possible: the past of a node is read from the others."""
    sizes = {name: len(msgspec.json.encode(value)) for name, value in state.items()}
    shown = dict(state)
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if size <= STATE_BYTES_MAX:
            break
        shown[name] = f"({sizes[name]} bytes)"
        size += len(shown[name]) + 2 - sizes[name]
    return shown
