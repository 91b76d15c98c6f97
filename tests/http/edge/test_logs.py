"""Log lines."""

import io
import json
import logging
import subprocess
import sys

import pytest

from dibs.access.request_id import REQUEST_ID
from dibs.http.edge.logs import JsonFormatter, RequestIdFilter, TextFormatter


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def logger_with(formatter: logging.Formatter, stream: io.StringIO) -> logging.Logger:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    handler.addFilter(RequestIdFilter())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger


def test_json_line_has_the_request_id_and_the_traceback(stream: io.StringIO) -> None:
    token = REQUEST_ID.set("req-1")
    try:
        raise ValueError("broken\nin two")
    except ValueError:
        logger_with(JsonFormatter(), stream).exception("Could not %s", "work")
    finally:
        REQUEST_ID.reset(token)
    [line] = stream.getvalue().splitlines()
    found = json.loads(line)
    assert (found["level"], found["logger"], found["request_id"]) == ("ERROR", "test", "req-1")
    assert found["message"] == "Could not work"
    assert "ValueError: broken" in found["trace"]
    assert found["time"].endswith("+00:00")


def test_json_line_escapes_what_no_encoding_has(stream: io.StringIO) -> None:
    logger_with(JsonFormatter(), stream).info("Cannot read %s", "file-\udcff")
    assert json.loads(stream.getvalue())["message"] == "Cannot read file-\udcff"


def test_line_breaks_in_a_message_are_escaped(stream: io.StringIO) -> None:
    logger_with(TextFormatter(), stream).info("GET %s", "/a\n2026-01-01 INFO forged")
    assert len(stream.getvalue().splitlines()) == 1
    assert "[-]" in stream.getvalue()


def test_logs_are_json_without_a_terminal_and_libraries_log_only_warnings() -> None:
    script = (
        "import logging; from dibs.http.edge.logs import configure_logs; configure_logs('auto', 'info');"
        "logging.getLogger('dibs.x').info('a'); logging.getLogger('other').info('b')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert [json.loads(line)["message"] for line in done.stderr.splitlines()] == ["a"]
