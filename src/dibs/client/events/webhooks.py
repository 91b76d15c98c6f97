"""Webhooks: URLs to which Dibs posts events."""

from typing import Any

from openstack import exceptions, proxy

from dibs.client.arguments import Names, names_in
from dibs.client.errors import dibs_errors

PAGE = 1_000

Documents = list[dict[str, Any]]


class Webhooks:
    """The calls of ``dibs.webhooks``. A webhook and a delivery are dictionaries, as the API shows them."""

    def __init__(self, service: proxy.Proxy) -> None:
        self._service = service

    @dibs_errors()
    def create(
        self, url: str, *, types: Names = (), project: str | None = None, all_projects: bool = False
    ) -> dict[str, Any]:
        """Send events of the caller's project to a URL; return the webhook with its secret, which is shown once."""
        body: dict[str, Any] = {"url": url, "types": names_in("types", types)}
        if project is not None or all_projects:
            body["project"] = None if all_projects else project
        return self._read(self._service.post("/webhooks", json=body))

    @dibs_errors()
    def list(self) -> Documents:
        """Return the webhooks that the caller sees, the oldest first."""
        found: Documents = []
        while True:
            marker = {"marker": found[-1]["uuid"]} if found else {}
            document = self._read(self._service.get("/webhooks", params={"limit": str(PAGE), **marker}))
            found += document["webhooks"]
            if "next" not in document:
                return found

    @dibs_errors()
    def get(self, webhook: str) -> dict[str, Any]:
        """Return a webhook by its uuid."""
        return self._read(self._service.get(f"/webhooks/{webhook}"))

    @dibs_errors()
    def enable(self, webhook: str) -> dict[str, Any]:
        """Enable a webhook that was disabled because its receiver failed; return it."""
        return self._read(self._service.post(f"/webhooks/{webhook}/enable", json={}))

    @dibs_errors()
    def delete(self, webhook: str) -> None:
        """Delete a webhook."""
        exceptions.raise_from_response(self._service.delete(f"/webhooks/{webhook}"))

    @dibs_errors()
    def deliveries(self, webhook: str, *, state: str | None = None, limit: int = 100) -> Documents:
        """Return deliveries of a webhook, the newest first, at most ``limit``; only those in a state if it is given."""
        query = {"state": state} if state is not None else {}
        found: Documents = []
        while len(found) < limit:
            marker = {"marker": str(found[-1]["id"])} if found else {}
            page = {**query, **marker, "limit": str(min(limit - len(found), PAGE))}
            document = self._read(self._service.get(f"/webhooks/{webhook}/deliveries", params=page))
            found += document["deliveries"]
            if "next" not in document:
                break
        return found

    def _read(self, answer: Any) -> dict[str, Any]:
        exceptions.raise_from_response(answer)
        document: dict[str, Any] = answer.json()
        return document
