import pytest

from dibs.machines.model.nodes import Node
from dibs.servers.model.servers import ServerView
from tests.builders import Ledger
from tests.manual_conductor import ManualConductor
from tests.server_builders import launch, node_flavor


@pytest.fixture
def conductor(ledger: Ledger) -> ManualConductor:
    return ManualConductor(ledger)


@pytest.fixture
def node(ledger: Ledger, conductor: ManualConductor) -> Node:
    return ledger.enrol(resource_class="gold", automated_clean=False)


@pytest.fixture
def built(ledger: Ledger, node: Node) -> ServerView:
    """A server that the conductor is about to deploy."""
    return launch(ledger, node_flavor(ledger, "gold"))
