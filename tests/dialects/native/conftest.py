import pytest

from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    return Conversation(ledger)
