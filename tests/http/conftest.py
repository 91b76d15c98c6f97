"""A server of the echo dialect."""

from collections.abc import Iterator

import pytest

from tests.http.edge.echo_server import RunningServer, running_server


@pytest.fixture(scope="session")
def echo() -> Iterator[RunningServer]:
    """A shared server with default limits, for tests that do not change it."""
    with running_server() as server:
        yield server
