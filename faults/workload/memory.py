"""What a client knows about the objects that it owns. No other client writes to them.

A write without a clear answer may be executed, even later than the next request of the client. So the client never
touches its objects again in the same round: each is either as before or as the write would make it, and the checker
accepts both.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

Key = tuple[str, str]
"""The kind of an object and its name or uuid."""
State = Any
"""The part of an object that the checker compares; None when the object does not exist."""
Document = dict[str, Any]


def _ignore(document: Document) -> None:
    pass


@dataclass(frozen=True)
class Step:
    """One request, and the objects as they are when it succeeds."""

    kind: str
    method: str
    path: str
    body: Any = None
    changes: Mapping[Key, State] = field(default_factory=dict)
    learn: Callable[[Document], None] = _ignore
    """Called with the document of a success."""
    then: "Step | None" = None
    """Sent at once after a success, perhaps to a server that does not know of it yet."""


@dataclass(frozen=True)
class Doubt:
    """A write whose outcome its client does not know: all of its objects are as before, or all are as after."""

    step: Step
    before: dict[Key, State]
    after: dict[Key, State]


class Memory:
    """The memory of one client."""

    def __init__(self, seed: int, client: int) -> None:
        self.chance = Random(f"client {seed} {client}")
        self.client = client
        self.known: dict[Key, State] = {}
        self.doubts: list[Doubt] = []
        self.ids: dict[Key, str] = {}
        """Identifiers that the server chose."""
        self._prefix = f"{seed}-{client}"
        self._count = 0

    def new_name(self, kind: str) -> str:
        """Return a name that no other operation uses."""
        self._count += 1
        return f"{kind}-{self.client}-{self._count}"

    def new_uuid(self) -> str:
        """Return a uuid that no other operation uses."""
        self._count += 1
        return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self._prefix}-{self._count}"))

    def owned(self, kind: str) -> list[Key]:
        """Return the objects of a kind that exist, without those in doubt."""
        return [key for key, state in self.known.items() if key[0] == kind and state is not None]

    def pick(self, kind: str) -> Key:
        """Return one of them at random."""
        return self.chance.choice(self.owned(kind))

    def succeeded(self, step: Step, document: Document) -> None:
        """Remember an acknowledged write."""
        self.known.update(step.changes)
        step.learn(document)

    def resolve(self, found: Mapping[Key, State], ids: Mapping[Key, str]) -> None:
        """Learn the outcome of all writes in doubt, when none of them can be executed any more.

        Forget what was deleted: the checker has seen that it is gone, and reports it if it comes back.
        """
        for doubt in self.doubts:
            for key in doubt.before:
                self.known[key] = found.get(key)
                if key in ids:
                    self.ids[key] = ids[key]
        self.doubts.clear()
        self.known = {key: state for key, state in self.known.items() if state is not None}
        self.ids = {key: ident for key, ident in self.ids.items() if key in self.known}

    def unclear(self, step: Step) -> None:
        """Remember a write without a clear answer."""
        if step.changes:
            before = {key: self.known.pop(key, None) for key in step.changes}
            self.doubts.append(Doubt(step, before, dict(step.changes)))
