import pytest

from tests.dialects.reservation.conversation import Conversation


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/floatingips"), ("DELETE", "/v1/floatingips/1")])
def test_floating_ips_are_refused_with_an_explanation(ask: Conversation, method: str, path: str) -> None:
    answer = ask(method, path)
    assert answer.status == 404
    assert answer.message.startswith("Floating IPs cannot be reserved here")
