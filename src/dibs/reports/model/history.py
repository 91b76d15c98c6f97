"""What a node was at an earlier moment: what it is now, with the later changes undone."""

from collections.abc import Iterable, Mapping
from typing import Any

from dibs.events.model.stored import StoredEvent

EMPTY: tuple[Any, ...] = (None, "", {}, [])


def state_before(present: Mapping[str, Any] | None, later: Iterable[StoredEvent]) -> dict[str, Any] | None:
    """Return the attributes that were not empty, before these events, the newest first; None when there was no node."""
    state = None if present is None else dict(present)
    for event in later:
        if event.before is None:
            state = None
        elif event.after is None:
            state = dict(event.before)
        elif state is not None:
            state.update(event.before)
    return None if state is None else {name: value for name, value in state.items() if value not in EMPTY}
