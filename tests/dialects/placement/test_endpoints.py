"""The three kinds of rows."""

from dibs.dialects.placement.endpoints import Endpoint, acts, reads, takes
from dibs.dialects.placement.exchange import Exchange
from dibs.http.messages import Response


def handle(exchange: Exchange) -> Response:
    return Response(200)


def bodies(endpoint: Endpoint) -> tuple[bool, bool]:
    return endpoint.takes_json, endpoint.gives_json


def test_each_kind_of_row_says_which_way_json_goes() -> None:
    assert bodies(reads("/a", handle, "rule", "List a", answer={}).handler) == (False, True)
    assert bodies(takes("PUT", "/a", handle, "rule", "Replace a", body={}).handler) == (True, False)
    assert bodies(acts("DELETE", "/a", handle, "rule", "Delete a").handler) == (False, False)


def test_a_row_that_only_acts_answers_204_and_is_missing_in_older_versions() -> None:
    row = acts("DELETE", "/a", handle, "rule", "Delete a", since=5)
    assert (list(row.statuses), row.since, row.handler.too_old) == ([204], 5, 404)
