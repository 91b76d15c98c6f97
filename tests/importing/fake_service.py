"""A service in memory: documents by path, and a record of the writes."""

from collections.abc import Callable, Iterator
from typing import Any

from dibs.importing.service import Refused


class FakeService:
    """Stands in for ``dibs.importing.Service``.

    ``on_write`` can change the documents as the real service would; it returns the body of the response.
    """

    url = "http://service"

    def __init__(
        self,
        documents: dict[str, Any] | None = None,
        on_write: Callable[[str, str, Any], Any] | None = None,
        version: tuple[int, int] = (1, 99),
    ) -> None:
        self.documents = documents or {}
        self.on_write = on_write or (lambda method, path, body: None)
        self.version = version
        self.writes: list[tuple[str, str, Any]] = []
        self.owners: list[Any] = []

    def find(self, path: str, **query: str) -> Any:
        return self.documents.get(path)

    def get(self, path: str, **query: str) -> Any:
        if path not in self.documents:
            raise Refused(404, f"no {path}")
        return self.documents[path]

    def pages(self, path: str, noun: str, **query: str) -> Iterator[Any]:
        yield from self.get(path)[noun]

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        self.writes.append((method, path, body))
        self.owners.append(options.get("owner"))
        return self.on_write(method, path, body)


def refuse(method: str, path: str, body: Any) -> Any:
    """Refuse every write."""
    raise Refused(409, "no")
