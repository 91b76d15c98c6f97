"""The law of the calendar, checked on the rows: no host is booked twice at a time, no booking exceeds capacity."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

from tests.laws import Row, Tables


def broken_bookings(tables: Tables) -> list[str]:
    """Describe every violation among the bookings."""
    return list(_violations(tables))


def _violations(tables: Tables) -> Iterator[str]:
    reservations = {row["id"]: row for row in tables["lease_reservations"]}
    leases = {row["id"]: row for row in tables["leases"]}
    hosts = {row["id"]: row for row in tables["hosts"]}
    on_host: dict[int, list[Row]] = defaultdict(list)
    for booking in tables["bookings"]:
        lease = leases[reservations[booking["reservation_id"]]["lease_id"]]
        if (booking["start_at"], booking["end_at"]) != (lease["start_at"], lease["end_at"]):
            yield f"booking {booking} does not have the window of its lease {lease}"
        on_host[booking["host_id"]].append(booking)
    capacities = _capacities(tables)
    for host_id, bookings in on_host.items():
        # The number of concurrent bookings rises only at starts, so checking each start checks every moment.
        for moment in {booking["start_at"] for booking in bookings}:
            at_once = [each for each in bookings if each["start_at"] <= moment < each["end_at"]]
            yield from _at_moment(hosts[host_id], at_once, reservations, capacities[hosts[host_id]["provider_id"]])


def _at_moment(host: Row, bookings: list[Row], reservations: dict[int, Row], capacities: Counter[str]) -> Iterator[str]:
    kinds = [reservations[booking["reservation_id"]]["resource_type"] for booking in bookings]
    if "physical:host" in kinds and len(bookings) > 1:
        yield f"host {host['name']} is booked whole and {len(bookings)} times at once"
    taken: Counter[str] = Counter()
    for booking in bookings:
        for name, amount in json.loads(reservations[booking["reservation_id"]]["resources"]).items():
            taken[name] += amount * booking["amount"]
    for name, amount in taken.items():
        if amount > capacities[name]:
            yield f"host {host['name']} has {capacities[name]} of {name}, and {amount} are booked at once"


def _capacities(tables: Tables) -> dict[int, Counter[str]]:
    classes = {row["id"]: row["name"] for row in tables["resource_classes"]}
    nodes = {row["id"] for row in tables["nodes"]}
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for row in tables["inventories"]:
        reserved = 0 if row["provider_id"] in nodes else row["reserved"]
        found[row["provider_id"]][classes[row["class_id"]]] = int((row["total"] - reserved) * row["allocation_ratio"])
    return found
