"""What others are told of a change: a signal within the process after the commit, and the events of nodes and holds."""

from collections.abc import Iterable

from msgspec import Struct

from dibs.events.model.events import CHANGED, Event, State, Watch
from dibs.machines.model.holds import Hold
from dibs.machines.model.nodes import Node


class TaskQueued(Struct, frozen=True):
    """A task on a node is due now."""


TASK_QUEUED = TaskQueued()

_NOT_SHOWN = frozenset(
    {
        "id", "uuid", "conductor_id", "created_at", "updated_at", "provision_updated_at",
        # The lock of a conductor for a task: it comes and goes with each step of the work, which changes the state too.
        "reservation",
        # The notes of drivers, with secrets among them.
        "driver_internal_info",
    }
)  # fmt: skip

_NODE = Watch(
    kind="node",
    names=tuple(name for name in Node.__struct_fields__ if name not in _NOT_SHOWN),
    hidden=frozenset({"driver_info", "instance_info"}),
)
# Without its uuid, which is the proof of the client that may deploy the node.
_HOLD = Watch(kind="hold", names=("instance_uuid", "expires_at"))

FAULT = "fault"
"""The verb of a node that a conductor puts into maintenance, because its work failed."""


def node_event(before: Node | None, after: Node | None) -> Event | None:
    """Return the event of a change to a node; only the project that owns the node sees it."""
    present = after or before
    assert present is not None
    failed = before is not None and after is not None and after.fault is not None and before.fault is None
    return _NODE.event(
        before,
        after,
        object_id=present.uuid,
        project=present.owner,
        node=present.uuid,
        verb=FAULT if failed else None,
    )


def node_state(node: Node) -> State:
    """Return what the event of a new node would show of it."""
    return _NODE.state(node)


def traits_event(changed: Node, before: Iterable[str], after: Iterable[str]) -> Event:
    """Return the event of a change to the traits of a node."""
    return Event(
        type=f"{_NODE.kind}.{CHANGED}",
        object_id=changed.uuid,
        project=changed.owner,
        node=changed.uuid,
        before={"traits": sorted(before)},
        after={"traits": sorted(after)},
    )


def parent_removed_event(child: str, owner: str | None, parent: str) -> Event:
    """Return the event of a node, by its uuid, whose parent is deleted."""
    return Event(
        type=f"{_NODE.kind}.{CHANGED}",
        object_id=child,
        project=owner,
        node=child,
        before={"parent_node": parent},
        after={"parent_node": None},
    )


def hold_event(before: Hold | None, after: Hold | None) -> Event | None:
    """Return the event of a change to a hold."""
    present = after or before
    assert present is not None
    return _HOLD.event(
        before, after, object_id=present.instance_uuid, project=present.project_id, node=present.node_uuid
    )
