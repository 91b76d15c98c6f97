import asyncio
from typing import Any

import pytest

from dibs.http.edge.limits import Limits
from dibs.http.edge.reading import (
    QUERY_FIELDS_MAX,
    BodyBudget,
    BodyReader,
    Unreadable,
    check_path,
    read_headers,
    read_origin,
    read_query,
)


def test_headers_of_one_name_are_joined() -> None:
    assert read_headers({"headers": [(b"accept", b"a"), (b"accept", b"b")]}) == {"accept": "a, b"}


def test_query_keeps_order_repetitions_and_empty_values() -> None:
    assert read_query(b"b=1&a=&b=2") == (("b", "1"), ("a", ""), ("b", "2"))


@pytest.mark.parametrize("query", [b"a=%00", b"a=%ff", b"a=1&" * (QUERY_FIELDS_MAX + 1)])
def test_query_that_cannot_be_stored_or_is_too_long_is_400(query: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        read_query(query)
    assert caught.value.status == 400


@pytest.mark.parametrize("path", [b"/%00", b"/%ff"])
def test_path_that_cannot_be_stored_is_400(path: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        check_path(path)
    assert caught.value.status == 400


def test_origin_is_the_host_header_or_the_address_of_the_server() -> None:
    scope = {"scheme": "https", "server": ("127.0.0.1", 8780)}
    assert read_origin(scope, {"host": "dibs.example"}) == "https://dibs.example"
    assert read_origin(scope, {}) == "https://127.0.0.1:8780"
    with pytest.raises(Unreadable):
        read_origin(scope, {"host": "a b"})


def read_body(limits: Limits, budget: BodyBudget, headers: dict[str, str], *pieces: bytes) -> bytes:
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages.append({"type": "http.request", "body": b""})

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    return asyncio.run(BodyReader(limits, budget).read(headers, receive))


def test_body_is_read_in_pieces() -> None:
    budget = BodyBudget(100)
    assert read_body(Limits(), budget, {"transfer-encoding": "chunked"}, b"a", b"b") == b"ab"
    assert budget.used == 2


@pytest.mark.parametrize("headers", [{"content-length": "5"}, {"transfer-encoding": "chunked"}])
def test_body_over_the_limit_is_413(headers: dict[str, str]) -> None:
    with pytest.raises(Unreadable) as caught:
        read_body(Limits(body_limit_bytes=4), BodyBudget(100), headers, b"12345")
    assert caught.value.status == 413


def test_body_over_the_common_budget_is_503() -> None:
    with pytest.raises(Unreadable) as caught:
        read_body(Limits(), BodyBudget(limit=10, used=8), {"content-length": "3"}, b"123")
    assert caught.value.status == 503
