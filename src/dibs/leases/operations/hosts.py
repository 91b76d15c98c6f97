"""Register, list, change and remove bookable hosts, and list their bookings.

A host is a compute provider or a bare-metal node. Registering it creates a child provider, its reservation provider, on
which active leases offer their instances. Removing the host removes the child.
"""

import uuid
from collections.abc import Mapping

from msgspec import Struct, field

from dibs.access.access import Access
from dibs.database.transaction import Duplicate, Transaction
from dibs.errors import BadValue
from dibs.leases.model.access import is_operator
from dibs.leases.model.bookings import ListedBooking
from dibs.leases.model.errors import (
    HostBooked,
    HostExists,
    HostInUse,
    HostNotFound,
    HostPropertyInUse,
    HostPropertyNotFound,
    NoSuchHost,
)
from dibs.leases.model.events import host_event
from dibs.leases.model.hosts import Host, PropertyName, check_properties, reservation_provider_name
from dibs.leases.model.matching.requirements import comparisons_of, parse
from dibs.leases.queries import bookings, hosts, property_names
from dibs.ledger.model.errors import ProviderExists, ProviderInUse
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.providers import CreateProvider, create_provider, lock_provider, require_unused
from dibs.ledger.queries import claim_views, inventories, providers
from dibs.machines.queries import nodes

COMPUTE_CLASSES = ("VCPU", "PCPU")
"""A provider with an inventory of one of these is a compute host."""
ID_DIGITS_MAX = 18


class RegisterHost(Struct, frozen=True, kw_only=True):
    """Make a compute provider or a node bookable."""

    name: str
    """The name or uuid of the provider, or of the node."""
    properties: Mapping[str, str] = field(default_factory=dict)


class UpdateHost(Struct, frozen=True, kw_only=True):
    """Change the properties of a host."""

    id: str
    properties: Mapping[str, str | None]
    """None removes a property."""


class ListHostBookings(Struct, frozen=True, kw_only=True):
    """List the bookings of hosts."""

    host: str | None = None
    """The id of one host; None: all hosts."""
    lease: str | None = None
    reservation: str | None = None
    """Bookings of one lease or reservation; without either, the bookings that have not ended."""


class HostBookings(Struct, frozen=True, kw_only=True):
    """A host and its bookings."""

    host: Host
    bookings: tuple[ListedBooking, ...]


class PropertyValues(Struct, frozen=True, kw_only=True):
    """A property and the values that hosts have."""

    property: PropertyName
    values: tuple[str, ...]


class SetPropertyPrivacy(Struct, frozen=True, kw_only=True):
    """Show a property to all callers, or to operators only."""

    name: str
    private: bool


def register_host(tx: Transaction, access: Access, now: int, command: RegisterHost) -> Host:
    """Make a compute provider or a node bookable."""
    check_properties(command.properties)
    found = _find_provider(tx, command.name)
    provider = lock_provider(tx, now, found.uuid)
    child_name = reservation_provider_name(provider.name)
    is_node = bool(nodes.names_of(tx, [provider.id]))
    if not is_node:
        _check_compute_host(tx, now, provider)
    try:
        child = create_provider(
            tx,
            access,
            now,
            CreateProvider(uuid=str(uuid.uuid4()), name=child_name, parent=provider.uuid),
        )
        host_id = hosts.add(tx, _new_host(provider, child, is_node, now))
    except (ProviderExists, Duplicate) as error:
        raise HostExists(provider=child_name) from error
    hosts.add_properties(tx, host_id, command.properties)
    _add_names(tx, now, command.properties)
    host = _present(tx, str(host_id))
    tx.record(host_event(None, host))
    return host


def list_hosts(tx: Transaction, access: Access, now: int, command: None) -> list[Host]:
    """Return every host, the oldest first."""
    return hosts.every(tx)


def get_host(tx: Transaction, access: Access, now: int, ident: str) -> Host:
    """Return one host."""
    return _present(tx, ident)


def update_host(tx: Transaction, access: Access, now: int, command: UpdateHost) -> Host:
    """Change the properties of a host, except those that a reservation on it requires."""
    check_properties(command.properties)
    host = _locked(tx, command.id, now)
    changed = {name: value for name, value in command.properties.items() if value != host.properties.get(name)}
    texts = bookings.requirements_on(tx, host.id)
    required = {requirement.key for text in texts for requirement in comparisons_of(parse(text))}
    if required & changed.keys():
        raise HostPropertyInUse(names=sorted(required & changed.keys()), host=host.id)
    hosts.set_properties(tx, host, changed, now)
    _add_names(tx, now, {name: value for name, value in changed.items() if value is not None})
    after = _present(tx, command.id)
    tx.record(host_event(host, after))
    return after


