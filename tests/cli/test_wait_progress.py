"""Progress of a wait on a terminal and in a log."""

import io

from dibs.cli.wait_progress import WaitProgress
from dibs.client import Progress
from tests.cli.run_dibs import Terminal


def test_lines_come_at_growing_intervals_without_a_terminal() -> None:
    stream = io.StringIO()
    with WaitProgress(stream) as show:
        for second in range(10):
            show(Progress(second, "a node"), "1 in use")
    seconds = [line.partition("(")[2].partition(" s)")[0] for line in stream.getvalue().splitlines()]
    assert seconds == ["0", "1", "2", "4", "8"]
    assert stream.getvalue().startswith("Waiting for a node (0 s). 1 in use.\n")


def test_a_terminal_shows_one_line_and_gets_its_cursor_back() -> None:
    stream = Terminal()
    with WaitProgress(stream) as show:
        show(Progress(0, "a node"))
        show(Progress(1, "a node"))
    assert "Waiting for a node (1 s)." in stream.getvalue()
    assert "\x1b[?25h" in stream.getvalue()


def test_nothing_is_printed_without_a_wait() -> None:
    stream = Terminal()
    with WaitProgress(stream):
        pass
    assert stream.getvalue() == ""
