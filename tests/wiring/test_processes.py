"""The order in which the parts stop."""

from pathlib import Path

import pytest

from dibs.conductor import Conductor
from dibs.database.embedded import EmbeddedStore
from dibs.settings import Settings
from dibs.wiring.processes import build_application


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The parts that were stopped, in order."""
    order: list[str] = []
    monkeypatch.setattr(Conductor, "stop", lambda self: order.append("conductor"))
    monkeypatch.setattr(EmbeddedStore, "close", lambda self: order.append("store"))
    return order


def test_conductor_stops_before_the_store_closes(tmp_path: Path, stopped: list[str]) -> None:
    application = build_application(Settings(database=f"sqlite:///{tmp_path}/x.sqlite"))
    application.stop()
    application.stop_once()
    assert stopped == ["conductor", "store"]


def test_worker_process_closes_its_own_store(tmp_path: Path, stopped: list[str]) -> None:
    application = build_application(Settings(database=f"sqlite:///{tmp_path}/x.sqlite", workers=2))
    application.stop()
    assert stopped == ["store"]
