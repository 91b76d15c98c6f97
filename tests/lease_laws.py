"""The laws of leases, checked on the rows: lease, events, reservations, inventories and flavors agree at any time."""

from collections.abc import Iterator

from dibs.flavors.model.flavors import CLASS_PREFIX
from dibs.leases.model.leases import TERMINATED, WHOLE_HOST, class_of, settled_status
from tests.booking_laws import broken_bookings
from tests.laws import Row, Tables


def broken_lease_laws(tables: Tables) -> list[str]:
    """Describe every violation."""
    return [*broken_bookings(tables), *_of_leases(tables), *_of_leftovers(tables)]


def _of_leases(tables: Tables) -> Iterator[str]:
    for lease in tables["leases"]:
        events = {row["kind"]: row["status"] for row in tables["lease_events"] if row["lease_id"] == lease["id"]}
        if lease["status"] != settled_status(events["start_lease"], events["end_lease"]):
            yield f"lease {lease['uuid']} is {lease['status']}, its events are {events}"
        for reservation in tables["lease_reservations"]:
            if reservation["lease_id"] == lease["id"]:
                yield from _of_reservation(tables, lease, reservation)


def _of_reservation(tables: Tables, lease: Row, reservation: Row) -> Iterator[str]:
    name = f"reservation {reservation['uuid']} of the {lease['status']} lease"
    wanted = {"PENDING": "pending", "ACTIVE": "active", "TERMINATED": "deleted"}[lease["status"]]
    if reservation["status"] != wanted:
        yield f"{name} is {reservation['status']}"
    hosts = {row["id"]: row for row in tables["hosts"]}
    booked = {
        hosts[row["host_id"]]["reservation_provider_id"]: row["amount"]
        for row in tables["bookings"]
        if row["reservation_id"] == reservation["id"]
    }
    if lease["status"] == TERMINATED and booked:
        yield f"{name} has bookings: {booked}"
    if reservation["resource_type"] == WHOLE_HOST:
        return
    offered = booked if lease["status"] == "ACTIVE" else {}
    if _offers(tables).get(class_of(reservation["uuid"]), {}) != offered:
        yield f"{name} offers {_offers(tables)}, not {offered}"
    flavors = [row for row in tables["flavors"] if row["reservation_id"] == reservation["id"]]
    if bool(flavors) != (lease["status"] != TERMINATED):
        yield f"{name} has the flavors {flavors}"
    granted = [row for row in tables["flavor_access"] if row["flavor_id"] in {each["id"] for each in flavors}]
    if granted and lease["status"] != "ACTIVE":
        yield f"{name} lets projects use its flavor: {granted}"


def _of_leftovers(tables: Tables) -> Iterator[str]:
    alive = {
        class_of(row["uuid"])
        for row in tables["lease_reservations"]
        if row["resource_type"] != WHOLE_HOST and row["status"] != "deleted"
    }
    classes = {row["name"] for row in tables["resource_classes"] if row["name"].startswith(CLASS_PREFIX)}
    if classes != alive:
        yield f"classes without a reservation, or reservations without a class: {sorted(classes ^ alive)}"


def _offers(tables: Tables) -> dict[str, dict[int, int]]:
    """Return the number of instances that each provider offers, by resource class."""
    names = {row["id"]: row["name"] for row in tables["resource_classes"]}
    offers: dict[str, dict[int, int]] = {}
    for row in tables["inventories"]:
        offers.setdefault(names[row["class_id"]], {})[row["provider_id"]] = row["total"]
    return offers
