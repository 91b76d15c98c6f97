"""The client library against a running server. It cannot tell engines apart, so one is enough."""

import pytest

from dibs.client import Dibs
from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed


@pytest.fixture
def running(bed: Bed) -> DibsServer:
    """A server that other tests use too."""
    return bed.shared_server("sqlite")


@pytest.fixture
def dibs(running: DibsServer) -> Dibs:
    """Connected to it by its URL."""
    return Dibs.connect(running.url)
