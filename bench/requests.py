"""The measured requests, one entry each. Different clients use different nodes."""

import json
import socket
import uuid
from collections.abc import Mapping

from bench.load import Request, ask, encode
from tests.fleet import uuid_of

V1 = "/baremetal/v1"


def _own_node(client: int) -> str:
    return f"{V1}/nodes/{uuid_of(client)}"


def _patch(client: int, turn: int) -> bytes:
    body = json.dumps([{"op": "add", "path": "/extra/turn", "value": turn}])
    return encode("PATCH", _own_node(client), body.encode())


def _create(client: int, turn: int) -> bytes:
    body = {"driver": "fake-hardware", "uuid": str(uuid.uuid4()), "resource_class": "bench"}
    return encode("POST", f"{V1}/nodes", json.dumps(body).encode())


REQUESTS: Mapping[str, Request] = {
    "GET /livez": lambda client, turn: encode("GET", "/livez"),
    "GET one node": lambda client, turn: encode("GET", f"{V1}/nodes/{uuid_of((client * 97 + turn) % 10_000)}"),
    "GET one node, 2 fields": lambda client, turn: encode("GET", f"{_own_node(client)}?fields=uuid,name"),
    "GET traits of a node": lambda client, turn: encode("GET", f"{_own_node(client)}/traits"),
    "GET 100 nodes": lambda client, turn: encode("GET", f"{V1}/nodes?limit=100"),
    "GET 100 nodes, detail": lambda client, turn: encode("GET", f"{V1}/nodes/detail?limit=100"),
    "GET 100 by two traits": lambda client, turn: encode(
        "GET", f"{V1}/nodes?limit=100&traits=CUSTOM_7,HW_CPU_X86_VMX&fields=uuid"
    ),
    "PUT a trait": lambda client, turn: encode("PUT", f"{_own_node(client)}/traits/CUSTOM_{turn % 40}"),
    "PATCH a node": _patch,
    "POST a node": _create,
}
"""The first entry is the reference for the others."""


def prepare(port: int) -> None:
    """Send each request once, so that compiling statements and opening connections is not measured."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        for name, request in REQUESTS.items():
            status, body = ask(connection, request(0, 0))
            if status >= 300:
                raise RuntimeError(f"{name}: {status} {body[:300]!r}")
