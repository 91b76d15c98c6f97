"""Calendars: secret URLs that calendar programs subscribe to."""

from typing import Any

from openstack import exceptions, proxy

from dibs.client.errors import dibs_errors

PAGE = 1_000

Documents = list[dict[str, Any]]


class Calendars:
    """The calls of ``dibs.calendars``. A calendar is a dictionary, as the API shows it."""

    def __init__(self, service: proxy.Proxy) -> None:
        self._service = service

    @dibs_errors()
    def create(
        self, *, project: str | None = None, all_projects: bool = False, mine: bool = False, node: str | None = None
    ) -> dict[str, Any]:
        """Create a calendar of the caller's project; return it with its URL, which is shown once."""
        body: dict[str, Any] = {"mine": mine} if node is None else {"mine": mine, "node": node}
        if project is not None or all_projects:
            body["project"] = None if all_projects else project
        return self._read(self._service.post("/calendars", json=body))

    @dibs_errors()
    def list(self) -> Documents:
        """Return the calendars that the caller sees, the oldest first."""
        found: Documents = []
        while True:
            marker = {"marker": found[-1]["uuid"]} if found else {}
            document = self._read(self._service.get("/calendars", params={"limit": str(PAGE), **marker}))
            found += document["calendars"]
            if "next" not in document:
                return found

    @dibs_errors()
    def delete(self, calendar: str) -> None:
        """Delete a calendar, so that its URL shows nothing any more."""
        exceptions.raise_from_response(self._service.delete(f"/calendars/{calendar}"))

    def _read(self, answer: Any) -> dict[str, Any]:
        exceptions.raise_from_response(answer)
        document: dict[str, Any] = answer.json()
        return document
