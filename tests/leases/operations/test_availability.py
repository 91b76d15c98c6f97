"""The reasons of a refusal and the earliest start, with and without a lease."""

import pytest

from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.matching.shortages import format_minute
from dibs.ledger.queries import traits
from tests.builders import Ledger
from tests.laws import read_tables
from tests.lease_builders import (
    at,
    lease,
    make_host,
    read_availability,
    whole,
)


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
        f" The earliest start at which this fits is {format_minute(at(3))}."
    )


def test_check_of_availability_books_nothing(ledger, database_url):
    make_host(ledger)
    before = read_tables(database_url)
    answer = read_availability(ledger, 1, 2, whole())
    assert (answer.fits, answer.hosts, answer.earliest, answer.reasons) == (True, 1, at(1), {})
    lease(ledger, 1, 2, whole())
    answer = read_availability(ledger, 1, 2, whole())
    assert (answer.fits, answer.hosts, answer.earliest) == (False, 0, at(2))
    assert answer.reasons == {"booked in that time": 1}
    assert answer.text.startswith("1 host: 1 booked in that time.")
    assert before["bookings"] == []


def test_site_without_hosts_has_no_room(ledger):
    assert refusal(ledger, 1, 2, whole()) == "Not enough hosts available: no hosts. It would not fit at any time."
