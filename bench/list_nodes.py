"""Enrolling many nodes, and listing all of them with their traits in pages of 1,000."""

import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from bench.measured import Measured

PAGE = 1000
TRAITS = [f"CUSTOM_BENCH_{number}" for number in range(5)]


class Client:
    """One connection that is kept open."""

    def __init__(self, url: str) -> None:
        self.connection = HTTPConnection(urlsplit(url).netloc)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Send one request; give the parsed answer; anything but success ends the run."""
        headers = {"X-OpenStack-Ironic-API-Version": "1.37", "Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text) if text else None


def list_nodes(url: str, nodes: int) -> list[Measured]:
    """Enrol the nodes one by one, then list them all."""
    client = Client(url)
    started = time.perf_counter()
    for number in range(nodes):
        client.ask("POST", "/baremetal/v1/nodes", {"driver": "fake-hardware", "name": f"bench-{number}"})
        client.ask("PUT", f"/baremetal/v1/nodes/bench-{number}/traits", {"traits": TRAITS})
    enrolled = time.perf_counter()
    listed = sum(len(page) for page in pages(client))
    done = time.perf_counter()
    if listed != nodes:
        raise SystemExit(f"{listed} nodes were listed, not {nodes}")
    return [
        Measured("enrol a node and set 5 traits", nodes / (enrolled - started), "nodes/s"),
        Measured(f"list uuid and traits, pages of {PAGE}", nodes / (done - enrolled), "nodes/s"),
    ]


def pages(client: Client) -> Iterator[list[Any]]:
    """Follow the links from page to page."""
    path: str | None = f"/baremetal/v1/nodes?fields=uuid,traits&limit={PAGE}"
    while path:
        page = client.ask("GET", path)
        yield page["nodes"]
        following = urlsplit(page.get("next", ""))
        path = f"{following.path}?{following.query}" if following.path else None
