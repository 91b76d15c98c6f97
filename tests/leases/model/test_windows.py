import pytest

from dibs.leases.model.windows import MINUTE, Window, minute_after, to_minute


@pytest.mark.parametrize(
    ("start", "end", "overlaps"),
    [(0, 10, False), (0, 11, True), (19, 30, True), (20, 30, False), (12, 13, True), (0, 99, True)],
)
def test_adjacent_windows_do_not_overlap(start: int, end: int, overlaps: bool) -> None:
    assert Window(10, 20).overlaps(start, end) == overlaps


def test_window_is_widened_on_both_sides_and_keeps_its_length_when_moved() -> None:
    window = Window(5 * MINUTE, 7 * MINUTE)
    assert window.widened(2) == Window(3 * MINUTE, 9 * MINUTE)
    assert window.moved_to(MINUTE) == Window(MINUTE, 3 * MINUTE)
    assert window.length == 2 * MINUTE


def test_moments_are_rounded_to_minutes() -> None:
    assert to_minute(3 * MINUTE + 1) == to_minute(3 * MINUTE) == 3 * MINUTE
    assert minute_after(3 * MINUTE) == 3 * MINUTE
    assert minute_after(3 * MINUTE + 1) == 4 * MINUTE
