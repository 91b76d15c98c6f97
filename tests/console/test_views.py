"""No persona sees more in the console than through the APIs, and each page names a command that there is."""

import html
import re
import shlex
from collections.abc import Iterator, Mapping

import httpx
import pytest

from dibs.cli.main import Dibs
from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.browsers.lab import fill, uuid_of

ALL_ROLES = "admin,manager,member,reader"
MEMBER_ROLES = "member,reader"
PERSONAS: Mapping[str, Mapping[str, str]] = {
    "system admin": {"X-Roles": ALL_ROLES},
    "system member": {"X-Roles": MEMBER_ROLES},
    "system reader": {"X-Roles": "reader"},
    "owner admin": {"X-Roles": ALL_ROLES, "X-Project-Id": "storage"},
    "owner member": {"X-Roles": MEMBER_ROLES, "X-Project-Id": "storage"},
    "owner reader": {"X-Roles": "reader", "X-Project-Id": "storage"},
    "lessee member": {"X-Roles": MEMBER_ROLES, "X-Project-Id": "vision-lab"},
    "lessee reader": {"X-Roles": "reader", "X-Project-Id": "vision-lab"},
    "stranger": {"X-Roles": MEMBER_ROLES, "X-Project-Id": "strangers"},
    "without roles": {"X-Roles": "", "X-Project-Id": "storage"},
}
NODE = "r3-02"
API = {"X-OpenStack-Ironic-API-Version": "1.80"}
COMMAND = re.compile(r"<code(?: class=\"command\")?>(dibs [^<]+)</code>")
PAGES = (
    "/timeline",
    "/find?class=gold&traits=CUSTOM_GPU_A100&properties=rack%3Dr1&count=2",
    f"/find?node={NODE}&start=2030-01-01T10:00&end=2030-01-02T10:00",
    "/fleet?filter=class:gold+trait:CUSTOM_GPU_A100+state:clean_wait+free",
    f"/nodes/{uuid_of(NODE)}",
    "/mine",
    "/capacity",
    "/audit?type=lease&node=r3-02&since=2030-01-01T10:00",
)
START, END = "2030-05-01 10:00", "2030-05-03 10:00"


@pytest.fixture(scope="module")
def booked(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DibsServer, str]]:
    """A server without authentication, whose callers name themselves, and a lease of the owner's project."""
    url = bed.databases("sqlite").fresh()
    fill(url)
    server = DibsServer(url, tmp_path_factory.mktemp("personas"))
    server.start()
    reservation = {"resource_type": "physical:host", "min": 1, "max": 1, "resource_properties": ""}
    reservation["hypervisor_properties"] = f'["==", "$hypervisor_hostname", "{NODE}"]'
    body = {"name": "secret soak", "start_date": START, "end_date": END, "reservations": [reservation], "events": []}
    answer = httpx.post(f"{server.url}/reservation/v1/leases", json=body, headers=PERSONAS["owner member"], timeout=60)
    yield server, answer.json()["lease"]["id"]
    server.stop()


@pytest.mark.parametrize("persona", PERSONAS)
def test_persona_sees_no_more_than_through_the_apis(booked: tuple[DibsServer, str], persona: str) -> None:
    server, lease = booked
    headers = {**PERSONAS[persona], "X-User-Id": "someone"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:

        def status(path: str) -> int:
            return client.get(path, headers=API).status_code

        nodes = client.get("/baremetal/v1/nodes?fields=name", headers=API)
        fleet = client.get("/console/fleet")
        assert fleet.status_code == nodes.status_code
        shown = {node["name"] for node in nodes.json().get("nodes", [])}
        assert all((f">{name}<" in fleet.text) == (name in shown) for name in ("r3-02", "arm-33"))
        assert status(f"/console/nodes/{uuid_of(NODE)}") == status(f"/baremetal/v1/nodes/{NODE}")
        assert status(f"/console/leases/{lease}") == status(f"/reservation/v1/leases/{lease}")
        leases = client.get("/reservation/v1/leases")
        sees_lease = any(each["id"] == lease for each in leases.json().get("leases", []))
        audit, page = client.get("/dibs/v1/audit"), client.get("/console/audit")
        assert page.status_code == audit.status_code
        assert ("secret soak" in page.text) == ("secret soak" in audit.text)
        for path in (
            f"/console/timeline?from={START[:10]}",
            f"/console/nodes/{uuid_of(NODE)}",
            "/console/mine",
        ):
            page = client.get(path)
            assert sees_lease or "secret soak" not in page.text
            assert sees_lease or lease not in page.text
        refused = client.post(f"/console/leases/{lease}/release", data={"csrf": ""})
        assert refused.status_code == 403


def test_page_names_commands_that_there_are(booked: tuple[DibsServer, str]) -> None:
    server, lease = booked
    app = Dibs()
    for path in (*PAGES, f"/leases/{lease}"):
        page = httpx.get(f"{server.url}/console{path}", timeout=60).text
        commands = [each for found in COMMAND.findall(page) for each in html.unescape(found).split("; ")]
        assert commands, path
        for command in commands:
            found, name, arguments = app.command_manager.find_command(shlex.split(command)[1:])
            found(app, None).get_parser(name).parse_args(arguments)


def csrf_of(browser: httpx.Client, path: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', browser.get(path).text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"action": "dance"}, "Choose an action."),
        ({"action": "maintenance"}, "Enter the reason."),
        ({"action": "maintenance", "text": "x" * 100_000}, "Enter at most "),
        ({"action": "maintenance", "text": "broken"}, "Choose from 1 to "),
    ],
)
def test_refused_form_for_several_nodes_names_the_mistake(
    booked: tuple[DibsServer, str], fields: Mapping[str, str], problem: str
) -> None:
    server, _ = booked
    with httpx.Client(base_url=server.url, headers=PERSONAS["system admin"], timeout=60) as browser:
        answer = browser.post("/console/fleet/preview", data={"csrf": csrf_of(browser, "/console/fleet"), **fields})
    assert answer.status_code == 400
    assert problem in answer.text


def test_mine_makes_a_calendar_that_needs_no_session(booked: tuple[DibsServer, str]) -> None:
    server, _ = booked
    with httpx.Client(base_url=server.url, headers=PERSONAS["owner member"], timeout=60) as browser:
        csrf = csrf_of(browser, "/console/mine")
        assert browser.post("/console/mine/calendar", data={"csrf": "other"}).status_code == 403
        page = browser.post("/console/mine/calendar", data={"csrf": csrf}).text
    url = re.search(r'href="([^"]+[.]ics)"', page)
    assert url is not None
    assert "X-WR-CALNAME:Dibs storage" in httpx.get(html.unescape(url[1]), timeout=60).text
