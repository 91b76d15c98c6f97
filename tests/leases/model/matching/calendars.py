"""Hosts, bookings and calendars for tests of matching."""

from collections.abc import Sequence

from msgspec.structs import replace

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host, HostNode
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import StartSearch
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.windows import Window
from dibs.ledger.model.inventories import Inventory

PROCESSORS = 64


def make_host(number: int, processors: int = PROCESSORS, **options) -> Host:
    inventories = {
        name: Inventory(provider=str(number), resource_class=name, total=total, max_unit=total)
        for name, total in (("VCPU", processors), ("MEMORY_MB", 100))
    }
    return Host(
        id=number,
        name=f"h{number}",
        provider_id=number,
        provider=str(number),
        reservation_provider_id=-number,
        reservation_provider=str(-number),
        inventories=inventories,
        created_at=0,
        **options,
    )


def make_node(number: int, used_until: int | None, used: bool) -> Host:
    host = make_host(number)
    unit = Inventory(provider=str(number), resource_class="CUSTOM_GOLD", total=1, max_unit=1, reserved=1)
    node = HostNode(
        uuid=str(number),
        resource_class="gold",
        provision_state="cleaning",
        maintenance=False,
        retired=False,
        instance_uuid=None,
        properties={},
        used_until=used_until,
        claimed=used,
    )
    return replace(host, inventories={"CUSTOM_GOLD": unit}, node=node)


def bookings_of(number: int, need: HostNeed, assignment: Assignment, window: Window) -> list[Booking]:
    return [need.booking(number, host_id, amount, window) for host_id, amount in assignment.items()]


def calendar_of(hosts: list[Host], bookings: list[Booking], pause: int = 0) -> Calendar:
    starts: dict[int, int] = {}
    for booking in bookings:
        starts[booking.host_id] = min(starts.get(booking.host_id, booking.start_at), booking.start_at)
    return Calendar(fleet=each_alone(hosts), bookings=bookings, first_starts=starts, now=0, cleaning_minutes=pause)


def free_of_time(steps_max: int = 1_000_000) -> SearchBudget:
    """Return a budget whose time never ends."""
    return SearchBudget(lambda: 0.0, steps_max=steps_max)


def earliest_start(calendar: Calendar, needs: Sequence[HostNeed], window: Window) -> int | None:
    return StartSearch(calendar=calendar, needs=needs, window=window).run(free_of_time()).moment
