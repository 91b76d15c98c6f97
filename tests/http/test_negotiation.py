"""Accept headers."""

import pytest

from dibs.http.negotiation import accepts_json


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
def test_json_is_let_through(accept: str) -> None:
    assert accepts_json(accept)


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
def test_json_is_excluded(accept: str) -> None:
    assert not accepts_json(accept)
