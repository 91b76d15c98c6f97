"""The inventories that reservations of instances offer on reservation providers while their leases are active."""

from collections.abc import Iterable, Sequence

from dibs.database.transaction import Transaction
from dibs.leases.model.leases import Reservation
from dibs.leases.operations.booking import BookedHost, read_booked_hosts
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.queries import inventories, providers, resource_classes


def create_classes(tx: Transaction, now: int, reservations: Sequence[Reservation]) -> None:
    """Create the resource class of each reservation of instances."""
    resource_classes.create_many(tx, [each.resource_class for each in reservations if not each.whole_hosts], now)


def offer(tx: Transaction, now: int, reservation: Reservation) -> None:
    """Offer the instances of a reservation on its hosts, and on no other host."""
    offer_on(tx, now, [reservation], read_booked_hosts(tx, [reservation]))


def offer_on(tx: Transaction, now: int, reservations: Sequence[Reservation], booked: Iterable[BookedHost]) -> None:
    """Offer the instances of reservations on those of the hosts that each has booked, and on no other host."""
    class_of = {each.id: each.resource_class for each in reservations}
    class_ids = resource_classes.ensure(tx, list(class_of.values()), now)
    wanted = {
        InventoryKey(host.reservation_provider_id, class_ids[class_of[reservation_id]]): Inventory(
            provider=host.reservation_provider,
            resource_class=class_of[reservation_id],
            total=amount,
            max_unit=1,
        )
        for host, reservation_id, amount in booked
        if reservation_id in class_of
    }
    present = inventories.of_classes(tx, sorted(class_ids.values()))
    providers.lock_and_bump(tx, {key.provider_id for key in (*wanted, *present)}, now)
    current = inventories.of_classes(tx, sorted(class_ids.values()))
    inventories.add(tx, [(key, wanted[key]) for key in sorted(wanted.keys() - current.keys())], now)
    inventories.change(tx, [(key, wanted[key]) for key in sorted(wanted.keys() & current.keys())], now)
    inventories.remove(tx, sorted(key for key in current.keys() - wanted.keys() if not current[key].used))


def remove(tx: Transaction, now: int, reservations: Sequence[Reservation]) -> None:
    """Remove the inventories and classes of reservations, which have no claims any more."""
    names = [each.resource_class for each in reservations if not each.whole_hosts]
    for name, class_id in sorted(resource_classes.ids_of(tx, names).items()):
        offering = sorted({key.provider_id for key in inventories.of_classes(tx, [class_id])})
        providers.lock_and_bump(tx, offering, now)
        if resource_classes.lock(tx, name) == class_id:
            inventories.remove(tx, sorted(inventories.of_classes(tx, [class_id])))
            resource_classes.delete(tx, class_id)
