import pytest

from tests.dialects.reservation.conversation import Conversation


def test_path_may_end_in_json(ask: Conversation) -> None:
    assert ask("GET", "/v1/leases.json").json == {"leases": []}


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/v1/nothing", 404), ("PATCH", "/v1/leases", 405), ("PUT", "/", 405)]
)
def test_errors_of_the_router_have_their_own_format(ask: Conversation, method: str, path: str, status: int) -> None:
    answer = ask(method, path)
    assert (answer.status, answer.json["error"]) == (status, status)


def test_body_of_another_media_type_is_400(ask: Conversation) -> None:
    answer = ask("POST", "/v1/leases", b"{}", headers={"content-type": "text/plain"})
    assert (answer.status, answer.json["error_message"]) == (400, "Content type 'text/plain' isn't supported")


@pytest.mark.parametrize(("body", "message"), [(b"{", None), (b"[]", "The request body must be a JSON object.")])
def test_body_must_be_a_json_object(ask: Conversation, body: bytes, message: str | None) -> None:
    answer = ask("POST", "/v1/leases", body)
    assert answer.status == 400
    assert message in (None, answer.message)
