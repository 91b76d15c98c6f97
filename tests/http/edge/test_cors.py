"""Which web pages may call."""

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


def test_without_an_origin_nobody_is_told_anything() -> None:
    assert Cors.from_lists(" , ", "x") is None
    assert headers_for("GET", 200) == (200, {})


def test_an_allowed_page_learns_that_it_may_read_the_answer() -> None:
    status, headers = headers_for("GET", 404, origin=PAGE)
    assert (status, headers["Access-Control-Allow-Origin"], headers["Vary"]) == (404, PAGE, "Origin")


def test_a_page_of_another_origin_learns_nothing() -> None:
    assert headers_for("GET", 200, origin="https://evil.example") == (200, {})
    asked = {"origin": "https://evil.example", "access_control_request_method": "GET"}
    assert headers_for("OPTIONS", **asked) == (200, {})


def test_a_browser_may_ask_first() -> None:
    asked = {"access_control_request_method": "PUT", "access_control_request_headers": "x-auth-token, Accept"}
    status, headers = headers_for("OPTIONS", 401, origin=PAGE, **asked)
    assert (status, headers["Access-Control-Allow-Methods"]) == (200, "PUT")
    assert headers["Access-Control-Allow-Headers"] == "x-auth-token,Accept"


def test_a_header_that_pages_may_not_send_is_not_promised() -> None:
    asked = {"access_control_request_method": "PUT", "access_control_request_headers": "x-secret"}
    assert headers_for("OPTIONS", origin=PAGE, **asked) == (200, {})
