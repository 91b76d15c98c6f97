"""The queue of tasks on nodes.

Callers lock the provider row of the node before they change its task. Of two conductors that want the same task one
waits for the lock, and then its condition no longer holds.
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

# A task that does not wait is due when it was created. It is due at once even after the clock was set back.
_IS_DUE = or_(node_tasks.c.due_at <= bindparam("now"), node_tasks.c.due_at == node_tasks.c.created_at)

_GET = select(*node_tasks.c).where(_OF_NODE)
_GET_TAKEN = (
    select(*node_tasks.c, conductors.c.hostname)
    .join(conductors, conductors.c.id == node_tasks.c.conductor_id)
    .where(_OF_NODE)
)
_INSERT = insert(node_tasks).values({column.name: bindparam(f"new_{column.name}") for column in node_tasks.c})
_DELETE = delete(node_tasks).where(_OF_NODE)
# Includes the tasks that an earlier incarnation of this conductor left behind when it failed.
_DUE = (
    select(nodes.c.uuid)
    .join(node_tasks, node_tasks.c.node_id == nodes.c.id)
    .where(_FOR_ME, _FREE, _IS_DUE)
    .order_by(node_tasks.c.due_at, node_tasks.c.node_id)
    .limit(bindparam("count_max"))
)
_TAKE = (
    update(node_tasks)
    .where(_OF_NODE, _FOR_ME, _FREE, _IS_DUE)
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
    """Return the node's task."""
    row = tx.row(_GET, {"of_node": node_id})
    return _task(tx, row) if row else None


def queue(tx: Transaction, node_id: int, *, conductor_id: int, work: str, arguments: Json, now: int) -> None:
    """Queue a task on a node for a conductor, in place of a waiting one."""
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
    values = {f"new_{name}": getattr(task, name) for name in Task.__struct_fields__}
    tx.change(_INSERT, {**values, "new_arguments": tx.vault.seal(json.dumps(arguments))})


def remove(tx: Transaction, node_id: int) -> None:
    """Remove the task of a node."""
    tx.change(_DELETE, {"of_node": node_id})


def due(tx: Transaction, incarnation: str, now: int, count_max: int) -> list[str]:
    """Return the uuids of nodes with a due task that this incarnation does not run yet."""
    return tx.values(_DUE, {"of_incarnation": incarnation, "now": now, "count_max": count_max})


def take(tx: Transaction, node_id: int, incarnation: str, now: int) -> bool:
    """Take a task; return False when it is not due or not this conductor's."""
    return tx.change(_TAKE, {"of_node": node_id, "of_incarnation": incarnation, "now": now}) == 1


def get_taken(tx: Transaction, node_id: int) -> tuple[Task, str]:
    """Return the task that was just taken, and the name of its conductor."""
    row = tx.row(_GET_TAKEN, {"of_node": node_id})
    assert row is not None, "its conductor has taken it just now"
    hostname: str = row.pop("hostname")
    return _task(tx, row), hostname


def release(tx: Transaction, node_id: int, incarnation: str) -> None:
    """Release a task, as if it had not been taken."""
    tx.change(_RELEASE, {"of_node": node_id, "of_incarnation": incarnation})


def requeue(
    tx: Transaction,
    task: Task,
    *,
    work: str,
    arguments: Json,
    runner: str | None,
    attempts: int,
    due_at: int | None = None,
) -> None:
    """Replace a task by the next work on its node, which is due at once unless it has a due time."""
    values = {
        "of_node": task.node_id,
        "new_runner": runner,
        "new_work": work,
        "new_arguments": tx.vault.seal(json.dumps(arguments)),
        "new_due_at": task.created_at if due_at is None else due_at,
        "new_attempts": attempts,
    }
    tx.change(_REQUEUE, values)


def orphaned(tx: Transaction, now: int, count_max: int) -> list[Row]:
    """Return uuid, driver and conductor_group of nodes with a task of a failed or stopped conductor."""
    return tx.rows(_ORPHANED, {"now": now, "count_max": count_max})


def move(tx: Transaction, node_id: int, *, from_conductor: int, to_conductor: int) -> bool:
    """Move a task to another conductor; return False when it no longer belongs to the former one."""
    values = {"of_node": node_id, "of_conductor": from_conductor, "new_conductor": to_conductor}
    return tx.change(_MOVE, values) == 1


def _task(tx: Transaction, row: Mapping[str, Any]) -> Task:
    return Task(**{**row, "arguments": json.loads(tx.vault.unseal(row["arguments"]))})
