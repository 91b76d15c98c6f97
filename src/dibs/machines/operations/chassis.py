"""Chassis: create, show, list, update and delete."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.paging import Page
from dibs.database.transaction import Transaction
from dibs.documents.json_patch import Patch
from dibs.machines.model.chassis import Chassis, ChassisQuery, changes_of_patch
from dibs.machines.model.errors import ChassisNotEmpty, ChassisNotFound
from dibs.machines.model.nodes import Json
from dibs.machines.queries import chassis


class CreateChassis(Struct, frozen=True, kw_only=True):
    """Add a chassis."""

    uuid: str
    description: str | None
    extra: Json


class UpdateChassis(Struct, frozen=True, kw_only=True):
    """Change a chassis by a JSON patch."""

    uuid: str
    patch: Patch


def create_chassis(tx: Transaction, access: Access, now: int, command: CreateChassis) -> Chassis:
    """Add a chassis."""
    access.require("baremetal:chassis:create", {})
    made = Chassis(id=0, uuid=command.uuid, description=command.description, extra=command.extra, created_at=now)
    return chassis.create(tx, made)


def get_chassis(tx: Transaction, access: Access, now: int, uuid: str) -> Chassis:
    """Return a chassis."""
    access.require("baremetal:chassis:get", {})
    return _existing(chassis.get(tx, uuid), uuid)


def list_chassis(tx: Transaction, access: Access, now: int, query: ChassisQuery) -> Page[Chassis]:
    """Return one page of chassis."""
    access.require("baremetal:chassis:get", {})
    page = chassis.page(tx, query)
    if page is None:
        raise ChassisNotFound(chassis=query.marker)
    return page


def update_chassis(tx: Transaction, access: Access, now: int, command: UpdateChassis) -> Chassis:
    """Change a chassis."""
    access.require("baremetal:chassis:update", {})
    found = _existing(chassis.lock(tx, command.uuid), command.uuid)
    return chassis.update(tx, found, now, **changes_of_patch(found, command.patch))


def delete_chassis(tx: Transaction, access: Access, now: int, uuid: str) -> None:
    """Delete a chassis that no node is in. Its lock keeps nodes from entering meanwhile."""
    access.require("baremetal:chassis:delete", {})
    found = _existing(chassis.lock(tx, uuid), uuid)
    if chassis.has_nodes(tx, uuid):
        raise ChassisNotEmpty(chassis=uuid)
    chassis.delete(tx, found)


def _existing(found: Chassis | None, uuid: str) -> Chassis:
    if found is None:
        raise ChassisNotFound(chassis=uuid)
    return found
