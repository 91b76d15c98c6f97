import pytest

from tests.builders import Ledger
from tests.dialects.baremetal.conversation import Conversation


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """Ask the dialect as the system's admin, over an empty ledger with one conductor."""
    return Conversation(ledger)
