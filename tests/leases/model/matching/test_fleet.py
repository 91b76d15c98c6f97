"""Hosts that are alike are looked at together, with the same result as one by one."""

import random
from collections import defaultdict

import pytest
from msgspec.structs import replace

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import StartSearch
from dibs.leases.model.matching.fleet import Fleet, each_alone
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.offer_search import OfferSearch
from dibs.leases.model.matching.requirements import parse
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.matching.terms import terms_of
from dibs.leases.model.moving.loads import exceed_all_hosts
from dibs.leases.model.moving.units import Units
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, free_of_time, make_host

ROUNDS = 300
GPU = '["==", "$gpu", "a"]'
NAMED = '["<=", "$id", "4"]'


def some_needs(chance: random.Random) -> list[tuple[HostNeed, str]]:
    found = []
    for _ in range(chance.choice([1, 1, 2])):
        text = chance.choice(["", GPU, NAMED])
        count = chance.randint(1, 6)
        whole = chance.random() < 0.5
        sizes = {} if whole else {"resources": {"VCPU": chance.choice([2, 5])}, "affinity": chance.choice([None, True])}
        found.append((HostNeed(whole=whole, least=count, most=count, requirements=parse(text), **sizes), text))
    return found


def some_window(chance: random.Random) -> Window:
    start = chance.randint(0, 20)
    return Window(start * MINUTE, (start + chance.randint(1, 10)) * MINUTE)


def together(hosts: list[Host]) -> Fleet:
    kinds: dict[object, list[Host]] = defaultdict(list)
    for host in hosts:
        kinds[host.vcpus, host.properties["gpu"]].append(host)
    return Fleet(kinds.values())


def results(calendar: Calendar, asked: list[tuple[HostNeed, str]], window: Window) -> list[object]:
    """Return what each search finds."""
    needs = [need for need, _ in asked]
    later = StartSearch(calendar=calendar, needs=needs, window=window)
    earliest = replace(later.run(free_of_time()), steps=0)
    units = [unit for each in needs for unit in Units(calendar).of_need(-1, each, window)]
    return [
        select_hosts(calendar, needs, window, seed=1),
        earliest,
        OfferSearch(later=later, terms=[terms_of(text) for _, text in asked]).run(earliest, free_of_time()),
        [sorted(host.id for host in calendar.suitable(need)) for need in needs],
        [calendar.could_ever_fit(need) for need in needs],
        exceed_all_hosts(calendar, (), units, window),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_searches_find_the_same_with_and_without_kinds(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(ROUNDS):
        hosts = [
            make_host(number, chance.choice([4, 8]), properties={"gpu": chance.choice("ab")})
            for number in range(1, chance.randint(2, 9))
        ]
        booked = [
            booking
            for number in range(chance.randint(0, 6))
            for booking in bookings_of(
                number,
                HostNeed(whole=chance.random() < 0.4, least=1, most=1, resources={"VCPU": 2}),
                {chance.choice(hosts).id: 1},
                some_window(chance),
            )
        ]
        alone = Calendar(fleet=each_alone(hosts), bookings=booked, first_starts={}, now=0, cleaning_minutes=1)
        grouped = Calendar(fleet=together(hosts), bookings=booked, first_starts={}, now=0, cleaning_minutes=1)
        asked, window = some_needs(chance), some_window(chance)
        assert results(grouped, asked, window) == results(alone, asked, window)


def test_refusal_looks_once_at_hosts_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    why_not = Calendar.why_not

    def count(self: Calendar, need: HostNeed, host: Host, *others) -> str | None:
        looks.append(host.id)
        return why_not(self, need, host, *others)

    monkeypatch.setattr(Calendar, "why_not", count)
    hosts = [make_host(number) for number in range(100)]
    booked = bookings_of(1, HostNeed(whole=True, least=2, most=2), {7: 1, 8: 1}, Window(0, MINUTE))
    calendar = Calendar(fleet=Fleet([hosts]), bookings=booked, first_starts={}, now=0)
    found = select_hosts(calendar, [HostNeed(whole=True, least=99, most=99)], Window(0, MINUTE), seed=1)
    assert isinstance(found, HostShortage)
    assert found.reasons == {"free": 98, "booked in that time": 2}
    assert sorted(looks) == [0, 7, 8]


def test_need_that_would_not_fit_without_any_booking_never_fits() -> None:
    calendar = Calendar(fleet=Fleet([[make_host(1, 8), make_host(2, 8)]]), bookings=[], first_starts={}, now=0)
    whole = HostNeed(whole=True, least=2, most=2)
    assert calendar.could_ever_fit(whole)
    assert not calendar.could_ever_fit(whole, times=2)
    assert not calendar.could_ever_fit(replace(whole, least=3))
    assert calendar.could_ever_fit(HostNeed(whole=False, least=8, most=8, resources={"VCPU": 2}))
    assert not calendar.could_ever_fit(HostNeed(whole=False, least=9, most=9, resources={"VCPU": 2}))
    assert calendar.could_ever_fit(replace(whole, least=3, kept={1: 1}))
