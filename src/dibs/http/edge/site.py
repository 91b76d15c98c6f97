"""The public paths outside every dialect: discovery at "/", health, metrics and the OpenAPI document."""

import asyncio
import concurrent.futures
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from dibs.http.edge import metrics
from dibs.http.failures import plain_failure
from dibs.http.messages import Dialect, Response
from dibs.http.openapi import build_document

LOG = logging.getLogger(__name__)

READY_TIMEOUT_SECONDS = 5
MEASURE_TIMEOUT_SECONDS = 5
"""Prometheus gives up after 10 seconds."""
_JSON = (("content-type", "application/json"),)

Page = Callable[[str], Awaitable[Response]]
"""Answers GET of one path; the argument is the origin that the client used."""


class Site:
    """Answers paths outside the mounts on the event loop, so that they do not wait for the pool."""

    def __init__(
        self, dialects: Sequence[Dialect], ready: Callable[[], list[str]], site_metrics: Callable[[], bytes]
    ) -> None:
        self._dialects = dialects
        self._ready = ready
        self._site_metrics = site_metrics
        self._document: bytes | None = None
        # Separate threads, so that a server whose pool is full can still report its health and its metrics.
        self._prober = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="ready")
        self._probe: asyncio.Future[list[str]] | None = None
        self._measurer = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="metrics")
        self._measurement: asyncio.Future[bytes] | None = None
        self._pages: dict[str, Page] = {
            "/": self._discovery,
            "/livez": self._alive,
            "/readyz": self._health,
            "/healthcheck": self._health,
            "/metrics": self._metrics,
            "/openapi.json": self._openapi,
        }

    def close(self) -> None:
        """Stop checking readiness and measuring, without waiting for what hangs."""
        self._prober.shutdown(wait=False)
        self._measurer.shutdown(wait=False)

    async def answer(self, method: str, path: str, origin: str) -> Response:
        """Answer one request."""
        page = self._pages.get(path.rstrip("/") or "/")
        if page is None:
            return plain_failure(404, "This path does not exist. See / for the available APIs.")
        if method not in ("GET", "HEAD"):
            return plain_failure(405, f"{path} supports only GET and HEAD.", (("allow", "GET, HEAD"),))
        return await page(origin)

    async def _discovery(self, origin: str) -> Response:
        """Return the mounts of the dialects. The ids are numbers, because keystoneauth fails on other ids."""
        versions = [
            {
                "id": "v1",
                "status": "CURRENT",
                "service": dialect.mount.removeprefix("/"),
                "name": dialect.title,
                "links": [{"rel": "self", "href": f"{origin}{dialect.mount}"}],
            }
            for dialect in self._dialects
        ]
        document = {
            "name": "Dibs",
            "description": "Which machine may I have, and when?",
            "versions": versions,
            "links": [{"rel": "describedby", "href": f"{origin}/openapi.json"}],
        }
        return Response(200, json.dumps(document).encode(), (*_JSON, ("vary", "accept")))

    async def _alive(self, origin: str) -> Response:
        return _json(200, {"status": "ok"})

    async def _health(self, origin: str) -> Response:
        reasons = await self._reasons()
        if reasons:
            return _json(503, {"status": "unavailable", "reasons": reasons})
        return _json(200, {"status": "ok"})

    async def _reasons(self) -> list[str]:
        """Return the reasons against readiness; requests during a check share its result."""
        if self._probe is None or self._probe.done():
            self._probe = asyncio.get_running_loop().run_in_executor(self._prober, self._check)
        try:
            return await asyncio.wait_for(asyncio.shield(self._probe), READY_TIMEOUT_SECONDS)
        except TimeoutError:
            return [f"the readiness check did not finish within {READY_TIMEOUT_SECONDS} seconds"]

    def _check(self) -> list[str]:
        try:
            return self._ready()
        except Exception:
            LOG.exception("The readiness check failed.")
            return ["the readiness check failed; see the log"]

    async def _metrics(self, origin: str) -> Response:
        """Return the metrics of this server and those of the site; without a database, only the former."""
        if self._measurement is None or self._measurement.done():
            self._measurement = asyncio.get_running_loop().run_in_executor(self._measurer, self._measure)
        site = b""
        with contextlib.suppress(TimeoutError):
            site = await asyncio.wait_for(asyncio.shield(self._measurement), MEASURE_TIMEOUT_SECONDS)
        return Response(200, metrics.exposition() + site, (("content-type", metrics.CONTENT_TYPE),))

    def _measure(self) -> bytes:
        try:
            return self._site_metrics()
        except Exception:
            LOG.exception("The figures of the site could not be read.")
            return b""

    async def _openapi(self, origin: str) -> Response:
        if self._document is None:
            self._document = json.dumps(build_document(self._dialects)).encode()
        return Response(200, self._document, _JSON)


def _json(status: int, document: dict[str, Any]) -> Response:
    return Response(status, json.dumps(document).encode(), _JSON)
