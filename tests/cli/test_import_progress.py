"""Progress of an import without a terminal."""

import io

import pytest

from dibs.cli.import_progress import show_progress


def test_a_line_is_printed_at_the_start_and_every_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 101.0, 106.0, 106.0])
    monkeypatch.setattr("dibs.cli.import_progress.time.monotonic", lambda: next(clock))
    stream = io.StringIO()
    with show_progress(stream, silent=False) as listener:
        listener.begin("node", 7)
        listener.advance("node")
        listener.advance("node")
    assert stream.getvalue() == "node: 0 of 7\nnode: 2 of 7\n"


def test_quiet_prints_nothing() -> None:
    stream = io.StringIO()
    with show_progress(stream, silent=True) as listener:
        listener.begin("node", None)
        listener.advance("node")
    assert stream.getvalue() == ""
