"""One request on its way through a handler, with all that the handler may use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dibs.access.lease_policy import LeasePolicy
from dibs.database.runner import Runner
from dibs.dialects.reservation.errors import bad_request
from dibs.documents.json_body import UnusableJson, read_json
from dibs.http.exchange import AnyExchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.integrations.flavors import FindFlavor
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.enforcement import Enforcement

__all__ = ["Exchange", "Handler", "Services", "empty_answer", "json_answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the dialect was given when it was built."""

    runner: Runner
    policy: LeasePolicy
    rules: LeaseRules
    """What the operator decided about all leases."""
    find_flavor: FindFlavor | None
    """Looks up the flavors that an external compute service keeps; None when Dibs keeps them."""
    enforcement: Enforcement | None
    """Has a say in leases."""
    wake: Callable[[], None]
    """Lets the conductor of this process look at once whether something is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(AnyExchange[Services]):
    """One request and its path arguments."""

    @property
    def query(self) -> Mapping[str, str]:
        """The query by name; of a parameter that is sent twice, the first counts."""
        found: dict[str, str] = {}
        for name, value in self.request.query:
            found.setdefault(name, value)
        return found

    def body(self) -> dict[str, Any]:
        """The body, which is an object; none at all is an empty one."""
        if not self.request.body.strip():
            return {}
        try:
            value = read_json(self.request.body)
        except UnusableJson as error:
            raise bad_request(str(error)) from None
        if not isinstance(value, dict):
            raise bad_request("The request body must be a JSON object.")
        return value


Handler = Callable[[Exchange], Response]
