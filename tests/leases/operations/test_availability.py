"""The reasons of a refusal and the earliest start, with and without a lease."""

import pytest

from dibs.access.access import SERVICE
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.errors import LeaseNotFound, NotEnoughHosts
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import START
from dibs.leases.model.matching import earliest_start
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.earliest_start import SearchResult
from dibs.leases.model.matching.latest_end import BOOKED, LIMITED
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import format_minute
from dibs.leases.model.windows import MINUTE
from dibs.leases.operations.availability import (
    FindLatestEnd,
    NewHosts,
    PreviewDisplacement,
    find_later_start_of_update,
    find_latest_end,
    preview_displacement,
)
from dibs.leases.operations.events import DueEvent, run_event
from dibs.leases.operations.leases import DeleteLease, delete_lease
from dibs.leases.operations.matching import search as host_search
from dibs.leases.operations.updates import UpdateLease, update_lease
from dibs.ledger.queries import traits
from tests.builders import Ledger
from tests.laws import read_tables
from tests.lease_builders import (
    HOUR,
    OWNER,
    at,
    change,
    find_later_start,
    instances,
    lease,
    make_host,
    read_availability,
    register,
    whole,
)
from tests.provider_builders import statements
from tests.quota_builders import limit


def refusal(ledger: Ledger, *asked, **options) -> str:
    with pytest.raises(NotEnoughHosts) as raised:
        lease(ledger, *asked, **options)
    return str(raised.value)


def test_refusal_counts_the_reasons_and_names_the_earliest_start(ledger):
    for number in range(5):
        make_host(ledger, **({"gpu": "a100"} if number else {}))
    hosts = make_host(ledger, gpu="a100")
    ledger.store.write(lambda tx: traits.add(tx, hosts.provider_id, ["COMPUTE_STATUS_DISABLED"], 1))
    wanted = whole(resource_properties='["==", "$gpu", "a100"]')
    lease(ledger, 1, 4, whole(3, resource_properties=wanted.resource_properties))
    lease(ledger, 2, 3, wanted)
    assert refusal(ledger, 1.5, 2.5, wanted) == (
        "Not enough hosts available: 6 hosts: 4 booked in that time, 1 disabled, 1 lacks gpu == 'a100'."
    )
    later = find_later_start(ledger, 1.5, 2.5, wanted)
    assert later.text == f"The earliest start at which this fits is {format_minute(at(3))}."


def test_check_of_availability_books_nothing(ledger, database_url):
    make_host(ledger)
    before = read_tables(database_url)
    answer = read_availability(ledger, 1, 2, whole())
    assert (answer.fits, answer.hosts, answer.start, answer.reasons, answer.later) == (True, 1, at(1), {}, None)
    lease(ledger, 1, 2, whole())
    answer = read_availability(ledger, 1, 2, whole())
    assert (answer.fits, answer.hosts) == (False, 0)
    assert find_later_start(ledger, 1, 2, whole()).moment == at(2)
    assert answer.reasons == {"booked in that time": 1}
    assert answer.text == "1 host: 1 booked in that time."
    assert before["bookings"] == []


def test_site_without_hosts_has_no_room(ledger):
    assert refusal(ledger, 1, 2, whole()) == "Not enough hosts available: no hosts."
    assert find_later_start(ledger, 1, 2, whole()).result is SearchResult.NEVER


def test_lease_is_refused_without_a_search_for_a_later_start(ledger, monkeypatch):
    """One search in the transaction, and as many statements as for one reservation."""
    make_host(ledger)
    lease(ledger, 1, 9, whole())
    searches = []
    monkeypatch.setattr(host_search, "select_hosts", lambda *asked: searches.append(asked) or select_hosts(*asked))
    monkeypatch.setattr(earliest_start, "select_hosts", lambda *asked, **options: searches.append("later"))
    few = statements(ledger, lambda: refusal(ledger, 1, 2, whole()))
    assert len(searches) == 1
    assert statements(ledger, lambda: refusal(ledger, 1, 2, *[whole()] * 32)) == few
    assert len(searches) == 2


def test_update_that_does_not_fit_has_a_later_start_until_the_lease_begins(ledger):
    host = make_host(ledger)
    make_host(ledger)
    wanted = whole(resource_properties=f'["==", "$id", "{host.id}"]')
    made, _ = lease(ledger, 1, 2, wanted), lease(ledger, 3, 5, wanted)
    command = UpdateLease(uuid=made.uuid, end_at=at(4), seed=1)
    with pytest.raises(NotEnoughHosts):
        ledger.runner.write(update_lease, OWNER, command)
    search = ledger.runner.read(find_later_start_of_update, OWNER, command)
    assert search is not None
    assert search.run(SearchBudget(lambda: 0.0)).moment == at(5)
    ledger.clock.move((at(1) - ledger.clock()) / 1_000_000)
    assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind=START))
    assert ledger.runner.read(find_later_start_of_update, OWNER, command) is None


