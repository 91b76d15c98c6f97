"""Requests that launch and show servers."""

from typing import Any

from dibs.dialects.compute.handlers.images import IMAGE_ID
from tests.dialects.compute.conversation import MEMBER, Answer, Conversation


def launch(ask: Conversation, flavor: str, version: str = "2.61", actor: Any = MEMBER, **more: Any) -> Answer:
    """Send the request that launches a server."""
    hints = more.pop("hints", None)
    server = {"name": "s", "flavorRef": flavor, "imageRef": IMAGE_ID, **more}
    if float(version.split(".")[1]) >= 37:
        server.setdefault("networks", "none")
    body = {"server": server} | ({"os:scheduler_hints": hints} if hints else {})
    return ask("POST", "/v2.1/servers", body, version=version, actor=actor)


def launched(ask: Conversation, flavor: str, **more: Any) -> str:
    """Launch a server and return its uuid."""
    answer = launch(ask, flavor, **more)
    assert answer.status == 202, answer.body
    uuid: str = answer.json["server"]["id"]
    assert answer.headers["location"].endswith(f"/v2.1/servers/{uuid}")
    return uuid


def shown(ask: Conversation, uuid: str, version: str = "2.61", actor: Any = MEMBER) -> Any:
    """Return the document of a server."""
    answer = ask("GET", f"/v2.1/servers/{uuid}", version=version, actor=actor)
    assert answer.status == 200, answer.body
    return answer.json["server"]
