"""Flavors, and the projects that have access to private ones."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, bindparam, exists, insert, or_, select, update
from sqlalchemy import delete as delete_rows

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database import paging, sets
from dibs.database.columns import Columns
from dibs.database.transaction import Duplicate, Transaction
from dibs.flavors.model.errors import FlavorAccessExists, FlavorExists
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.tables import flavor_access, flavors

COLUMNS = Columns(Flavor)

_SELECT = select(*(flavors.c[name] for name in COLUMNS.names))
_ONE = _SELECT.where(flavors.c.flavor == bindparam("of_flavor"))
_WRITTEN = tuple(name for name in COLUMNS.names if name != "id")
_INSERT = insert(flavors).values({name: bindparam(name) for name in _WRITTEN})
_LOCK = update(flavors).where(flavors.c.flavor == bindparam("of_flavor")).values(flavor=flavors.c.flavor)
_SET_SPECS = (
    update(flavors)
    .where(flavors.c.id == bindparam("of_id"))
    .values(extra_specs=bindparam("new_specs"), updated_at=bindparam("now"))
)
_DESCRIBE = (
    update(flavors)
    .where(flavors.c.id == bindparam("of_id"))
    .values(description=bindparam("new_description"), updated_at=bindparam("now"))
)
_DELETE = delete_rows(flavors).where(flavors.c.id == bindparam("of_id"))
_ACCESS = (
    select(flavor_access.c.project_id)
    .where(flavor_access.c.flavor_id == bindparam("of_id"))
    .order_by(flavor_access.c.project_id)
)
_GRANT = insert(flavor_access).values(flavor_id=bindparam("of_id"), project_id=bindparam("of_project"))
_REVOKE = delete_rows(flavor_access).where(
    flavor_access.c.flavor_id == bindparam("of_id"), flavor_access.c.project_id == bindparam("of_project")
)


class FlavorPage(NamedTuple):
    """The filters, order and position of one page of flavors."""

    visibility: VisibleProjects = frozenset()
    """Show public flavors and those that one of these projects has access to."""
    public: bool | None = None
    memory_mb_min: int = 0
    disk_gb_min: int = 0
    sort_key: str = "id"
    descending: bool = False
    limit: int = 1_000
    marker: str | None = None
    """The id of the last flavor on the previous page."""


class _Shape(NamedTuple):
    visible_projects: int | None
    """The number of projects whose private flavors are shown; None shows those of every project."""
    public: bool
    sort_key: str
    descending: bool
    marker: str


def get(tx: Transaction, flavor: str) -> Flavor | None:
    """Return a flavor by the id that clients use; None when there is none."""
    row = tx.row(_ONE, {"of_flavor": flavor})
    return _flavor(row) if row else None


def lock(tx: Transaction, flavor: str) -> Flavor | None:
    """Lock a flavor until the transaction ends and return it; None when there is none."""
    return get(tx, flavor) if tx.change(_LOCK, {"of_flavor": flavor}) else None


def list_page(tx: Transaction, page: FlavorPage) -> list[Flavor] | None:
    """Return one page of flavors; None when the marker does not exist."""
    row: dict[str, Any] | None = None
    if page.marker is not None:
        found = get(tx, page.marker)
        if found is None:
            return None
        row = {"id": found.id, "sort_value": getattr(found, page.sort_key)}
    marker, values = paging.marker_values(row, page.sort_key)
    projects = None if page.visibility is EVERY_PROJECT else sorted(page.visibility)
    shape = _Shape(
        None if projects is None else len(projects), page.public is not None, page.sort_key, page.descending, marker
    )
    values |= {"memory_min": page.memory_mb_min, "disk_min": page.disk_gb_min, "page_limit": page.limit}
    values |= sets.numbered("project", projects or ())
    if page.public is not None:
        values["of_public"] = int(page.public)
    return [_flavor(row) for row in tx.rows(_page(shape), values)]


def create(tx: Transaction, values: Mapping[str, Any]) -> Flavor:
    """Add a flavor; raise FlavorExists when another has its id or name."""
    flavor = Flavor(**{"id": 0, **values})
    try:
        tx.change(_INSERT, COLUMNS.encode({name: getattr(flavor, name) for name in _WRITTEN}))
    except Duplicate as error:
        field, value = ("name", flavor.name) if error.constraint == "uq_flavors_name" else ("ID", flavor.flavor)
        raise FlavorExists(field=field, value=value) from error
    made = get(tx, flavor.flavor)
    assert made is not None
    return made


def set_extra_specs(tx: Transaction, flavor: Flavor, specs: Mapping[str, str], now: int) -> None:
    """Replace the extra specs of a locked flavor."""
    tx.change(_SET_SPECS, {"of_id": flavor.id, "new_specs": json.dumps(specs, ensure_ascii=False), "now": now})


def set_description(tx: Transaction, flavor: Flavor, description: str | None, now: int) -> None:
    """Set the description of a locked flavor."""
    tx.change(_DESCRIBE, {"of_id": flavor.id, "new_description": description, "now": now})


def delete(tx: Transaction, flavor: Flavor) -> None:
    """Delete a flavor and all access to it; servers keep a copy of it."""
    tx.change(_DELETE, {"of_id": flavor.id})


def access(tx: Transaction, flavor: Flavor) -> list[str]:
    """Return the projects that have access."""
    return tx.values(_ACCESS, {"of_id": flavor.id})


def grant(tx: Transaction, flavor: Flavor, project: str) -> None:
    """Grant a project access; raise FlavorAccessExists when it has it."""
    try:
        tx.change(_GRANT, {"of_id": flavor.id, "of_project": project})
    except Duplicate as error:
        raise FlavorAccessExists(flavor=flavor.flavor, project=project) from error


def revoke(tx: Transaction, flavor: Flavor, project: str) -> bool:
    """Revoke the access of a project; return False when it had none."""
    return tx.change(_REVOKE, {"of_id": flavor.id, "of_project": project}) == 1


@lru_cache(maxsize=200)
def _page(shape: _Shape) -> Select[Any]:
    statement = _SELECT.where(
        flavors.c.memory_mb >= bindparam("memory_min"), flavors.c.disk_gb >= bindparam("disk_min")
    )
    if shape.visible_projects is not None:
        statement = statement.where(or_(flavors.c.public == 1, *_accessible(shape.visible_projects)))
    if shape.public:
        statement = statement.where(flavors.c.public == bindparam("of_public"))
    return paging.in_order(statement, flavors, shape.sort_key, descending=shape.descending, marker=shape.marker)


def _accessible(count: int) -> list[ColumnElement[bool]]:
    """Return the condition that one of ``count`` projects has access; nothing for no projects."""
    if not count:
        return []
    of_flavor = flavor_access.c.flavor_id == flavors.c.id
    return [exists().where(of_flavor, flavor_access.c.project_id.in_(sets.binds("project", count)))]


def _flavor(row: Mapping[str, Any]) -> Flavor:
    return Flavor(**COLUMNS.decode(row))
