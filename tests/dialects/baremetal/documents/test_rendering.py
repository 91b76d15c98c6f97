import pytest

from dibs.dialects.baremetal.documents.rendering import render_time, state_in_version


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (None, None),
        (0, "1970-01-01T00:00:00.000000+00:00"),
        (1_794_768_357_501_346, "2026-11-15T18:45:57.501346+00:00"),
        (1_794_768_357_000_000, "2026-11-15T18:45:57.000000+00:00"),
    ],
)
def test_times_are_exact_to_the_microsecond(instant: int | None, text: str | None) -> None:
    assert render_time(instant) == text


@pytest.mark.parametrize(
    ("state", "minor", "shown"),
    [
        ("available", 1, None),
        ("available", 2, "available"),
        ("enroll", 1, "enroll"),
        ("inspect wait", 38, "inspecting"),
        ("inspect wait", 39, "inspect wait"),
    ],
)
def test_old_versions_show_fewer_states(state: str, minor: int, shown: str | None) -> None:
    assert state_in_version(state, minor) == shown
