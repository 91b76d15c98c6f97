"""Quotas: how much of the nodes each project may have."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from openstack import exceptions, proxy

from dibs.client.errors import dibs_errors


class Quotas:
    """The calls of ``dibs.quotas``. A quota is a dictionary as the API shows it."""

    def __init__(self, native: proxy.Proxy) -> None:
        self._native = native

    @dibs_errors()
    def list(self) -> Iterator[dict[str, Any]]:
        """List the quotas of all projects that the caller may see, in the order of the projects."""
        found: list[dict[str, Any]] = []
        while True:
            answer = self._native.get("/quotas", params={"marker": found[-1]["project"]} if found else {})
            exceptions.raise_from_response(answer)
            document = answer.json()
            found += document["quotas"]
            if "next" not in document:
                return iter(found)

    @dibs_errors()
    def get(self, project: str) -> dict[str, Any]:
        """Return the quota of a project, and what the project uses of each limit."""
        return _quota(self._native.get(_path(project)))

    @dibs_errors()
    def set(self, project: str, *, resource_class: str | None = None, **limits: int | None) -> dict[str, Any]:
        """Set limits of a project for one class, or for all classes together; None removes a limit."""
        return _quota(self._native.put(_path(project), json={"resource_class": resource_class, **limits}))

    @dibs_errors()
    def unset(self, project: str, *, resource_class: str | None = None) -> None:
        """Remove the limits of a project: of one class, or all of them."""
        query = {} if resource_class is None else {"resource_class": resource_class}
        exceptions.raise_from_response(self._native.delete(_path(project), params=query))


def _path(project: str) -> str:
    return f"/quotas/{quote(project, safe='')}"


def _quota(answer: Any) -> dict[str, Any]:
    exceptions.raise_from_response(answer)
    document: dict[str, Any] = answer.json()
    return document
