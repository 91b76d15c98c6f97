"""Requests that create flavors."""

from typing import Any

from tests.dialects.compute.conversation import Answer, Conversation

SMALL = {"name": "small", "ram": 512, "vcpus": 1, "disk": 10}


def create(ask: Conversation, version: str = "2.61", is_public: bool | None = None, **more: Any) -> Answer:
    """Create a small flavor, with other values where the test gives them."""
    access = {} if is_public is None else {"os-flavor-access:is_public": is_public}
    return ask("POST", "/v2.1/flavors", {"flavor": {**SMALL, **access, **more}}, version=version)
