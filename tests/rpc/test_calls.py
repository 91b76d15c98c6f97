"""A caller and a conductor's server over real HTTP."""

import http.client
import json

import pytest

from dibs.access.actor import Actor
from dibs.machines.model.errors import NodeLocked
from dibs.rpc.client import Caller, NoAnswer
from dibs.rpc.server import Calls
from dibs.rpc.signing import CallVerifier, prove_call
from tests.bed.processes import free_port
from tests.builders import FIRST_INSTANT, Clock
from tests.http.edge.echo_server import running_server

SECRET = "a secret of some length"
EVA = Actor(user="eva", project="p1", roles=frozenset({"member", "reader"}))


def echo(actor, params):
    return {"user": actor.user, "roles": sorted(actor.roles), "scope": actor.system_scope, "params": params}


def refuse(actor, params):
    raise NodeLocked(node="n1", host="c1")


def demand(actor, params):
    return params["missing"]


PROCEDURES = {"echo": echo, "refuse": refuse, "demand": demand}


@pytest.fixture
def life():
    """The incarnation of the conductor; empty it to unregister."""
    return ["life-1"]


@pytest.fixture
def url(life):
    clock = Clock()
    calls = Calls(PROCEDURES, incarnation=lambda: life[0], verifier=CallVerifier(SECRET, clock), secret=SECRET)
    with running_server(dialect=calls) as server:
        yield f"{server.url}/rpc"


def caller(secret=SECRET):
    return Caller(secret, lambda: FIRST_INSTANT, timeout_seconds=10)


def test_a_call_carries_the_actor_and_the_parameters(url):
    result = caller().call(url, "life-1", "echo", EVA, word="gold")
    assert result == {"user": "eva", "roles": ["member", "reader"], "scope": False, "params": {"word": "gold"}}


def test_a_refusal_is_raised_as_it_was_met(url):
    with pytest.raises(NodeLocked) as met:
        caller().call(url, "life-1", "refuse", EVA)
    assert met.value.details == {"node": "n1", "host": "c1"}


def test_a_caller_without_the_secret_is_not_heard(url):
    with pytest.raises(NoAnswer, match="401") as met:
        caller("not the secret").call(url, "life-1", "echo", EVA)
    assert not met.value.maybe_carried_out


def test_a_call_to_a_former_life_is_not_heard(url, life):
    life[0] = "life-2"
    with pytest.raises(NoAnswer, match="401"):
        caller().call(url, "life-1", "echo", EVA)


def test_a_conductor_that_is_not_registered_takes_no_calls(url, life):
    life[0] = None
    with pytest.raises(NoAnswer, match="503") as met:
        caller().call(url, "life-1", "echo", EVA)
    assert not met.value.maybe_carried_out


def test_who_stops_in_the_middle_may_have_heard():
    class Stops(Calls):
        def answer(self, request):
            return self.refuse(request, 503, "The server stops before this request was finished.")

    calls = Stops({}, incarnation=lambda: "life-1", verifier=CallVerifier(SECRET, Clock()), secret=SECRET)
    with running_server(dialect=calls) as server, pytest.raises(NoAnswer, match="503") as met:
        caller().call(f"{server.url}/rpc", "life-1", "echo", EVA)
    assert met.value.maybe_carried_out


def test_nobody_there_is_known_not_to_have_heard():
    with pytest.raises(NoAnswer, match="cannot be reached") as met:
        caller().call(f"http://127.0.0.1:{free_port()}/rpc", "life-1", "echo", EVA)
    assert not met.value.maybe_carried_out


@pytest.mark.parametrize(("method", "complaint"), [("nonsense", "nonsense does not exist"), ("demand", "KeyError")])
def test_what_cannot_be_carried_out_is_told(url, method, complaint):
    with pytest.raises(NoAnswer, match=complaint):
        caller().call(url, "life-1", method, EVA)


def post(url, body, headers):
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=10)
    connection.request("POST", "/rpc", body, {"content-type": "application/json", **headers})
    response = connection.getresponse()
    answer = response.status, json.loads(response.read())
    connection.close()
    return answer


def test_a_recorded_call_cannot_be_played_again(url):
    body = json.dumps({"jsonrpc": "2.0", "method": "echo", "params": {"actor": {"roles": []}}, "id": 7}).encode()
    headers = prove_call(SECRET, "life-1", FIRST_INSTANT, body).headers()
    status, answer = post(url, body, headers)
    assert (status, answer["jsonrpc"], answer["id"], answer["result"]["params"]) == (200, "2.0", 7, {})
    assert post(url, body, headers)[0] == 401


def test_a_call_without_any_proof_is_refused(url):
    assert post(url, b"{}", {})[0] == 401


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "1.0", "method": "echo", "params": {}, "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "method": "echo", "params": {}}', -32600),
        (b'{"jsonrpc": "2.0", "method": "none", "params": {}, "id": 1}', -32601),
        (b'{"jsonrpc": "2.0", "method": "echo", "params": {}, "id": 1}', -32602),
    ],
)
def test_signed_rubbish_gets_the_code_that_json_rpc_has_for_it(url, body, code):
    status, answer = post(url, body, prove_call(SECRET, "life-1", FIRST_INSTANT, body).headers())
    assert (status, answer["error"]["code"]) == (200, code)


def test_an_answer_of_somebody_else_is_not_believed():
    stranger = Calls(
        PROCEDURES, incarnation=lambda: "life-1", verifier=CallVerifier(SECRET, Clock()), secret="another secret"
    )
    with running_server(dialect=stranger) as server, pytest.raises(NoAnswer, match="valid signature"):
        caller().call(f"{server.url}/rpc", "life-1", "echo", EVA)
