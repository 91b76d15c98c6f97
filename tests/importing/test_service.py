"""Versions, pages and error messages of the services, over a fake adapter."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from keystoneauth1 import exceptions

from dibs.importing.service import Refused, Service, Unreachable


class Answers:
    """An adapter that returns prepared responses and records the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[str, str, dict[str, Any]]] = []

    def request(self, url: str, method: str, **options: Any) -> Any:
        self.requests.append((method, url, options))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def answer(body: Any = None, status: int = 200, **headers: str) -> Any:
    text = "" if body is None else body if isinstance(body, str) else json.dumps(body)

    def read() -> Any:
        return json.loads(text)

    return SimpleNamespace(status_code=status, text=text, content=text.encode(), headers=headers, json=read)


def service(*answers: Any, kind: str = "baremetal", noauth: bool = False) -> tuple[Service, Answers]:
    adapter = Answers(*answers)
    return Service(adapter, kind, "http://source", noauth), adapter


@pytest.mark.parametrize(("offered", "chosen"), [("1.60", (1, 60)), ("1.999", (1, 115))])
def test_the_newest_version_that_both_sides_know_is_chosen(offered: str, chosen: tuple[int, int]) -> None:
    source, _ = service(answer({}, **{"X-OpenStack-Ironic-API-Maximum-Version": offered}))
    source.negotiate()
    assert source.version == chosen


def test_a_service_of_another_kind_is_unreachable() -> None:
    source, _ = service(answer({}))
    with pytest.raises(Unreachable, match="http://source is not a baremetal service"):
        source.negotiate()


def test_pages_are_read_by_marker_and_keep_their_filters() -> None:
    pages = [answer({"nodes": [{"uuid": "a"}], "next": "…"}), answer({"nodes": [{"uuid": "b"}]})]
    source, adapter = service(*pages)
    assert [each["uuid"] for each in source.pages("/v1/nodes", "nodes", driver="fake")] == ["a", "b"]
    assert [url for _, url, _ in adapter.requests] == [
        "http://source/v1/nodes?driver=fake&limit=200",
        "http://source/v1/nodes?driver=fake&limit=200&marker=a",
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error_message": json.dumps({"faultstring": "Node is locked"})}, "Node is locked"),
        ({"errors": [{"detail": "What 409 means.\n\n It does not fit. "}]}, "It does not fit."),
        ({"error_message": "Not enough hosts available"}, "Not enough hosts available"),
        ({"error": {"message": "Unauthorized"}}, "Unauthorized"),
        ("<html> Bad\n gateway </html>", "<html> Bad gateway </html>"),
        ([], "HTTP status 409"),
    ],
)
def test_the_message_of_a_refusal_is_found_in_the_answer_of_every_service(body: Any, message: str) -> None:
    source, _ = service(answer(body, 409))
    with pytest.raises(Refused) as refusal:
        source.send("POST", "/v1/nodes", {})
    assert (str(refusal.value), refusal.value.status) == (message, 409)


def test_a_missing_object_is_none_and_other_refusals_are_raised() -> None:
    source, _ = service(answer({}, 404), answer({}, 403))
    assert source.find("/v1/nodes/a") is None
    with pytest.raises(Refused):
        source.find("/v1/nodes/a")


@pytest.mark.parametrize("noauth", [True, False])
def test_only_a_service_without_authentication_gets_requests_as_their_owner(noauth: bool) -> None:
    target, adapter = service(answer({}), noauth=noauth, kind="reservation")
    target.send("POST", "/v1/leases", {}, owner=("alice", "lab"))
    assert (adapter.requests[0][2]["headers"].get("X-Auth-Token") == "alice:lab") is noauth


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (exceptions.ConnectFailure("refused"), "Cannot connect to http://source"),
        (exceptions.AuthorizationFailure("no token"), "Cannot send requests to http://source: no token"),
        (answer("<html>"), "is not JSON"),
        (answer(), "without a body"),
    ],
)
def test_an_unusable_service_is_unreachable(failure: Any, message: str) -> None:
    source, _ = service(failure)
    with pytest.raises(Unreachable, match=message):
        source.get("/v1/nodes")
