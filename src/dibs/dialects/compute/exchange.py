"""One request on its way through a handler, with all that the handler may use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dibs.access.access import VisibleProjects, visible_projects
from dibs.database.runner import Runner
from dibs.dialects.compute.errors import bad_request
from dibs.dialects.compute.policy import Policy
from dibs.dialects.compute.schemas import Schema
from dibs.documents.json_body import UnusableJson, read_json
from dibs.documents.json_schema import find_mistake
from dibs.http.exchange import AnyExchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.machines.model.driver import Driver, check_settings
from dibs.machines.model.nodes import Node

__all__ = ["VERSION", "Exchange", "Handler", "Services", "empty_answer", "json_answer"]

VERSION = "v2.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the dialect was given when it was built."""

    runner: Runner
    drivers: Mapping[str, Driver]
    policy: Policy
    wake: Callable[[], None]
    """Tells the conductor of this process that there is work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(AnyExchange[Services]):
    """One request, its version and its path arguments."""

    minor: int

    @property
    def policy(self) -> Policy:
        """What callers may do."""
        return self.services.policy

    @property
    def visibility(self) -> VisibleProjects:
        """The projects whose private flavors the caller sees."""
        return visible_projects(self.actor, every=self.policy.is_admin(self.actor))

    def require(self, rule: str) -> None:
        """Refuse what a rule does not let the caller do in its own project."""
        self.policy.require(rule, self.actor)

    def body(self, schema: Schema) -> Any:
        """The body, checked."""
        try:
            value = read_json(self.request.body)
        except UnusableJson as error:
            raise bad_request(str(error)) from None
        mistake = find_mistake(schema, value)
        if mistake is not None:
            where = f" for field/attribute {mistake.place.rsplit('/', 1)[-1]}" if mistake.place else ""
            raise bad_request(f"Invalid input{where}. {mistake.message}")
        return value

    def query(self, name: str) -> str | None:
        """The value of a query parameter; of several the last one."""
        found = [value for key, value in self.request.query if key == name]
        return found[-1] if found else None

    def queries(self, name: str) -> tuple[str, ...]:
        """Every value of a query parameter."""
        return tuple(value for key, value in self.request.query if key == name)

    def url(self, *parts: str) -> str:
        """The address of a resource below the version."""
        return "/".join((self.request.base_url, VERSION, *parts))

    def links(self, *parts: str) -> list[dict[str, str]]:
        """The two links that every resource has. Quirk: the bookmark leaves out the version and leads nowhere."""
        bookmark = "/".join((self.request.base_url, *parts))
        return [{"rel": "self", "href": self.url(*parts)}, {"rel": "bookmark", "href": bookmark}]

    def checks(self, verb: str) -> Callable[[Node], None]:
        """Asks the driver of a node whether the node's settings allow a verb."""
        return lambda node: check_settings(self.services.drivers, node, verb)


Handler = Callable[[Exchange], Response]
