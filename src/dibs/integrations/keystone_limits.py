"""Read the unified limits of Keystone, which are the quotas of a site that keeps them there.

A thread reads all limits of the service every few seconds, so that no transaction waits for Keystone. oslo.limit does
not fit: it asks Keystone while it enforces, which would be inside of the transaction that books.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from dibs.extras import needs_extra
from dibs.quotas.model.errors import LimitsUnknown
from dibs.quotas.model.unified_limits import UnifiedLimits

with needs_extra("keystone", "Unified limits of Keystone"):
    from keystoneauth1 import exceptions, session
    from keystoneauth1.identity import v3

REFRESH_SECONDS = 15.0
"""How often the limits are read: so late a changed limit takes effect."""
KNOWN_SECONDS = 300.0
"""How long limits count after they were read last."""
TIMEOUT_SECONDS = 5.0
"""Time for Keystone to answer one request."""

FLAT = "flat"

logger = logging.getLogger(__name__)


class KeystoneLimits:
    """The limits of one service in one region. Any number of threads may ask for them."""

    def __init__(
        self,
        auth_url: str,
        *,
        username: str,
        password: str,
        user_domain: str,
        service: str,
        region: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # Keystone shows the limits of all projects only to a user with a role on the system.
        user = v3.Password(
            auth_url, username=username, password=password, user_domain_name=user_domain, system_scope="all"
        )
        self._session = session.Session(auth=user, timeout=TIMEOUT_SECONDS)
        self._url = auth_url.rstrip("/")
        self._service = service
        self._region = region or None
        self._clock = clock
        self._known: UnifiedLimits | None = None
        self._read_at = 0.0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Read the limits now and from time to time; a second start does nothing."""
        if self._thread is None:
            self._try_to_refresh()
            self._thread = threading.Thread(target=self._refresh_until_stopped, name="dibs-limits", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Read the limits no more."""
        self._stopping.set()

    def known(self) -> UnifiedLimits:
        """Return the limits as they were read last; raise LimitsUnknown when that is too long ago."""
        if self._known is None or self._clock() - self._read_at > KNOWN_SECONDS:
            raise LimitsUnknown
        return self._known

    def refresh(self) -> None:
        """Read all limits of the service."""
        read_at = self._clock()
        model = self._get("limits/model")["model"]["name"]
        if model != FLAT:
            raise ValueError(f"Keystone enforces limits by the model {model}; Dibs knows only {FLAT}")
        services = [each["id"] for each in self._get("services", name=self._service)["services"]]
        if len(services) != 1:
            raise ValueError(f"Keystone has {len(services)} services with the name {self._service}")
        defaults = {
            each["resource_name"]: each["default_limit"]
            for each in self._get("registered_limits", service_id=services[0])["registered_limits"]
            if each["region_id"] == self._region
        }
        projects: dict[str, dict[str, int]] = defaultdict(dict)
        for each in self._get("limits", service_id=services[0])["limits"]:
            if each["region_id"] == self._region and each["project_id"] is not None:
                projects[each["project_id"]][each["resource_name"]] = each["resource_limit"]
        self._known, self._read_at = UnifiedLimits(defaults=defaults, projects=projects), read_at

    def _get(self, path: str, **query: str) -> Any:
        answer = self._session.get(f"{self._url}/{path}", params=query).json()
        if answer.get("truncated"):
            # A project whose limits are cut off would have none.
            raise ValueError(f"Keystone shows only a part of {path}; raise list_limit in its configuration")
        return answer

    def _refresh_until_stopped(self) -> None:
        while not self._stopping.wait(REFRESH_SECONDS):
            self._try_to_refresh()

    def _try_to_refresh(self) -> None:
        try:
            self.refresh()
        except (exceptions.ClientException, ValueError, KeyError, TypeError) as error:
            logger.error("cannot read the limits of service %s from Keystone: %s", self._service, error)
        except Exception:
            logger.exception("cannot read the limits of service %s from Keystone", self._service)
