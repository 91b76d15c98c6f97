"""The source services, each started and filled once."""

from collections.abc import Iterator

import pytest

from dibs.cli.import_progress import Silent
from dibs.importing import Report
from tests.bed.processes import free_port
from tests.importing.rack import Rack, fill
from tests.importing.real_ironic import RealIronic
from tests.importing.real_placement import RealPlacement


@pytest.fixture(scope="session")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    """Start a real Ironic with nodes in every stable state. No test changes it."""
    ironic = RealIronic(tmp_path_factory.mktemp("ironic"), free_port())
    try:
        ironic.start()
        yield fill(ironic.url)
    finally:
        ironic.stop()


@pytest.fixture(scope="session")
def placement(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPlacement]:
    """Start a real, empty Placement."""
    server = RealPlacement(tmp_path_factory.mktemp("placement"), free_port())
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def report() -> Report:
    """Return an empty report that shows no progress."""
    return Report(Silent())
