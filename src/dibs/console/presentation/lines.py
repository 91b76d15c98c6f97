"""A node as one line of a page: its state in a word, who has it, until when, and what comes next."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from dibs.allocations.model.schedules import ALLOCATION, HOLD, LEASE, Occupation
from dibs.machines.model import states

COLUMNS = frozenset(
    {
        "uuid", "name", "resource_class", "provision_state", "maintenance", "maintenance_reason", "fault", "retired",
        "instance_uuid", "instance_name", "owner", "lessee", "chassis_uuid", "provision_updated_at",
    }
)  # fmt: skip
"""The attributes of nodes that lines show: no secrets, and nothing large."""

FREE, USED, HELD, LEASED, OUT, BUSY = "free", "used", "held", "leased", "out", "busy"

CLEANING = frozenset({states.DELETING, states.CLEANING, states.CLEAN_WAIT, states.CLEAN_HOLD})
"""The states of a node between two users."""

_FAILED = frozenset(name for name in vars(states).values() if isinstance(name, str) and name.endswith("failed"))
_NAMES = {ALLOCATION: "allocation", HOLD: "reservation", LEASE: "lease"}
_ANONYMOUS = {ALLOCATION: "in use", HOLD: "reserved", LEASE: "booked"}


class Line(Struct, frozen=True, kw_only=True):
    """One node."""

    id: int
    uuid: str
    name: str
    resource_class: str | None
    mood: str
    """FREE, USED, HELD, LEASED, OUT or BUSY: the colour of its dot."""
    state: str
    """The state in one or two words."""
    holder: Occupation | None
    label: str
    """The holder; empty when there is none."""
    until: int | None
    next: Occupation | None
    fault: str
    bookable: bool
    """Whether leases can book it."""
    occupations: Sequence[Occupation] = ()
    owner: str | None = None
    maintenance_reason: str | None = None
    maintenance: bool = False
    since: int | None = None


def line_of(row: Mapping[str, Any], occupations: Sequence[Occupation], host: str | None, now: int) -> Line:
    """Return the line of a node."""
    current = [each for each in occupations if each.start <= now and (each.end is None or now < each.end)]
    holder = next((each for kind in (ALLOCATION, HOLD, LEASE) for each in current if each.kind == kind), None)
    mood, state = _state(row, holder)
    ends = [each.end for each in current if each.end is not None]
    return Line(
        id=row["id"],
        uuid=row["uuid"],
        name=row["name"] or row["uuid"],
        resource_class=row["resource_class"],
        mood=mood,
        state=state,
        holder=holder,
        label=_holder(row, holder),
        until=min(ends, default=None) if mood != FREE else None,
        next=next((each for each in occupations if each.start > now), None),
        fault=_fault(row),
        bookable=host is not None,
        occupations=occupations,
        owner=row["owner"],
        maintenance_reason=row["maintenance_reason"],
        maintenance=bool(row["maintenance"]),
        since=row["provision_updated_at"],
    )


def label_of(occupation: Occupation) -> str:
    """Return what a bar or a cell says about an occupation."""
    if occupation.maintenance:
        return occupation.name or "maintenance"
    if not occupation.visible:
        return _ANONYMOUS[occupation.kind]
    name = occupation.name or (_short(occupation.uuid) if occupation.uuid else _NAMES[occupation.kind])
    return f"{occupation.project} · {name}" if occupation.project else name


def _holder(row: Mapping[str, Any], holder: Occupation | None) -> str:
    if holder is None:
        return row["instance_name"] or _short(row["instance_uuid"])
    return label_of(holder) if holder.visible else "another project"


def _state(row: Mapping[str, Any], holder: Occupation | None) -> tuple[str, str]:
    if row["maintenance"] or row["fault"]:
        return OUT, "maintenance"
    if row["retired"]:
        return OUT, "retired"
    state = row["provision_state"]
    if state in _FAILED or state == states.ERROR:
        return OUT, state
    if row["instance_uuid"] or (holder is not None and holder.kind == ALLOCATION):
        return USED, "in use" if state in (states.ACTIVE, states.AVAILABLE) else state
    if holder is not None:
        return (HELD, "reserved") if holder.kind == HOLD else (LEASED, "leased")
    return (FREE, "free") if state == states.AVAILABLE else (BUSY, state)


def _fault(row: Mapping[str, Any]) -> str:
    if row["fault"]:
        return str(row["fault"])
    if row["maintenance"]:
        return row["maintenance_reason"] or "maintenance"
    return str(row["provision_state"]) if row["provision_state"] in _FAILED else ""


def _short(uuid: str | None) -> str:
    return uuid.partition("-")[0] if uuid else ""
