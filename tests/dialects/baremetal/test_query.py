import pytest

from dibs.dialects.baremetal.errors import Refusal
from dibs.dialects.baremetal.query import Query

KNOWN: dict[str, object] = {"limit": {}, "sort_dir": {}, "names": {}, "flag": {}}


def query(*pairs: tuple[str, str]) -> Query:
    return Query(pairs, KNOWN)


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(Refusal, match="Unexpected arguments: foo, bar"):
        query(("foo", "1"), ("limit", "1"), ("bar", "2"))


@pytest.mark.parametrize(("text", "limit"), [("1", 1), ("1000", 1000), ("5000", 1000), ("+7", 7)])
def test_a_page_has_a_thousand_entries_at_most(text: str, limit: int) -> None:
    assert query(("limit", text)).limit() == limit


def test_without_a_limit_a_page_has_a_thousand_entries() -> None:
    assert query().limit() == 1000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0", "Limit must be positive"),
        ("-1", "Limit must be positive"),
        ("abc", "Expected an integer for limit: abc"),
        ("", "Expected an integer for limit"),
        ("1.5", "Expected an integer"),
        ("9" * 30, "Expected an integer"),
        ("٣", "Expected an integer"),
    ],
)
def test_a_limit_must_be_a_positive_number(text: str, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        query(("limit", text)).limit()


def test_lists_are_separated_by_commas_or_repeated() -> None:
    assert query(("names", "a,b"), ("names", "b, c,")).names("names") == ("a", "b", "c")
    assert query().names("names") is None


@pytest.mark.parametrize(("text", "truth"), [("true", True), ("T", True), ("on", True), ("0", False), ("No", False)])
def test_booleans_have_many_words(text: str, truth: bool) -> None:
    assert query(("flag", text)).flag("flag") is truth


def test_the_direction_is_asc_or_desc() -> None:
    assert query(("sort_dir", "desc")).descending()
    assert not query().descending()
    with pytest.raises(Refusal, match="Invalid sort direction: up"):
        query(("sort_dir", "up")).descending()