def delete_host(tx: Transaction, access: Access, now: int, ident: str) -> None:
    """Remove a host; raise HostBooked while it has bookings."""
    host = _locked(tx, ident, now)
    if bookings.is_booked(tx, host.id):
        raise HostBooked(host=host.id)
    hosts.remove(tx, host)
    try:
        require_unused(tx, host.reservation_provider_id, host.reservation_provider)
    except ProviderInUse:
        raise HostInUse(consumers=_consumers(tx, host.reservation_provider_id), host=host.name) from None
    providers.delete_provider(tx, host.reservation_provider_id)
    tx.record(host_event(host, None))


def list_host_bookings(tx: Transaction, access: Access, now: int, command: ListHostBookings) -> list[HostBookings]:
    """Return every host, or one, with its bookings."""
    shown_hosts = hosts.every(tx) if command.host is None else [_present(tx, command.host)]
    unfiltered = command.lease is None and command.reservation is None
    found: dict[int, list[ListedBooking]] = {host.id: [] for host in shown_hosts}
    for each in bookings.listed(
        tx,
        host_id=None if command.host is None else shown_hosts[0].id,
        lease=command.lease,
        reservation=command.reservation,
        ending_after=now if unfiltered else None,
    ):
        found.get(each.host_id, []).append(each)
    return [HostBookings(host=host, bookings=tuple(found[host.id])) for host in shown_hosts]


def list_property_names(tx: Transaction, access: Access, now: int, with_private: bool) -> list[PropertyValues]:
    """Return the properties that hosts have, in alphabetical order, with their values.

    Only operators see private properties: ``with_private`` has no effect for other callers.
    """
    with_private = with_private and is_operator(access)
    values = property_names.values(tx)
    return [
        PropertyValues(property=each, values=tuple(values.get(each.name, ())))
        for each in property_names.every(tx)
        if with_private or not each.private
    ]


def set_property_privacy(tx: Transaction, access: Access, now: int, command: SetPropertyPrivacy) -> PropertyName:
    """Show a property to all callers, or to operators only."""
    property_names.set_private(tx, command.name, command.private, now)
    found = property_names.get(tx, command.name)
    if found is None:
        raise HostPropertyNotFound(name=command.name)
    return found


def _find_provider(tx: Transaction, ident: str) -> Provider:
    """Return the root provider with this name or uuid, which may be that of a node."""
    found = providers.get_named(tx, ident) or providers.get(tx, ident.lower())
    if found is None or found.parent is not None:
        raise HostNotFound(host=ident)
    return found


def _check_compute_host(tx: Transaction, now: int, provider: Provider) -> None:
    """Raise unless the provider is a compute host without claims: from now on it is for leases only."""
    tree = sorted(row_id for row_id, _ in providers.tree(tx, provider.id))
    providers.lock_many(tx, tree, now)
    found = inventories.of_providers(tx, tree)
    classes = {inventory.resource_class for key, inventory in found.items() if key.provider_id == provider.id}
    if classes.isdisjoint(COMPUTE_CLASSES):
        raise BadValue(
            reason=f"Resource provider {provider.name} has no inventory of processors: it is not a compute host."
        )
    used = sorted({key.provider_id for key, inventory in found.items() if inventory.used})
    if used:
        raise HostInUse(consumers=_consumers(tx, used[0]), host=provider.name)


def _consumers(tx: Transaction, provider_id: int) -> list[str]:
    return sorted({claim["consumer"] for claim in claim_views.on_provider(tx, provider_id)})


def _new_host(provider: Provider, child: Provider, is_node: bool, now: int) -> dict[str, object]:
    return {
        "provider_id": provider.id,
        "reservation_provider_id": child.id,
        "name": provider.name,
        "service_name": provider.name,
        "availability_zone": "nova",
        "hypervisor_type": "ironic" if is_node else "QEMU",
        "hypervisor_version": 0,
        "cpu_info": "{}",
        "created_at": now,
        "updated_at": None,
    }


def _add_names(tx: Transaction, now: int, properties: Mapping[str, str]) -> None:
    """Add the names of properties that no host had before."""
    if properties:
        for name in sorted(properties.keys() - {each.name for each in property_names.every(tx)}):
            property_names.add(tx, str(uuid.uuid4()), name, now)


def _locked(tx: Transaction, ident: str, now: int) -> Host:
    """Return the host with this id, its providers locked: no other transaction books or removes it meanwhile."""
    host = _present(tx, ident)
    providers.lock_many(tx, [host.provider_id, host.reservation_provider_id], now)
    return _present(tx, ident)


def _present(tx: Transaction, ident: str) -> Host:
    """Return the host with this id; an id that is not a number is not found, like one that no host has."""
    digits = ident.isascii() and ident.isdigit() and len(ident) <= ID_DIGITS_MAX
    host = hosts.get(tx, int(ident)) if digits else None
    if host is None:
        raise NoSuchHost(host=ident)
    return host
