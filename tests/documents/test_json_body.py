import json
from typing import Any

import pytest

from dibs.documents.json_body import (
    COMMAS_MAX,
    DEPTH_MAX,
    FREE_FORM_BYTES_MAX,
    UnusableJson,
    check_json,
    check_size,
    read_json,
)


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize("value", [{}, [], None, "x", 1, 1.5, {"a": [{"b": "ü"}]}, "\u2028", "\U0001f600"])
def test_plain_values_are_read_as_they_are(value: Any) -> None:
    assert read_json(json.dumps(value).encode()) == value


def test_of_a_key_given_twice_the_last_wins() -> None:
    assert read_json(b'{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{nope", "not valid JSON"),
        (b"\xff", "byte 0 cannot be decoded"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        (b"[NaN]", "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"[1e999]", "too large"),
        (b"1" * 5000, "too large"),
        (b'{"a": {"b": "x\\u0000"}}', "/a/b contains a NUL"),
        (b'{"a": {"b\\u0000": 1}}', "/a (a key) contains a NUL"),
        (b'["ok", "\\ud800"]', "/1 contains half of a surrogate pair"),
        (b'{"\\udfff": 1}', "surrogate"),
        (nested(DEPTH_MAX + 1), "nested more than 100 levels"),
        (nested(100_000), "nested more than 100 levels"),
        (b"[" + b"1," * COMMAS_MAX + b"1,1]", "more than 100000 commas"),
    ],
)
def test_what_nobody_can_use_is_refused_with_its_place(body: bytes, reason: str) -> None:
    with pytest.raises(UnusableJson, match=None) as caught:
        read_json(body)
    assert reason in str(caught.value)


def test_a_body_may_be_nested_up_to_the_limit() -> None:
    assert read_json(nested(DEPTH_MAX))


def test_a_whole_pair_of_surrogates_is_one_character() -> None:
    assert read_json(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_a_value_that_was_put_together_elsewhere_can_be_checked_too() -> None:
    deep: Any = {}
    for _ in range(DEPTH_MAX):
        deep = {"a": deep}
    with pytest.raises(UnusableJson, match="/extra"):
        check_json(deep, "/extra")


def test_object_of_the_client_may_have_as_many_bytes_as_the_limit() -> None:
    room = FREE_FORM_BYTES_MAX - len('{"a":""}')
    check_size({"a": "x" * room}, "/extra")
    with pytest.raises(UnusableJson, match="/extra has 65537 bytes of JSON, which is more than 65536"):
        check_size({"a": "x" * (room + 1)}, "/extra")
    with pytest.raises(UnusableJson):
        check_size({"a": "ü" * (room // 2 + 1)}, "/extra")
