"""A server of the echo dialect."""

from collections.abc import Iterator

import pytest

from tests.http.edge.echo_server import RunningServer, running_server


@pytest.fixture(scope="session")
def echo() -> Iterator[RunningServer]:
    """One with default limits, shared by every test that leaves it as it was."""
    with running_server() as server:
        yield server
