"""``dibs reservation …``."""

import os
import signal
import uuid
from typing import Any

import pytest

from dibs.client import Dibs
from dibs.client.reservations import Reservations
from tests.bed.session import Bed
from tests.cli.run_dibs import run
from tests.clients.clouds import enroll, fresh


@pytest.fixture
def url(bed: Bed) -> str:
    return bed.shared_server("sqlite").url


def test_a_reservation_is_created_listed_shown_renewed_and_deleted(url: str) -> None:
    node, other = (enroll(Dibs.connect(url).connection).name for _ in range(2))
    name = fresh("ci")
    create = ("reservation", "create", node, other, "--name", name, "-f", "json")
    made = run(*create, "--ttl", "10m", url=url).json
    assert run(*create, url=url).json == made
    rows = run("reservation", "list", "-f", "json", url=url).json
    assert made["uuid"] in {row["uuid"] for row in rows}
    renewed = run("reservation", "renew", made["uuid"], "--ttl", "1h", "-f", "json", url=url).json
    assert renewed["expires_at"] > made["expires_at"]
    assert run("reservation", "show", made["uuid"], "-f", "json", url=url).json == renewed
    assert run("reservation", "show", name, "-f", "json", url=url).json == renewed
    assert run("reservation", "show", node, "-f", "json", url=url).json == renewed
    (row,) = (row for row in run("reservation", "list", "-f", "json", url=url).json if row["uuid"] == made["uuid"])
    assert (row["node"], row["age"][-1], row["left"][:2] <= "59") == (node, "s", True)
    taken = run("reservation", "create", node, "--instance", str(uuid.uuid4()), url=url)
    assert taken.code == 1
    assert "is reserved already" in taken.err
    assert run("reservation", "delete", name, url=url).code == 0
    assert run("reservation", "delete", made["uuid"], url=url).code == 3


def test_an_interrupt_during_the_request_deletes_the_reservation(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dibs = Dibs.connect(url)
    node = enroll(dibs.connection)
    post = Reservations._post

    def interrupted(self: Reservations, path: str, body: object) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return post(self, path, body)

    monkeypatch.setattr(Reservations, "_post", interrupted)
    result = run("reservation", "create", node.name, url=url)
    assert (result.code, result.err) == (130, "Interrupted.\n")
    assert node.id not in {each.node_id for each in dibs.reservations.list()}
