"""One request in a handler, with everything that the handler may use."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from dibs.access.lease_policy import LeasePolicy
from dibs.database.runner import Runner
from dibs.dialects.reservation.errors import bad_request
from dibs.documents.json_body import UnusableJson, read_json
from dibs.documents.json_schema import ITEMS_MAX
from dibs.http.exchange import AnyExchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.integrations.flavors import FindFlavor
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.enforcement import Enforcement

__all__ = ["Exchange", "Handler", "Services", "empty_answer", "json_answer"]


class Services(Struct, frozen=True, kw_only=True):
    """The services that the handlers of this dialect use."""

    runner: Runner
    policy: LeasePolicy
    rules: LeaseRules
    """The operator's settings for all leases."""
    find_flavor: FindFlavor | None
    """Looks up the flavors that an external compute service keeps; None when Dibs keeps them."""
    enforcement: Enforcement | None
    """Approves new and changed leases; None when the site has no enforcement service."""
    wake: Callable[[], None]
    """Wakes the conductor of this process, so that it runs due events at once."""


class Exchange(AnyExchange[Services], frozen=True, kw_only=True):
    """One request and its path arguments."""

    @property
    def query(self) -> Mapping[str, str]:
        """The query parameters by name; the first value of a repeated parameter counts."""
        found: dict[str, str] = {}
        for name, value in self.request.query:
            found.setdefault(name, value)
        return found

    def body(self) -> dict[str, Any]:
        """Return the body, which must be a JSON object; an empty body counts as an empty object."""
        if not self.request.body.strip():
            return {}
        try:
            value = read_json(self.request.body)
        except UnusableJson as error:
            raise bad_request(str(error)) from None
        if not isinstance(value, dict):
            raise bad_request("The request body must be a JSON object.")
        if len(value) > ITEMS_MAX:
            raise bad_request(f"The request body has more than {ITEMS_MAX} entries.")
        return value


Handler = Callable[[Exchange], Response]
