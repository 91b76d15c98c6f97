"""Call the enforcement service over HTTP: before a lease is created or updated, and after it has ended.

Requests and answers are those of Blazar's filter for an external service: 204 approves, 403 with a ``message`` refuses
with that text, and every other answer, or none, refuses.
"""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from dibs.leases.model.documents import LeaseChangeDocument, LeaseDocument
from dibs.leases.model.errors import LeaseRefused

ANSWER_LENGTH_MAX = 65_536
MESSAGE_LENGTH_MAX = 1_000

logger = logging.getLogger(__name__)


class EnforcementUnreachable(Exception):
    """The service did not take a notification, which has to be sent again."""


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: a redirect neither approves nor refuses."""

    def redirect_request(self, *arguments: Any) -> None:
        """Do not follow."""


class HttpEnforcement:
    """The Enforcement of a service that is called over HTTP."""

    def __init__(
        self, url: str, *, token: str = "", timeout_seconds: float = 10, auth_url: str = "", region: str = ""
    ) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Content-Type": "application/json", "X-Auth-Token": token}
        self._timeout_seconds = timeout_seconds
        self._cloud = {"auth_url": auth_url, "region_name": region}
        self._opener = build_opener(_NoRedirects)

    def check_create(self, lease: LeaseDocument) -> None:
        """See Enforcement."""
        self._check("check-create", lease, {})

    def check_update(self, change: LeaseChangeDocument) -> None:
        """See Enforcement."""
        self._check("check-update", change.lease, {"current_lease": change.current})

    def notify_end(self, lease: LeaseDocument) -> None:
        """See Enforcement. Every answer below 500 counts as received."""
        try:
            status, _ = self._post("on-end", lease, {})
        except OSError as error:
            raise EnforcementUnreachable(f"The enforcement service cannot be reached: {error}") from error
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise EnforcementUnreachable(f"The enforcement service answered {status}.")
        if status != HTTPStatus.NO_CONTENT:
            logger.warning("the enforcement service answered %d to the end of lease %s", status, lease.get("id"))

    def _check(self, verb: str, lease: LeaseDocument, more: Mapping[str, Any]) -> None:
        try:
            status, answer = self._post(verb, lease, more)
        except OSError as error:
            logger.error("the enforcement service cannot be reached, so a lease was refused: %s", error)
            raise LeaseRefused(
                reason="The lease was refused because the enforcement service cannot be reached."
            ) from error
        if status == HTTPStatus.NO_CONTENT:
            return
        message = _message(answer) if status == HTTPStatus.FORBIDDEN else None
        if message is None:
            logger.error("the enforcement service answered %d, so a lease was refused: %.200r", status, answer)
            message = f"The lease was refused because the enforcement service answered {status} without a reason."
        raise LeaseRefused(reason=message)

    def _post(self, verb: str, lease: LeaseDocument, more: Mapping[str, Any]) -> tuple[int, bytes]:
        """Send a request; return the status and body of the answer. Raise OSError when there is none."""
        context = {"user_id": lease["user_id"], "project_id": lease["project_id"], **self._cloud}
        body = json.dumps({"context": context, **more, "lease": lease}).encode()
        # The settings take no other schemes than HTTP's.
        request = Request(f"{self._url}/{verb}", data=body, headers=self._headers, method="POST")  # noqa: S310
        try:
            with self._opener.open(request, timeout=self._timeout_seconds) as answer:
                return answer.status, answer.read(ANSWER_LENGTH_MAX)
        except HTTPError as error:
            with error:
                return error.code, error.read(ANSWER_LENGTH_MAX)
        except HTTPException as error:
            raise OSError(f"the answer is not valid HTTP: {error!r}") from error


def _message(answer: bytes) -> str | None:
    """Return the message of an answer; None when it has none."""
    try:
        document = json.loads(answer)
    except ValueError:
        return None
    message = document.get("message") if isinstance(document, dict) else None
    return message[:MESSAGE_LENGTH_MAX] if isinstance(message, str) else None
