"""How words on the command line become times and pairs."""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from dibs.cli.asking import Words, instant, key_value, pairs, seconds


@pytest.mark.parametrize(("text", "meant"), [("90", 90), ("90s", 90), ("15m", 900), ("2h", 7200), ("1d", 86_400)])
def test_a_time_span(text: str, meant: int) -> None:
    assert seconds(text) == meant


def test_an_instant() -> None:
    assert instant("now") == "now"
    assert instant("2026-11-17T18:00") == datetime(2026, 11, 17, 18)
    later = instant("+2h")
    assert isinstance(later, datetime)
    assert abs(later - datetime.now(UTC) - timedelta(hours=2)) < timedelta(minutes=1)


def test_pairs_keep_what_stands_behind_the_first_equals_sign() -> None:
    assert pairs([key_value("a=1"), key_value("b=c=d")]) == {"a": "1", "b": "c=d"}


@pytest.mark.parametrize(("read", "text"), [(seconds, "soon"), (seconds, "-1s"), (instant, "then"), (key_value, "a")])
def test_what_cannot_be_read_is_told(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=text):
        read(text)


def test_words_are_a_list_for_programs_and_words_for_shells() -> None:
    words = Words(["a", "b"])
    assert (str(words), words.to_dict()) == ("a b", ["a", "b"])
