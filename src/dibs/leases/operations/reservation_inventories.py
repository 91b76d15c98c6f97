"""The inventories that reservations of instances offer on reservation providers while their leases are active."""

from collections.abc import Sequence

from dibs.database.transaction import Transaction
from dibs.leases.model.leases import Reservation
from dibs.leases.queries import bookings, hosts
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.queries import inventories, providers, resource_classes


def create_classes(tx: Transaction, now: int, reservations: Sequence[Reservation]) -> None:
    """Create the resource class of each reservation of instances."""
    resource_classes.create_many(tx, [each.resource_class for each in reservations if not each.whole_hosts], now)


def offer(tx: Transaction, now: int, reservation: Reservation) -> None:
    """Offer the instances of a reservation on its hosts, and on no other host."""
    class_id = resource_classes.ensure(tx, [reservation.resource_class], now)[reservation.resource_class]
    amounts = {booked.host_id: booked.amount for booked in bookings.of_reservations(tx, [reservation.id])}
    offered = {host.reservation_provider_id: host for host in hosts.bare(tx, sorted(amounts))}
    present = {key.provider_id for key in inventories.of_class(tx, class_id)}
    providers.lock_and_bump(tx, offered.keys() | present, now)
    wanted = {
        InventoryKey(provider_id, class_id): Inventory(
            provider=host.reservation_provider,
            resource_class=reservation.resource_class,
            total=amounts[host.id],
            max_unit=1,
        )
        for provider_id, host in offered.items()
    }
    current = inventories.of_class(tx, class_id)
    inventories.add(tx, [(key, wanted[key]) for key in sorted(wanted.keys() - current.keys())], now)
    inventories.change(tx, [(key, wanted[key]) for key in sorted(wanted.keys() & current.keys())], now)
    inventories.remove(tx, sorted(key for key in current.keys() - wanted.keys() if not current[key].used))


def remove(tx: Transaction, now: int, reservations: Sequence[Reservation]) -> None:
    """Remove the inventories and classes of reservations, which have no claims any more."""
    names = [each.resource_class for each in reservations if not each.whole_hosts]
    for name, class_id in sorted(resource_classes.ids_of(tx, names).items()):
        offering = sorted({key.provider_id for key in inventories.of_class(tx, class_id)})
        providers.lock_and_bump(tx, offering, now)
        if resource_classes.lock(tx, name) == class_id:
            inventories.remove(tx, sorted(inventories.of_class(tx, class_id)))
            resource_classes.delete(tx, class_id)
