"""Shares: the weight of each project in the order of the queue."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from openstack import exceptions, proxy

from dibs.client.errors import dibs_errors


class Shares:
    """The calls of ``dibs.shares``. A share is a dictionary as the API shows it."""

    def __init__(self, native: proxy.Proxy) -> None:
        self._native = native

    @dibs_errors()
    def list(self) -> Iterator[dict[str, Any]]:
        """List the shares of all projects that the caller may see, in the order of the projects."""
        found: list[dict[str, Any]] = []
        while True:
            answer = self._native.get("/shares", params={"marker": found[-1]["project"]} if found else {})
            exceptions.raise_from_response(answer)
            document = answer.json()
            found += document["shares"]
            if "next" not in document:
                return iter(found)

    @dibs_errors()
    def set(self, project: str, weight: int) -> dict[str, Any]:
        """Set the weight of a project."""
        answer = self._native.put(_path(project), json={"weight": weight})
        exceptions.raise_from_response(answer)
        document: dict[str, Any] = answer.json()
        return document

    @dibs_errors()
    def unset(self, project: str) -> None:
        """Reset the weight of a project to the default."""
        exceptions.raise_from_response(self._native.delete(_path(project)))


def _path(project: str) -> str:
    return f"/shares/{quote(project, safe='')}"
