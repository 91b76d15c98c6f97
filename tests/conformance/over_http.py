"""Replace the suite's own ``test_base``: create the objects of the suite's fixtures through the API."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.wire import MOUNT, send

HEADERS = {"X-Auth-Token": "admin", "X-Roles": "admin", "Content-Type": "application/json"}


class Api:
    """The server that the fixtures write to; set before a file's fixtures start."""

    url = ""

    @classmethod
    def call(cls, method: str, path: str, body: Any = None, version: str = "1.39") -> Any:
        """Send one request that must succeed, and return its body."""
        headers = {**HEADERS, "OpenStack-API-Version": f"placement {version}"}
        content = None if body is None else json.dumps(body)
        found, answer = send(method, f"{cls.url}{MOUNT}{path}", headers, content)
        assert found["status"] in ("200", "201", "204"), f"{method} {path} {body}: {found['status']} {answer!r}"
        return json.loads(answer) if answer else None


@dataclass
class Owner:
    """A user or a project, which exists once an allocation names it."""

    context: Any = None
    external_id: str = ""

    def create(self) -> None:
        """Do nothing: an allocation creates it."""


@dataclass
class ResourceClass:
    """A custom resource class."""

    context: Any = None
    name: str = ""

    def create(self) -> None:
        """Create the class unless it exists."""
        Api.call("PUT", f"/resource_classes/{self.name}")


@dataclass
class Consumer:
    """A consumer, which its first allocation creates."""

    user: Owner
    project: Owner
    uuid: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass
class Provider:
    """A resource provider."""

    uuid: str

    def set_aggregates(self, aggregates: Any) -> None:
        """Set the aggregates in the form before 1.19, which keeps the generation, as rows written directly do."""
        Api.call("PUT", f"/resource_providers/{self.uuid}/aggregates", list(aggregates), version="1.18")


def create_provider(context: Any, name: str, *aggregates: str, **options: Any) -> Provider:
    """Create a provider, optionally with a parent and aggregates."""
    provider = Provider(options.get("uuid") or str(uuid.uuid4()))
    body = {"name": name, "uuid": provider.uuid}
    if options.get("parent"):
        body["parent_provider_uuid"] = options["parent"]
    Api.call("POST", "/resource_providers", body)
    if aggregates:
        provider.set_aggregates(aggregates)
    return provider


def add_inventory(provider: Provider, resource_class: str, total: int, **values: Any) -> None:
    """Create an inventory, and its class if it is a custom one."""
    if resource_class.startswith("CUSTOM_"):
        ResourceClass(name=resource_class).create()
    body = {"max_unit": total, **values, "resource_class": resource_class, "total": total}
    Api.call("POST", f"/resource_providers/{provider.uuid}/inventories", body)


def set_traits(provider: Provider, *traits: str) -> None:
    """Set the traits of a provider; create the custom ones."""
    for trait in traits:
        if trait.startswith("CUSTOM_"):
            Api.call("PUT", f"/traits/{trait}")
    generation = Api.call("GET", f"/resource_providers/{provider.uuid}")["generation"]
    body = {"traits": list(traits), "resource_provider_generation": generation}
    Api.call("PUT", f"/resource_providers/{provider.uuid}/traits", body)


def create_user_and_project(context: Any, prefix: str = "fake") -> tuple[Owner, Owner]:
    """Return a user and a project."""
    return Owner(external_id=f"{prefix}-user"), Owner(external_id=f"{prefix}-project")


def ensure_consumer(context: Any, user: Owner, project: Owner) -> Consumer:
    """Return a consumer."""
    return Consumer(user, project)


def set_allocation(context: Any, provider: Provider, consumer: Consumer, resources: dict[str, int]) -> None:
    """Create the first allocation of a consumer, in the version before consumers had a type."""
    body = {
        "allocations": {provider.uuid: {"resources": resources}},
        "project_id": consumer.project.external_id,
        "user_id": consumer.user.external_id,
        "consumer_generation": None,
    }
    Api.call("PUT", f"/allocations/{consumer.uuid}", body, version="1.37")
