"""One request in a handler, with everything that the handler may use."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from dibs.access.access import VisibleProjects, visible_projects
from dibs.access.compute_policy import ComputePolicy
from dibs.database.runner import Runner
from dibs.dialects.compute.errors import Refusal, bad_request
from dibs.dialects.compute.schemas import Schema
from dibs.documents.json_body import UnusableJson, read_json
from dibs.documents.json_schema import find_mistake
from dibs.http.exchange import AnyExchange, empty_answer, json_answer
from dibs.http.messages import Response

__all__ = ["VERSION", "Exchange", "Handler", "Services", "empty_answer", "json_answer"]

VERSION = "v2.1"


class Services(Struct, frozen=True, kw_only=True):
    """The objects that the wiring passes to the dialect."""

    runner: Runner
    policy: ComputePolicy
    wake: Callable[[], None]
    """Wakes the conductor of this process for new work."""


class Exchange(AnyExchange[Services], frozen=True, kw_only=True):
    """One request, its version and its path arguments."""

    minor: int

    @property
    def visibility(self) -> VisibleProjects:
        """The projects whose private flavors the caller sees."""
        return visible_projects(self.actor, every=self.services.policy.is_admin(self.actor))

    def allows(self, rule: str, project: str | None = None) -> bool:
        """Return True when the caller may do this to an object of the project, by default its own."""
        target = {"project_id": project or self.actor.project, "user_id": self.actor.user}
        return self.access.allows(rule, {name: value for name, value in target.items() if value})

    def require(self, rule: str) -> None:
        """Refuse a caller that may not do this in its own project."""
        if not self.allows(rule):
            raise Refusal(403, f"Policy doesn't allow {rule} to be performed.")

    def body(self, schema: Schema) -> Any:
        """Return the body of the request; refuse one that does not match the schema."""
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
        """Return the last value of a query parameter; None when there is none."""
        found = [value for key, value in self.request.query if key == name]
        return found[-1] if found else None

    def queries(self, name: str) -> tuple[str, ...]:
        """Return every value of a query parameter."""
        return tuple(value for key, value in self.request.query if key == name)

    def url(self, *parts: str) -> str:
        """Return the URL of a resource below the version."""
        return "/".join((self.request.base_url, VERSION, *parts))

    def links(self, *parts: str) -> list[dict[str, str]]:
        """Return the two links of a resource. Quirk: Nova's bookmark leaves out the version and leads nowhere."""
        bookmark = "/".join((self.request.base_url, *parts))
        return [{"rel": "self", "href": self.url(*parts)}, {"rel": "bookmark", "href": bookmark}]


Handler = Callable[[Exchange], Response]
