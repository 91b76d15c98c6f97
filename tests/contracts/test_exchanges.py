"""The runner of contract files detects every kind of failure."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.contracts.exchanges import build_story, load_exchanges, run_exchange

STORY = """
tests:
- name: the answer is right
  GET: /
  response_json_paths:
    $.word: dibs
- name: the status is wrong
  GET: /
  status: 404
- name: the body is wrong
  GET: /
  response_json_paths:
    $.word: $RESPONSE['$.word'] or not
- name: it is skipped
  GET: /
  skip: for no reason
- name: it is expected to fail
  GET: /
  status: 404
  xfail: true
"""


class Answer(BaseHTTPRequestHandler):
    """Respond to every request with one word."""

    def do_GET(self) -> None:
        body = b'{"word": "dibs"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.yaml"
    path.write_text(STORY)
    return path


def test_every_exchange_of_a_file_is_counted(story: Path) -> None:
    assert len(load_exchanges(story)) == 5


def test_expected_response_passes_and_every_other_outcome_fails(story: Path, port: int) -> None:
    wrong = [bool(run_exchange(case)) for case in build_story(story, port)]
    assert wrong == [False, True, True, True, True]


def test_failure_names_the_expected_status(story: Path, port: int) -> None:
    (problem,) = run_exchange(build_story(story, port)[1])
    assert "404" in problem


def test_exchange_that_runs_alone_first_runs_the_earlier_ones(story: Path, port: int) -> None:
    cases = build_story(story, port)
    run_exchange(cases[2])
    assert [getattr(case, "has_run", False) for case in cases[:3]] == [True, True, True]
