"""Cross-origin requests."""

from dibs.access.actor import Actor
from dibs.http.edge.cors import Cors
from dibs.http.messages import Request, Response

PAGE = "https://page.example"
CORS = Cors.from_lists(f"{PAGE}, https://other.example", "X-Auth-Token")


def headers_for(method: str, status: int = 405, **headers: str) -> tuple[int, dict[str, str]]:
    request = Request(
        method=method,
        path="/",
        base_url="",
        request_id="",
        actor=Actor(),
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    assert CORS is not None
    answer = CORS.apply(request, Response(status))
    return answer.status, dict(answer.headers)


def test_request_without_an_origin_gets_no_cors_headers() -> None:
    assert Cors.from_lists(" , ", "x") is None
    assert headers_for("GET", 200) == (200, {})


def test_allowed_origin_may_read_the_response() -> None:
    status, headers = headers_for("GET", 404, origin=PAGE)
    assert (status, headers["Access-Control-Allow-Origin"], headers["Vary"]) == (404, PAGE, "Origin")


def test_other_origin_gets_no_cors_headers() -> None:
    assert headers_for("GET", 200, origin="https://evil.example") == (200, {})
    asked = {"origin": "https://evil.example", "access_control_request_method": "GET"}
    assert headers_for("OPTIONS", **asked) == (200, {})


def test_preflight_request_is_answered() -> None:
    asked = {"access_control_request_method": "PUT", "access_control_request_headers": "x-auth-token, Accept"}
    status, headers = headers_for("OPTIONS", 401, origin=PAGE, **asked)
    assert (status, headers["Access-Control-Allow-Methods"]) == (200, "PUT")
    assert headers["Access-Control-Allow-Headers"] == "x-auth-token,Accept"


def test_preflight_for_a_forbidden_header_is_not_allowed() -> None:
    asked = {"access_control_request_method": "PUT", "access_control_request_headers": "x-secret"}
    assert headers_for("OPTIONS", origin=PAGE, **asked) == (200, {})
