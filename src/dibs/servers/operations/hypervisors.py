"""Hypervisors and compute services: the hosts of servers, and the switch that keeps new servers off a host."""

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.leases.model.hosts import DISABLED_TRAIT
from dibs.ledger.queries import providers, traits
from dibs.servers.model.errors import HypervisorNotFound, ServiceNotFound
from dibs.servers.model.hypervisors import Hypervisor, HypervisorQuery
from dibs.servers.queries import hypervisors

COMPUTE_BINARY = "nova-compute"
_ROW_ID_DIGITS_MAX = 18


class ListHypervisors(Struct, frozen=True, kw_only=True):
    """One page of hypervisors."""

    query: HypervisorQuery
    marker: str | None = None
    """The uuid or the row id of the last hypervisor of the page before."""


class SwitchService(Struct, frozen=True, kw_only=True):
    """Enable or disable the compute service of a host, by its name or its uuid."""

    host: str | None = None
    uuid: str | None = None
    disabled: bool | None
    """None changes nothing."""


def list_hypervisors(tx: Transaction, access: Access, now: int, command: ListHypervisors) -> list[Hypervisor]:
    """Return one page of hypervisors."""
    query = command.query
    if command.marker is not None:
        found = hypervisors.page(tx, _query_of(command.marker))
        if not found:
            raise BadValue(reason=f"marker [{command.marker}] not found")
        query = replace(query, after_id=found[0].id)
    return hypervisors.page(tx, query)


def get_hypervisor(tx: Transaction, access: Access, now: int, ident: str) -> Hypervisor:
    """Return a hypervisor by its uuid or its row id."""
    found = hypervisors.page(tx, _query_of(ident))
    if not found:
        raise HypervisorNotFound(hypervisor=ident)
    return found[0]


def switch_service(tx: Transaction, access: Access, now: int, command: SwitchService) -> Hypervisor:
    """Enable or disable a compute service: the provider of a disabled one has the trait that Nova gives it."""
    before = _find_service(tx, command)
    if command.disabled is None or command.disabled == before.disabled:
        return before
    providers.lock_and_bump(tx, [before.id], now)
    if command.disabled:
        traits.add(tx, before.id, {DISABLED_TRAIT} - set(traits.of_provider(tx, before.id)), now)
    else:
        traits.remove(tx, before.id, {DISABLED_TRAIT})
    return _find_service(tx, command)


def _find_service(tx: Transaction, command: SwitchService) -> Hypervisor:
    found = hypervisors.page(tx, HypervisorQuery(name=command.host, uuid=command.uuid, services_only=True))
    if not found:
        raise ServiceNotFound(binary=COMPUTE_BINARY, host=command.host or command.uuid)
    return found[0]


def _query_of(ident: str) -> HypervisorQuery:
    is_number = ident.isascii() and ident.isdigit() and len(ident) <= _ROW_ID_DIGITS_MAX
    return HypervisorQuery(row_id=int(ident)) if is_number else HypervisorQuery(uuid=ident)