def test_bookings_behind_the_window_are_read_only_when_a_later_start_may_fit(ledger):
    make_host(ledger)
    lease(ledger, 1, 2, whole())
    lease(ledger, 3, 4, whole())

    def known(asked) -> int:
        return read_availability(ledger, 1, 2, asked).later.calendar.size - 1

    assert known(whole()) == 2
    assert known(whole(2)) == 1
    assert find_later_start(ledger, 1, 2, whole(2)).result is SearchResult.NEVER


def latest(ledger: Ledger, made, **rules):
    command = FindLatestEnd(uuid=made.uuid, rules=LeaseRules(**rules))
    found = ledger.runner.read(find_latest_end, OWNER, command)
    return found.latest, found.reason


def test_a_lease_can_be_kept_until_the_next_one_needs_its_host(ledger):
    make_host(ledger)
    first = lease(ledger, 1, 2, whole())
    assert latest(ledger, first) == (None, "")
    lease(ledger, 5, 6, instances(1))
    assert latest(ledger, first) == (at(5), BOOKED)
    assert latest(ledger, first, cleaning_minutes=10) == (at(5) - 10 * MINUTE, BOOKED)
    assert change(ledger, first, end_at=at(5)).end_at == at(5)
    with pytest.raises(NotEnoughHosts):
        change(ledger, lease(ledger, 0, 0.5, whole()), end_at=at(1.5))


def test_instances_can_stay_while_the_others_leave_room(ledger):
    make_host(ledger, VCPU=4)
    first = lease(ledger, 1, 2, instances(2), instances(1))
    lease(ledger, 3, 9, instances(1))
    lease(ledger, 5, 9, instances(1))
    assert latest(ledger, first) == (at(5), BOOKED)


def test_the_operator_limits_the_length(ledger):
    make_host(ledger)
    first = lease(ledger, 1, 2, whole())
    assert latest(ledger, first, seconds_max=2 * 3_600) == (at(3), LIMITED)
    assert latest(ledger, first, seconds_max=60) == (at(2), LIMITED), "it is longer already"
    assert latest(ledger, first, seconds_max=60, exempt_projects=frozenset({"p"})) == (None, "")
    lease(ledger, 2.5, 3, whole())
    assert latest(ledger, first, seconds_max=2 * 3_600) == (at(2) + HOUR // 2, BOOKED)


def test_preview_names_the_hosts_that_leases_would_get_and_changes_nothing(ledger, database_url):
    first, second = (make_host(ledger, name=name) for name in ("h1", "h2"))
    pinned = lease(ledger, 1, 2, whole(hypervisor_properties='["==", "$hypervisor_hostname", "h1"]'))
    blocker = lease(ledger, 5, 6, whole(hypervisor_properties='["==", "$hypervisor_hostname", "h2"]'))
    movable = lease(ledger, 5, 6, whole())
    ledger.runner.write(delete_lease, OWNER, DeleteLease(uuid=blocker.uuid))
    before = read_tables(database_url)

    def preview(*out: Host) -> list[NewHosts]:
        nodes = frozenset(host.provider_id for host in out)
        command = PreviewDisplacement(nodes=nodes, leases=(pinned.uuid, movable.uuid))
        found = ledger.runner.read(preview_displacement, OWNER, command)
        return [found[pinned.uuid], found[movable.uuid]]

    assert preview(first) == [NewHosts((), False), NewHosts(("h2",), True)]
    assert preview(second) == [NewHosts((), True), NewHosts((), True)]
    assert preview(first, second) == [NewHosts((), False), NewHosts((), False)]
    assert read_tables(database_url) == before
    with pytest.raises(LeaseNotFound):
        ledger.runner.read(preview_displacement, OWNER, PreviewDisplacement(nodes=frozenset(), leases=("no-such",)))


def test_a_lease_that_does_not_exist_is_not_found(ledger):
    with pytest.raises(LeaseNotFound):
        ledger.runner.read(find_latest_end, OWNER, FindLatestEnd(uuid="no-such"))


def test_quota_of_the_project_is_a_reason(ledger):
    for _ in range(2):
        register(ledger, ledger.enrol(resource_class="gold"))
    limit(ledger, "p", "gold", nodes=1)
    assert read_availability(ledger, 0, 1, whole()).fits
    found = read_availability(ledger, 0, 1, whole(2))
    exceeded = "Quota exceeded for nodes of class gold of project p: limit 1, used 0, asked 2."
    assert (found.fits, found.hosts, found.text, found.later) == (False, 2, exceeded, None)
    lease(ledger, 0, 1, whole())
    assert not read_availability(ledger, 0.5, 2, whole()).fits


def test_project_with_a_quota_gets_no_offers_that_the_quota_might_refuse(ledger):
    make_host(ledger)
    earliest = read_availability(ledger, 0, 1, whole(2)).later.run(SearchBudget(lambda: 0.0))
    assert read_availability(ledger, 0, 1, whole(2)).offers.run(earliest, SearchBudget(lambda: 0.0))
    limit(ledger, "p", nodes=1)
    assert read_availability(ledger, 0, 1, whole(2)).offers.run(earliest, SearchBudget(lambda: 0.0)) == []
