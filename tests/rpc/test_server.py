"""The RPC server of a conductor: which bodies and proofs it accepts."""

import http.client
import json

import pytest

from dibs.rpc.signing import prove_call
from tests.builders import FIRST_INSTANT
from tests.rpc.rpc_server import SECRET, rpc_server


@pytest.fixture
def url():
    with rpc_server() as url:
        yield url


def post(url, body, headers):
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=10)
    connection.request("POST", "/rpc", body, {"content-type": "application/json", **headers})
    response = connection.getresponse()
    answer = response.status, json.loads(response.read())
    connection.close()
    return answer


def test_recorded_call_is_refused_the_second_time(url):
    body = json.dumps({"jsonrpc": "2.0", "method": "echo", "params": {"actor": {"roles": []}}, "id": 7}).encode()
    headers = prove_call(SECRET, "life-1", FIRST_INSTANT, body).headers()
    status, answer = post(url, body, headers)
    assert (status, answer["jsonrpc"], answer["id"], answer["result"]["params"]) == (200, "2.0", 7, {})
    assert post(url, body, headers)[0] == 401


def test_call_without_a_proof_is_refused(url):
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
def test_invalid_body_gets_its_json_rpc_code(url, body, code):
    status, answer = post(url, body, prove_call(SECRET, "life-1", FIRST_INSTANT, body).headers())
    assert (status, answer["error"]["code"]) == (200, code)
