"""A running server for the tests of the client library, which cannot tell engines apart."""

import pytest

from dibs.client import Dibs
from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed


@pytest.fixture
def running(bed: Bed) -> DibsServer:
    """Return a server that other tests use too."""
    return bed.shared_server("sqlite")


@pytest.fixture
def dibs(running: DibsServer) -> Dibs:
    """Return a client that is connected by URL."""
    return Dibs.connect(running.url)
