"""Ages, times left, and values that differ between tables and JSON."""

import pytest

from dibs.cli.output.columns import Counts, Events, Offers, Pairs, Reservations, left, span


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (-5, "0s"), (59, "59s"), (61, "1m 1s"), (3_600, "1h"), (93_784, "1d 2h"), (86_400 * 400, "400d")],
)
def test_a_duration_has_its_two_largest_units(seconds: int, text: str) -> None:
    assert span(seconds) == text


def test_a_time_that_has_passed_leaves_nothing() -> None:
    assert (left("2020-01-01T10:00:00"), left("2020-01-01T10:00:00+00:00"), left(None)) == ("0s", "0s", None)


def test_tables_show_lines_and_json_has_the_data() -> None:
    counts = Counts({"in_use": 2, "lacks:CUSTOM_GPU": 1})
    assert counts.human_readable() == "2 in use\n1 lacks CUSTOM_GPU"
    assert counts.machine_readable() == {"in_use": 2, "lacks:CUSTOM_GPU": 1}
    assert Pairs({"rack": "r1", "gpu": "a100"}).human_readable() == "gpu=a100\nrack=r1"
    host = {"id": "1", "status": "active", "resource_type": "physical:host", "min": 1, "max": 2}
    room = {
        "id": "2",
        "status": "pending",
        "resource_type": "virtual:instance",
        "amount": 3,
        "vcpus": 4,
        "memory_mb": 5,
    }
    room |= {"vcpus": 4, "memory_mb": 5}
    assert Reservations([host, room]).human_readable().splitlines() == [
        "hosts: 1 to 2, active",
        "  1",
        "instances: 3 of 4 VCPU, 5 MB, pending",
        "  2",
    ]
    offer = {"text": "ask for 2 instead of 3", "command": "dibs allocation create --bulk 2"}
    assert Offers([offer]).human_readable() == "ask for 2 instead of 3\n  dibs allocation create --bulk 2"
    event = {"time": "2090-01-01T10:00:00.000000", "event_type": "start_lease", "status": "DONE"}
    assert Events([event]).human_readable() == "2090-01-01T10:00 start_lease DONE"
