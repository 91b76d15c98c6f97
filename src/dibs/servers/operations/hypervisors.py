"""Hypervisors and compute services: what servers can lie on, and whether new ones are let on it."""

from dataclasses import dataclass

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.leases.model.hosts import DISABLED_TRAIT
from dibs.ledger.queries import providers, traits
from dibs.servers.model.errors import HypervisorNotFound, ServiceNotFound
from dibs.servers.model.hypervisors import Hypervisor, HypervisorQuery
from dibs.servers.queries import hypervisors

COMPUTE_BINARY = "nova-compute"
_ROW_NUMBER_DIGITS_MAX = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHypervisors:
    """One page of hypervisors."""

    query: HypervisorQuery
    marker: str | None = None
    """The uuid, or the row's number, of the last one of the page before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneHypervisor:
    """A hypervisor by its uuid or by its row's number."""

    ident: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchService:
    """Let new servers on a host, or keep them off."""

    host: str | None = None
    """Its name; or its uuid:"""
    uuid: str | None = None
    disabled: bool | None
    """None only looks."""


def list_hypervisors(tx: Transaction, access: Access, now: int, command: ListHypervisors) -> list[Hypervisor]:
    """One page of hypervisors."""
    query = command.query
    if command.marker is not None:
        found = hypervisors.page(tx, _named(command.marker))
        if not found:
            raise BadValue(reason=f"marker [{command.marker}] not found")
        query = HypervisorQuery(
            name_part=query.name_part, services_only=query.services_only, limit=query.limit, after_id=found[0].id
        )
    return hypervisors.page(tx, query)


def get_hypervisor(tx: Transaction, access: Access, now: int, command: OneHypervisor) -> Hypervisor:
    """One hypervisor."""
    found = hypervisors.page(tx, _named(command.ident))
    if not found:
        raise HypervisorNotFound(hypervisor=command.ident)
    return found[0]


def switch_service(tx: Transaction, access: Access, now: int, command: SwitchService) -> Hypervisor:
    """Enable or disable a compute service: its provider loses or has the trait that Nova gives to disabled ones."""
    before = _service(tx, command)
    if command.disabled is None or command.disabled == before.disabled:
        return before
    providers.lock_and_bump(tx, [before.id], now)
    if command.disabled:
        traits.add(tx, before.id, {DISABLED_TRAIT} - set(traits.of_provider(tx, before.id)), now)
    else:
        traits.remove(tx, before.id, {DISABLED_TRAIT})
    return _service(tx, command)


def _service(tx: Transaction, command: SwitchService) -> Hypervisor:
    found = hypervisors.page(tx, HypervisorQuery(name=command.host, uuid=command.uuid, services_only=True))
    if not found:
        raise ServiceNotFound(binary=COMPUTE_BINARY, host=command.host or command.uuid)
    return found[0]


def _named(ident: str) -> HypervisorQuery:
    is_number = ident.isascii() and ident.isdigit() and len(ident) <= _ROW_NUMBER_DIGITS_MAX
    return HypervisorQuery(row_id=int(ident)) if is_number else HypervisorQuery(uuid=ident)
