"""Maintenance: windows in which leases leave hosts free."""

from datetime import datetime
from typing import Any

from openstack import exceptions, proxy

from dibs.client.errors import dibs_errors


class Maintenance:
    """The calls of ``dibs.maintenance``. Each window is a dictionary as the API shows it."""

    def __init__(self, native: proxy.Proxy) -> None:
        self._native = native

    @dibs_errors()
    def plan(
        self, nodes: str, seconds: int, *, before: datetime | None = None, name: str | None = None, apply: bool = False
    ) -> dict[str, Any]:
        """Return the window that moves the fewest leases off the hosts that match a pattern; ``apply`` books it."""
        given = {"before": None if before is None else before.isoformat(), "name": name}
        body = {"nodes": nodes, "seconds": seconds, "apply": apply}
        answer = self._native.post("/maintenance", json=body | {key: each for key, each in given.items() if each})
        exceptions.raise_from_response(answer)
        document: dict[str, Any] = answer.json()
        return document

    @dibs_errors()
    def list(self) -> list[dict[str, Any]]:
        """List maintenance that has not ended, the first to begin first."""
        answer = self._native.get("/maintenance")
        exceptions.raise_from_response(answer)
        found: list[dict[str, Any]] = answer.json()["maintenance"]
        return found

    @dibs_errors()
    def delete(self, uuid: str) -> None:
        """Cancel maintenance, or end it."""
        exceptions.raise_from_response(self._native.delete(f"/maintenance/{uuid}"))
