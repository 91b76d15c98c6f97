"""The queue of work on nodes.

A task belongs to a node, whose provider row is locked before any of these changes it; so of two conductors that want
the same task one waits, and then finds that its condition no longer holds.
"""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, delete, insert, or_, select, update

from dibs.database.transaction import Row, Transaction
from dibs.machines.model.nodes import Json
from dibs.machines.model.tasks import Task
from dibs.machines.tables import conductors, node_tasks, nodes

_OF_NODE = node_tasks.c.node_id == bindparam("of_node")
_MINE = node_tasks.c.runner == bindparam("of_incarnation")
_FOR_ME = (
    node_tasks.c.conductor_id
    == select(conductors.c.id).where(conductors.c.incarnation == bindparam("of_incarnation")).scalar_subquery()
)
_FREE = or_(node_tasks.c.runner.is_(None), node_tasks.c.runner != bindparam("of_incarnation"))

_GET = select(*node_tasks.c).where(_OF_NODE)
_INSERT = insert(node_tasks).values({column.name: bindparam(f"new_{column.name}") for column in node_tasks.c})
_DELETE = delete(node_tasks).where(_OF_NODE)
# A former incarnation of this conductor died with the task in hand, so only this one's own tasks are left alone.
_DUE = (
    select(nodes.c.uuid)
    .join(node_tasks, node_tasks.c.node_id == nodes.c.id)
    .where(_FOR_ME, _FREE, node_tasks.c.due_at <= bindparam("now"))
    .order_by(node_tasks.c.due_at, node_tasks.c.node_id)
    .limit(bindparam("count_max"))
)
_TAKE = (
    update(node_tasks)
    .where(_OF_NODE, _FOR_ME, _FREE, node_tasks.c.due_at <= bindparam("now"))
    .values(runner=bindparam("of_incarnation"), attempts=node_tasks.c.attempts + 1)
)
_RELEASE = update(node_tasks).where(_OF_NODE, _MINE).values(runner=None, attempts=node_tasks.c.attempts - 1)
_REQUEUE = (
    update(node_tasks)
    .where(_OF_NODE)
    .values(
        runner=bindparam("new_runner"),
        work=bindparam("new_work"),
        arguments=bindparam("new_arguments"),
        due_at=bindparam("new_due_at"),
        attempts=bindparam("new_attempts"),
    )
)
_MOVE = (
    update(node_tasks)
    .where(_OF_NODE, node_tasks.c.conductor_id == bindparam("of_conductor"))
    .values(conductor_id=bindparam("new_conductor"), runner=None)
)
_ORPHANED = (
    select(nodes.c.uuid, nodes.c.driver, nodes.c.conductor_group)
    .join(node_tasks, node_tasks.c.node_id == nodes.c.id)
    .join(conductors, conductors.c.id == node_tasks.c.conductor_id)
    .where(or_(conductors.c.online == 0, conductors.c.alive_until < bindparam("now")))
    .order_by(node_tasks.c.due_at, node_tasks.c.node_id)
    .limit(bindparam("count_max"))
)


def get(tx: Transaction, node_id: int) -> Task | None:
    """The node's task."""
    row = tx.row(_GET, {"of_node": node_id})
    return _task(row) if row else None


def queue(tx: Transaction, node_id: int, *, conductor_id: int, work: str, arguments: Json, now: int) -> None:
    """Queue work on a node for a conductor, in place of what may have been waiting there."""
    tx.change(_DELETE, {"of_node": node_id})
    task = Task(
        node_id=node_id,
        conductor_id=conductor_id,
        runner=None,
        work=work,
        arguments=arguments,
        attempts=0,
        due_at=now,
        created_at=now,
    )
    values = {f"new_{name}": getattr(task, name) for name in Task.__dataclass_fields__}
    tx.change(_INSERT, {**values, "new_arguments": json.dumps(arguments)})


def remove(tx: Transaction, node_id: int) -> None:
    """The work on a node is over."""
    tx.change(_DELETE, {"of_node": node_id})


def due(tx: Transaction, incarnation: str, now: int, count_max: int) -> list[str]:
    """The nodes that this incarnation of a conductor should work on now and does not yet."""
    return tx.values(_DUE, {"of_incarnation": incarnation, "now": now, "count_max": count_max})


def take(tx: Transaction, node_id: int, incarnation: str, now: int) -> bool:
    """Begin a task; False when it is not this conductor's to begin."""
    return tx.change(_TAKE, {"of_node": node_id, "of_incarnation": incarnation, "now": now}) == 1


def release(tx: Transaction, node_id: int, incarnation: str) -> None:
    """Leave a task undone, as if it had not been begun."""
    tx.change(_RELEASE, {"of_node": node_id, "of_incarnation": incarnation})


def requeue(
    tx: Transaction, task: Task, *, work: str, arguments: Json, runner: str | None, attempts: int, due_at: int
) -> None:
    """Turn a task into what is to be done next on its node."""
    values = {
        "of_node": task.node_id,
        "new_runner": runner,
        "new_work": work,
        "new_arguments": json.dumps(arguments),
        "new_due_at": due_at,
        "new_attempts": attempts,
    }
    tx.change(_REQUEUE, values)


def orphaned(tx: Transaction, now: int, count_max: int) -> list[Row]:
    """Nodes with work for a conductor that is dead or has stopped: uuid, driver, conductor_group."""
    return tx.rows(_ORPHANED, {"now": now, "count_max": count_max})


def move(tx: Transaction, node_id: int, *, from_conductor: int, to_conductor: int) -> bool:
    """Give a task to another conductor; False when it was no longer the former one's."""
    values = {"of_node": node_id, "of_conductor": from_conductor, "new_conductor": to_conductor}
    return tx.change(_MOVE, values) == 1


def _task(row: Mapping[str, Any]) -> Task:
    return Task(**{**row, "arguments": json.loads(row["arguments"])})
