"""Polling with a deadline and progress."""

import pytest
from openstack import exceptions

from dibs.client.polling import Progress, polls


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Replace the clock: a pause takes no time, but the clock advances by it."""
    taken: list[float] = []
    monkeypatch.setattr("dibs.client.polling.time.sleep", taken.append)
    monkeypatch.setattr("dibs.client.polling.time.monotonic", lambda: sum(taken))
    return taken


def test_pauses_grow_to_two_seconds(pauses: list[float]) -> None:
    for number, _ in enumerate(polls("a node", None)):
        if number == 20:
            break
    assert pauses[:2] == [0.1, pytest.approx(0.15)]
    assert pauses[-1] == 2.0


def test_the_timeout_is_exact_and_names_what_was_waited_for(pauses: list[float]) -> None:
    with pytest.raises(exceptions.ResourceTimeout, match="Timed out after 5 seconds waiting for a node"):
        list(polls("a node", 5))
    assert sum(pauses) == pytest.approx(5)


def test_a_timeout_of_zero_polls_once(pauses: list[float]) -> None:
    seen = []
    with pytest.raises(exceptions.ResourceTimeout):
        seen.extend(1 for _ in polls("a node", 0))
    assert (seen, pauses) == ([1], [])


def test_progress_is_reported_after_each_poll_without_a_result(pauses: list[float]) -> None:
    steps: list[Progress] = []
    for _ in polls("a node", None, steps.append):
        if len(steps) == 2:
            break
    assert steps == [Progress(0, "a node"), Progress(pytest.approx(0.1), "a node")]
