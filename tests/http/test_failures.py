import json

from dibs.http.failures import MESSAGE_MAX, plain_failure, shorten


def test_error_has_the_format_of_the_api_guidelines() -> None:
    response = plain_failure(404, "Gone.", (("allow", "GET"),), "req-1")
    assert response.status == 404
    assert ("allow", "GET") in response.headers
    (error,) = json.loads(response.body)["errors"]
    assert error == {"status": 404, "title": "Not Found", "detail": "Gone.", "request_id": "req-1"}


def test_short_message_is_kept() -> None:
    assert shorten("a" * MESSAGE_MAX) == "a" * MESSAGE_MAX


def test_long_message_keeps_both_ends() -> None:
    shortened = shorten("begin" + "x" * 10 * MESSAGE_MAX + "end")
    assert shortened.startswith("begin")
    assert shortened.endswith("end")
    assert len(shortened) < MESSAGE_MAX + 10
