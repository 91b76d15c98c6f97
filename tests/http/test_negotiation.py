"""Accept headers."""

import pytest

from dibs.http.negotiation import find_problem, preferred


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*",
        "application/json",
        "text/html, */*;q=0.1",
        "Application/JSON;charset=utf-8",
        "text/html,application/json;q=0.5",
    ],
)
def test_header_accepts_json(accept: str) -> None:
    assert preferred(accept, ("application/json",))


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "application/xml",
        "application/json;q=0, */*",
        "*/*;q=0",
        "application/*; q=0.0, */*",
        "image/*",
        "garbage",
    ],
)
def test_header_excludes_json(accept: str) -> None:
    assert not preferred(accept, ("application/json",))


@pytest.mark.parametrize(
    ("accept", "best"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/html", "text/html"),
        ("application/json;q=0.5, text/*", "text/html"),
        ("text/html, */*;q=0.8", "text/html"),
        ("image/png", None),
    ],
)
def test_type_with_the_highest_quality_is_preferred(accept: str, best: str | None) -> None:
    assert preferred(accept, ("application/json", "text/html")) == best


@pytest.mark.parametrize("accept", ["text/event-stream", "text/calendar", "text/calendar;q=0.9, text/plain"])
def test_clients_may_ask_for_feeds(accept: str) -> None:
    assert find_problem({"accept": accept}, has_body=False) is None
