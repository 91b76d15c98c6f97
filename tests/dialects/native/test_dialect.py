"""Requests that no handler answers."""

from tests.dialects.native.conversation import Conversation


def test_unknown_path_and_method_are_refused(ask: Conversation) -> None:
    assert ask("GET", "/v1/nothing") == (
        404,
        {"error": {"code": "not_found", "message": "/v1/nothing does not exist."}},
    )
    status, document = ask("DELETE", "/v1/allocations")
    assert (status, document["error"]["code"]) == (405, "method_not_allowed")
