import pytest

from tests.builders import Ledger
from tests.dialects.compute.conversation import Conversation
from tests.server_builders import flavor, host


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """Send requests as an admin, over an empty ledger."""
    return Conversation(ledger)


@pytest.fixture
def small(ledger: Ledger) -> str:
    """Create a host with room for two servers, and the flavor for them."""
    host(ledger, "compute-1", vcpus=2)
    return flavor(ledger, name="small").flavor
