"""The APIs of a Dibs server over plain HTTP, for the demo."""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

WAIT_SECONDS = 120
VERSION = "1.80"


class DemoFailed(Exception):
    """The demo cannot continue; the message says why."""


class Refused(Exception):
    """The server refused a request, with a status and a reason."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(reason)


@dataclass(frozen=True)
class Api:
    """The APIs of a server."""

    url: str

    def call(
        self, method: str, path: str, body: Any = None, *, api: str = "/baremetal/v1", project: str | None = None
    ) -> Any:
        """Send one request, as a member of a project if there is one; return the response, or raise Refused."""
        headers = {"X-OpenStack-Ironic-API-Version": VERSION, "Content-Type": "application/json"}
        if project is not None:
            headers |= {"X-Project-Id": project, "X-User-Id": f"{project}-user", "X-Roles": "member,reader"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{api}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, _reason(error.read())) from None
        except urllib.error.URLError as error:
            raise DemoFailed(f"Cannot connect to {self.url}: {error.reason}") from None
        return json.loads(text) if text else None

    def node(self, name: str) -> Any:
        """Return a node."""
        return self.call("GET", f"/nodes/{name}")

    def provision(self, name: str, verb: str) -> None:
        """Send a provision verb."""
        self.call("PUT", f"/nodes/{name}/states/provision", {"target": verb})

    def wait(self, name: str, *states: str) -> Any:
        """Poll until the node is in one of the states and unlocked; return it."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            node = self.node(name)
            if node["provision_state"] in states and node["reservation"] is None:
                return node
            if time.monotonic() > deadline:
                raise DemoFailed(
                    f"{name} is still {node['provision_state']} after {WAIT_SECONDS} s, not {' or '.join(states)}"
                )
            time.sleep(0.05)


def _reason(body: bytes) -> str:
    """Return the message of an error of the bare-metal or reservation API; the former is JSON in a JSON string."""
    try:
        message = json.loads(body)["error_message"]
    except (ValueError, KeyError, TypeError):
        return body.decode(errors="replace")
    try:
        return str(json.loads(message)["faultstring"])
    except (ValueError, KeyError, TypeError):
        return str(message)
