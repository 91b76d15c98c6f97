"""Workers ask their parent whether the part that runs only there is ready."""

import socket
from pathlib import Path

import pytest

from dibs.http.edge import reports
from dibs.http.edge.reports import ask, reporting


def test_answer_is_what_the_parent_finds_at_that_moment() -> None:
    problems: list[str] = []
    with reporting(lambda: problems) as address:
        assert ask(address) == []
        problems.append("the thread dibs-leases hangs")
        assert ask(address) == ["the thread dibs-leases hangs"]
        problems.clear()
        assert ask(address) == []
    assert not Path(address).exists()


def test_parent_that_does_not_listen_is_a_problem() -> None:
    with reporting(list) as address:
        pass
    assert "does not answer" in ask(address)[0]


def test_parent_that_hangs_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "TIMEOUT_SECONDS", 0.05)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        assert "does not answer" in ask(str(tmp_path / "socket"))[0]
