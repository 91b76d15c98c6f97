import asyncio
from typing import Any

import pytest

from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.guards.proxies import Peer
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
    scope = {"server": ("127.0.0.1", 8780)}
    assert read_origin(scope, Peer("127.0.0.1", "https", "dibs.example")) == "https://dibs.example"
    assert read_origin(scope, Peer("127.0.0.1", "https", None)) == "https://127.0.0.1:8780"
    with pytest.raises(Unreadable):
        read_origin(scope, Peer("127.0.0.1", "https", "a b"))


ONE = Caller("127.0.0.1", "one")
SMALL = Limits(threads=2, body_limit_bytes=10)
"""20 bytes for all callers, 10 for each."""
CHUNKED = {"transfer-encoding": "chunked"}


def read_body(
    limits: Limits, budget: BodyBudget, headers: dict[str, str], *pieces: bytes, caller: Caller = ONE
) -> bytes:
    """Read a body and keep its bytes in the budget, as while the request is answered."""
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages.append({"type": "http.request", "body": b""})

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    return asyncio.run(BodyReader(limits, budget, caller).read(headers, receive))


def test_body_is_read_in_pieces() -> None:
    assert read_body(SMALL, BodyBudget(SMALL), CHUNKED, b"a", b"b") == b"ab"


@pytest.mark.parametrize("headers", [{"content-length": "5"}, CHUNKED])
def test_body_over_the_limit_is_413(headers: dict[str, str]) -> None:
    limits = Limits(body_limit_bytes=4)
    with pytest.raises(Unreadable) as caught:
        read_body(limits, BodyBudget(limits), headers, b"12345")
    assert caught.value.status == 413


def test_bodies_over_the_share_of_a_caller_are_429_and_others_are_read() -> None:
    budget = BodyBudget(SMALL)
    read_body(SMALL, budget, CHUNKED, b"12345678")
    with pytest.raises(Unreadable) as caught:
        read_body(SMALL, budget, CHUNKED, b"123")
    assert caught.value.status == 429
    assert ("retry-after", "1") in caught.value.headers
    assert read_body(SMALL, budget, CHUNKED, b"123", caller=Caller("127.0.0.1", "two")) == b"123"


def test_bodies_over_the_common_budget_are_503() -> None:
    budget = BodyBudget(SMALL)
    for user in ("two", "three"):
        read_body(SMALL, budget, CHUNKED, b"12345678", caller=Caller("127.0.0.1", user))
    with pytest.raises(Unreadable) as caught:
        read_body(SMALL, budget, CHUNKED, b"12345")
    assert caught.value.status == 503
