import pytest

from dibs.dialects.reservation.documents.dates import read_date, render_date, render_stamp
from dibs.dialects.reservation.errors import Refusal
from dibs.leases.model.dates import CURRENT_MINUTE

NOON = 1_794_916_800_000_000  # 2026-11-17 12:00 UTC
LATER = NOON + 34_567_890


def test_date_is_parsed_to_the_minute_in_utc() -> None:
    assert read_date("2026-11-17 12:00") == NOON


def test_now_is_the_current_minute() -> None:
    assert read_date("now") is CURRENT_MINUTE


@pytest.mark.parametrize(
    "wrong",
    ["", "x", "NOW", "2026-11-17", "2026-11-17 12:00:00", "2026-11-17T12:00", "2026-02-30 12:00", None, 5, [], {}],
)
def test_malformed_date_is_refused(wrong: object) -> None:
    with pytest.raises(Refusal) as refused:
        read_date(wrong)
    assert refused.value.status == 400
    assert str(refused.value) == f"{wrong} is an invalid date. Required format: %Y-%m-%d %H:%M"


def test_dates_have_microseconds_and_timestamps_have_seconds() -> None:
    assert render_date(NOON) == "2026-11-17T12:00:00.000000"
    assert render_date(LATER) == "2026-11-17T12:00:34.567890"
    assert render_stamp(LATER) == "2026-11-17 12:00:34"
    assert render_stamp(None) is None


@pytest.mark.parametrize("year", ["0001", "1969", "9999"])
def test_years_far_in_the_future_are_parsed(year: str) -> None:
    assert render_date(read_date(f"{year}-06-01 12:34")) == f"{year}-06-01T12:34:00.000000"
