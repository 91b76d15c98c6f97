"""Errors as Placement answers them."""

import json
from collections.abc import Iterator

import pytest

from dibs.database.errors import StoreUnavailable
from dibs.dialects.placement.errors import ANSWERS, Code, Refusal, error_answer, refusal_of, unauthorized
from dibs.errors import BadValue, DibsError, Forbidden


def every_error(kind: type[DibsError] = DibsError) -> Iterator[type[DibsError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from every_error(child)


@pytest.mark.parametrize("kind", sorted(every_error(), key=str))
def test_every_domain_error_has_a_status_and_a_code(kind: type[DibsError]) -> None:
    assert kind in ANSWERS, f"add {kind.__name__} to dialects/placement/errors.py"


def test_there_are_ten_codes() -> None:
    assert len(Code) == 10
    assert all(code.startswith("placement.") for code in Code)


def test_the_message_follows_a_general_sentence_about_the_status() -> None:
    answer = error_answer(Refusal(409, "It moved.", Code.CONCURRENT_UPDATE), request_id="req-1", minor=23)
    (error,) = json.loads(answer.body)["errors"]
    assert error == {
        "status": 409,
        "title": "Conflict",
        "detail": "There was a conflict when trying to complete your request.\n\n It moved.  ",
        "request_id": "req-1",
        "code": "placement.concurrent_update",
    }


@pytest.mark.parametrize("minor", [None, 0, 22])
def test_errors_have_no_code_before_1_23(minor: int | None) -> None:
    assert "code" not in json.loads(error_answer(Refusal(404), minor=minor).body)["errors"][0]


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/json, text/html", "application/json"),
        ("text/html", "text/html; charset=UTF-8"),
        ("text/plain", "text/plain; charset=UTF-8"),
    ],
)
def test_an_error_has_the_form_that_the_client_accepts(accept: str, form: str) -> None:
    answer = error_answer(Refusal(400, "<b>No</b>"), accept=accept)
    assert dict(answer.headers)["Content-Type"] == form
    assert b"No" in answer.body


def test_a_page_escapes_the_text_of_the_client() -> None:
    body = error_answer(Refusal(400, "<script>x</script>"), accept="text/html").body
    assert b"&lt;script&gt;" in body
    assert b"<script>" not in body


def test_401_has_a_form_of_its_own() -> None:
    answer = unauthorized("no", headers=(("www-authenticate", "Basic"),))
    document = json.loads(answer.body)
    assert (document["code"], document["title"]) == ("401 Unauthorized", "Unauthorized")
    assert dict(answer.headers)["www-authenticate"] == "Basic"


def test_an_unreachable_database_is_503_with_retry_after() -> None:
    refusal = refusal_of(StoreUnavailable())
    assert (refusal.status, dict(refusal.headers)["Retry-After"]) == (503, "1")


def test_a_handler_may_put_a_prefix_before_a_domain_error() -> None:
    refusal = refusal_of(BadValue(reason="too small"), "Unable to do it: ")
    assert (refusal.status, refusal.message) == (400, "Unable to do it: too small")


def test_a_denial_names_the_rule() -> None:
    refusal = refusal_of(Forbidden(resource="placement:traits:list"))
    assert (refusal.status, refusal.message) == (403, "Policy does not allow placement:traits:list to be performed.")


def test_a_long_message_loses_its_middle_and_keeps_its_end() -> None:
    body = error_answer(Refusal(400, "x" * 1_000_000 + " Failed validating")).body
    assert len(body) < 2_000
    assert b"Failed validating" in body
