import pytest

from tests.dialects.baremetal.conversation import Conversation

VIF = "33333333-0000-4000-8000-000000000001"
OTHER = "33333333-0000-4000-8000-000000000002"
URL = "/v1/nodes/n/vifs"


@pytest.fixture
def port(ask: Conversation) -> str:
    """The only port of a node."""
    node = ask.ledger.enrol(name="n").uuid
    made: str = ask("POST", "/v1/ports", {"node_uuid": node, "address": "52:54:00:00:00:01"}).json["uuid"]
    return made


def test_a_vif_is_attached_shown_on_its_port_and_detached(ask: Conversation, port: str) -> None:
    assert ask("POST", URL, {"id": VIF}).status == 204
    assert ask("GET", URL).json == {"vifs": [{"id": VIF}]}
    assert ask("GET", f"/v1/ports/{port}").json["internal_info"] == {"tenant_vif_port_id": VIF}
    assert (ask("POST", URL, {"id": VIF}).status, ask("POST", URL, {"id": OTHER}).status) == (409, 400)
    assert ask("DELETE", f"{URL}/{VIF}").status == 204
    assert ask("DELETE", f"{URL}/{VIF}").status == 400
    assert ask("GET", f"/v1/ports/{port}").json["internal_info"] == {}


def test_a_client_may_name_the_port(ask: Conversation, port: str) -> None:
    for body in ({"port_uuid": OTHER}, {"port_uuid": port, "portgroup_uuid": OTHER}, {"port_uuid": "x"}):
        assert ask("POST", URL, {"id": VIF, **body}).status == 400
    assert ask("POST", URL, {"id": VIF, "port_uuid": OTHER}, version="1.66").status == 204
    assert ask("DELETE", f"{URL}/{VIF}").status == 204
    assert ask("POST", URL, {"id": VIF, "port_uuid": port, "any": "thing"}).status == 204


@pytest.mark.parametrize("body", [{}, {"id": 1}, {"id": "a b"}, []])
def test_a_vif_without_an_id_is_refused(ask: Conversation, port: str, body: object) -> None:
    assert ask("POST", URL, body).status == 400


def test_vifs_exist_since_their_version(ask: Conversation, port: str) -> None:
    assert [ask("GET", URL, version=version).status for version in ("1.27", "1.28")] == [404, 200]
