"""Results read from responses."""

from datetime import UTC, datetime

import pytest

from dibs.client import Why

DOCUMENT = {"fits": False, "reasons": {"in_use": 2}, "text": "2 in use", "earliest": None}


@pytest.mark.parametrize("key", ["free", "hosts"])
def test_the_number_of_nodes_or_hosts_is_read(key: str) -> None:
    assert Why.read({**DOCUMENT, key: 3}).free == 3


def test_the_earliest_time_is_a_datetime_or_none() -> None:
    assert Why.read({**DOCUMENT, "free": 0}).earliest is None
    answer = Why.read({**DOCUMENT, "free": 0, "earliest": "2091-05-01T10:00:00+00:00"})
    assert answer.earliest == datetime(2091, 5, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("fits", [True, False])
def test_the_truth_of_an_explanation_is_the_answer(fits: bool) -> None:
    assert bool(Why.read({**DOCUMENT, "free": 0, "fits": fits})) is fits
