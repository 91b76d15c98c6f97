"""Sessions, forms, headers and errors of the console, against a running server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from dibs.console import assets
from tests.bed.dibs_server import DibsServer
from tests.browsers.lab import PASSWORD, write_users

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def basic(serve: Callable[..., DibsServer], tmp_path: Path) -> Iterator[httpx.Client]:
    """A browser without scripts at a server with http_basic; it has not signed in."""
    server = serve("--auth-file", str(write_users(tmp_path)), auth="http_basic")
    with httpx.Client(base_url=server.url, headers=HTML, timeout=60) as client:
        yield client


def csrf(page: httpx.Response) -> str:
    return page.text.partition('name="csrf" value="')[2].partition('"')[0]


def sign_in(client: httpx.Client, user: str = "alice", password: str = PASSWORD, **more: str) -> httpx.Response:
    token = csrf(client.get("/console/sign-in"))
    return client.post("/console/sign-in", data={"user": user, "password": password, "csrf": token, **more})


def test_browser_gets_html_at_the_root_and_other_clients_get_json(server: DibsServer) -> None:
    page = httpx.get(server.url, headers=HTML)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    for accept in ("*/*", "application/json", "application/json, text/html;q=0.9"):
        answer = httpx.get(server.url, headers={"Accept": accept})
        assert answer.json()["name"] == "Dibs"
        assert answer.headers["vary"] == "accept"


def test_user_signs_in_and_out(basic: httpx.Client) -> None:
    asked = basic.get("/console/fleet?filter=free")
    assert asked.status_code == 303
    assert asked.headers["location"] == "/console/sign-in?next=%2Fconsole%2Ffleet%3Ffilter%3Dfree"
    done = sign_in(basic, next="/console/fleet?filter=free")
    assert (done.status_code, done.headers["location"]) == (303, "/console/fleet?filter=free")
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    page = basic.get("/console/fleet")
    assert "alice in vision-lab" in page.text
    assert basic.post("/console/sign-out", data={"csrf": csrf(page)}).status_code == 303
    assert basic.get("/console/fleet").status_code == 303


def test_wrong_password_and_unknown_user_get_the_same_answer(basic: httpx.Client) -> None:
    answers = [sign_in(basic, user, "wrong") for user in ("alice", "nobody")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert all("The user name or the password is wrong." in answer.text for answer in answers)


def test_sign_in_leads_to_no_other_site(basic: httpx.Client) -> None:
    for target in ("https://evil.example", "//evil.example", "/console\\@evil.example", "/baremetal"):
        assert sign_in(basic, next=target).headers["location"] == "/console"
        basic.cookies.clear()


def test_form_without_the_token_of_its_session_or_of_another_site_is_refused(basic: httpx.Client) -> None:
    before = csrf(basic.get("/console/sign-in"))
    sign_in(basic)
    page = basic.get("/console/fleet")
    assert basic.post("/console/sign-out", data={}).status_code == 403
    assert basic.post("/console/sign-out", data={"csrf": before}).status_code == 403
    foreign = {"Origin": "https://evil.example"}
    assert basic.post("/console/sign-out", data={"csrf": csrf(page)}, headers=foreign).status_code == 403
    assert basic.get("/console/fleet").status_code == 200


def test_part_of_a_page_without_a_session_leads_to_the_form(basic: httpx.Client) -> None:
    answer = basic.get("/console/fleet", headers={"HX-Request": "true"})
    assert answer.headers["hx-redirect"].startswith("/console/sign-in")


def test_stream_of_an_ended_session_is_not_tried_again(basic: httpx.Client) -> None:
    """To a browser, 204 says so; the form, which is HTML, would be an error of the page."""
    assert basic.get("/console/changes", headers={"accept": "text/event-stream"}).status_code == 204


def test_every_page_has_the_security_headers(server: DibsServer) -> None:
    for path in ("/", "/console/fleet", "/console/nowhere", f"/console{assets.names()['console.css']}"):
        headers = httpx.get(server.url + path, headers=HTML).headers
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_errors_are_pages(server: DibsServer) -> None:
    with httpx.Client(base_url=server.url, headers=HTML, timeout=60) as client:
        assert client.get("/console/nowhere").status_code == 404
        assert client.post("/console/fleet").status_code == 405
        assert client.get("/console/fleet?filter=colour:red").status_code == 400
        missing = client.get("/console/nodes/none")
        assert (missing.status_code, missing.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "Node none could not be found" in missing.text
        assert client.post("/console/sign-out", content=b"x" * (5 * 1024 * 1024)).status_code == 413


def test_assets_are_kept_for_ever_and_compressed(server: DibsServer) -> None:
    for path in assets.names().values():
        answer = httpx.get(f"{server.url}/console{path}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert httpx.get(f"{server.url}/console/assets/none/console.css").status_code == 404
