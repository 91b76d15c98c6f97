from dibs.leases.model.matching.shortages import HostShortage, format_minute, summarize

MAY_DAY = 1_777_636_800_000_000


def test_summary_counts_hosts_and_reasons() -> None:
    reasons = {"booked in that time": 7, "lacks gpu == 'a100'": 2, "has CUSTOM_B": 3, "disabled": 1}
    assert summarize(13, reasons, {}) == (
        "13 hosts: 7 booked in that time, 2 lack gpu == 'a100', 3 have CUSTOM_B, 1 disabled"
    )
    assert summarize(1, {"lacks CUSTOM_A": 1}, {}) == "1 host: 1 lacks CUSTOM_A"
    assert summarize(0, {}, {}) == "no hosts"


def test_words_replace_a_reason() -> None:
    assert summarize(2, {"some": 2}, {"some": "with room for 3 of 4 instances"}) == (
        "2 hosts: 2 with room for 3 of 4 instances"
    )


def test_text_is_a_sentence() -> None:
    assert HostShortage(reasons={}, summary="no hosts").text == "no hosts."


def test_moment_is_formatted_in_utc() -> None:
    assert format_minute(MAY_DAY + 59_000_000) == "2026-05-01 12:00"
