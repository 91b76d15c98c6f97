import pytest

from tests.builders import Ledger
from tests.dialects.baremetal.conversation import Conversation


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """Send requests to the dialect as system admin, with an empty ledger and one conductor."""
    return Conversation(ledger)
