"""The search for what fits instead of a lease that was refused."""

from msgspec.structs import replace

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import EarliestStart, SearchResult, StartSearch
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.offer_search import OfferSearch
from dibs.leases.model.matching.offers import Offer, OfferKind
from dibs.leases.model.matching.terms import terms_of
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, free_of_time, make_host, make_node

WINDOW = Window(10 * MINUTE, 20 * MINUTE)
NEVER = EarliestStart(result=SearchResult.NEVER, steps=0)
GPU, RACK, GOLD = '["==", "$gpu", "a100"]', '["==", "$rack", "r1"]', '["==", "$resource_class", "gold"]'


def whole(least: int = 1, **options) -> HostNeed:
    return HostNeed(whole=True, least=least, most=least, **options)


def some(least: int, affinity: bool | None = None) -> HostNeed:
    return HostNeed(whole=False, least=least, most=least, affinity=affinity, resources={"VCPU": 32})


def booked(host: Host, start: int, end: int, need: HostNeed | None = None, amount: int = 1):
    return bookings_of(9, need or whole(), {host.id: amount}, Window(start * MINUTE, end * MINUTE))


def search(calendar: Calendar, *needs: HostNeed, texts: tuple[str, ...] = ("",), earliest=NEVER, steps=1_000_000):
    terms = [terms_of(text) for text in texts] if texts != ("",) else [()] * len(needs)
    asked = [
        replace(need, requirements=tuple(each for term in its for each in term.requirements))
        for need, its in zip(needs, terms, strict=True)
    ]
    later = StartSearch(calendar=calendar, needs=asked, window=WINDOW)
    return OfferSearch(later=later, terms=terms).run(earliest, free_of_time(steps))


def kinds(offers: list[Offer]) -> list[OfferKind]:
    return [offer.kind for offer in offers]


def test_the_earliest_start_keeps_the_length():
    found = EarliestStart(result=SearchResult.FOUND, moment=50 * MINUTE, steps=1)
    (offer,) = search(calendar_of([], []), whole(), earliest=found)
    assert (offer.kind, offer.start, offer.end) == (OfferKind.LATER, 50 * MINUTE, 60 * MINUTE)


def test_the_longest_duration_ends_before_the_booking_that_leaves_too_little():
    one, two, three = (make_host(number) for number in (1, 2, 3))
    calendar = calendar_of([one, two, three], [*booked(one, 12, 13), *booked(two, 15, 25), *booked(three, 17, 30)])
    assert [(offer.kind, offer.end) for offer in search(calendar, whole(2))] == [(OfferKind.SHORTER, 15 * MINUTE)]
    assert search(calendar, whole(3))[0].end == 12 * MINUTE
    paused = calendar_of([one], booked(one, 15, 25), pause=2)
    assert search(paused, whole())[0].end == 13 * MINUTE


def test_no_shorter_lease_is_offered_when_the_start_is_booked_or_the_first_minute_is():
    host = make_host(1)
    assert search(calendar_of([host], booked(host, 5, 11)), whole()) == []
    touching = bookings_of(9, whole(), {1: 1}, Window(10 * MINUTE + 1, 20 * MINUTE))
    assert search(calendar_of([host], touching), whole()) == []


def test_fewer_instances_depend_on_affinity():
    large, small = make_host(1, 96), make_host(2, 64)
    calendar = calendar_of([large, small], [])
    for affinity, room in ((None, 5), (True, 3), (False, 2)):
        (offer,) = search(calendar, some(9, affinity))
        assert (offer.kind, offer.count) == (OfferKind.FEWER, room)


def test_requirements_are_dropped_and_classes_changed_only_where_hosts_are_free():
    plain = make_host(1, properties={"rack": "r1"})
    lost = make_host(2, properties={"gpu": "a100"})
    text = f'["and", {GPU}, {RACK}]'
    calendar = calendar_of([plain, lost], booked(lost, 1, 99))
    (offer,) = search(calendar, whole(), texts=(text,))
    assert (offer.kind, offer.without, offer.text) == (OfferKind.WITHOUT, (GPU,), "do without gpu == 'a100'")
    node = make_node(3, None, used=False)
    assert node.node is not None
    tin = replace(node, node=replace(node.node, resource_class="tin"))
    (offer,) = search(calendar_of([tin], []), whole(), texts=(GOLD,))
    assert (offer.kind, offer.resource_class) == (OfferKind.OTHER_CLASS, "tin")


def test_offers_of_one_reservation_leave_hosts_to_the_others():
    first, second = make_host(1, properties={"gpu": "a100"}), make_host(2)
    calendar = calendar_of([first, second], booked(second, 5, 30))
    found = search(calendar, whole(), whole(), texts=(GPU, ""))
    assert found == [], "either reservation fits by itself, but not beside the other"
    free = calendar_of([first, second], [])
    (offer,) = search(free, whole(), whole(), texts=(GPU, GPU))[:1]
    assert (offer.kind, offer.without) == (OfferKind.WITHOUT, (GPU,))


def test_the_search_ends_with_its_budget():
    hosts = [make_host(number) for number in range(1, 10)]
    later = EarliestStart(result=SearchResult.FOUND, moment=50 * MINUTE, steps=1)
    assert kinds(search(calendar_of(hosts, []), whole(99), earliest=later)) == [OfferKind.LATER, OfferKind.FEWER]
    assert kinds(search(calendar_of(hosts, []), whole(99), earliest=later, steps=5)) == [OfferKind.LATER]
