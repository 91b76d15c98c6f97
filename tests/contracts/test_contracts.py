"""Every exchange under ``tests/contracts/<dialect>/`` against a running server."""

import unittest
from pathlib import Path

import pytest

from tests.bed.dibs_server import DibsServer
from tests.contracts.exchanges import Exchange, all_exchanges, build_story, close_connections, run_exchange

Stories = dict[tuple[str, Path], list[unittest.TestCase]]


@pytest.fixture(scope="session")
def stories() -> Stories:
    """The stories built so far: the exchanges of a file use values from earlier responses."""
    return {}


@pytest.mark.parametrize("exchange", all_exchanges(), ids=str)
def test_exchange(exchange: Exchange, shared_server: DibsServer, stories: Stories) -> None:
    key = (shared_server.url, exchange.path)
    if key not in stories:
        stories[key] = build_story(exchange.path, shared_server.port)
    case = stories[key][exchange.position]
    problems = run_exchange(case)
    close_connections(case)
    assert problems == []
