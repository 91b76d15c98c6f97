"""``Dibs``: the client of one server."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openstack import exceptions, proxy
from openstack.connection import Connection

from dibs.client.allocations import Allocations
from dibs.client.arguments import Names, names_in
from dibs.client.connection import connect, root_of
from dibs.client.errors import dibs_errors
from dibs.client.events.calendars import Calendars
from dibs.client.events.webhooks import Webhooks
from dibs.client.hosts import Hosts
from dibs.client.leases import Leases
from dibs.client.nodes import Nodes
from dibs.client.operators.maintenance import Maintenance
from dibs.client.projects.quotas import Quotas
from dibs.client.projects.shares import Shares
from dibs.client.reservations import Reservations
from dibs.client.results import Candidate, FunnelStage, NodeReasons, Why

PLACEMENT_VERSION = "1.39"
AUDIT_PAGE = 1_000
WHY_PAGE = 400


class Dibs:
    """A running Dibs."""

    @dibs_errors()
    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.url = root_of(connection)
        self._native = self._service("dibs", f"{self.url}/dibs/v1")
        leases = connection.config.get_endpoint("reservation") or ""
        # With auth_type none, the one endpoint of the cloud stands for every service without an override.
        url = leases if "reservation" in leases else f"{self.url}/reservation/v1"
        self.nodes = Nodes(connection)
        self.reservations = Reservations(connection)
        self.allocations = Allocations(connection, self._native)
        self.leases = Leases(self._service("reservation", url), self._native)
        self.hosts = Hosts(self._service("reservation", url))
        self.webhooks = Webhooks(self._native)
        self.calendars = Calendars(self._native)
        self.quotas = Quotas(self._native)
        self.maintenance = Maintenance(self._native)
        self.shares = Shares(self._native)

    @classmethod
    @dibs_errors()
    def connect(cls, url: str | None = None, *, cloud: str | None = None, **options: Any) -> "Dibs":
        """Connect to a URL, an entry of clouds.yaml, the cloud of OS_… variables, or else to the default address."""
        return cls(connect(url, cloud=cloud, **options))

    @dibs_errors()
    def why(
        self,
        resource_class: str,
        *,
        traits: Names = (),
        candidate_nodes: Names = (),
        count: int = 1,
        at: datetime | None = None,
    ) -> Why:
        """Return why this number of nodes is not available, when it will be, and what is. Nothing is allocated.

        With ``at``, return what was available at a moment in the past.
        """
        query = {
            "resource_class": resource_class,
            "traits": ",".join(names_in("traits", traits)),
            "candidate_nodes": ",".join(names_in("candidate_nodes", candidate_nodes)),
            "count": str(count),
            "at": at.isoformat() if at is not None else "",
        }
        answer = self._native.get("/why", params={name: value for name, value in query.items() if value})
        exceptions.raise_from_response(answer)
        return Why.read(answer.json())

    @dibs_errors()
    def why_nodes(
        self, resource_class: str, *, traits: Names = (), candidate_nodes: Names = (), limit: int = 1_000
    ) -> NodeReasons:
        """Return for each node of a class, up to ``limit``, why it is not available."""
        query = {
            "resource_class": resource_class,
            "traits": ",".join(names_in("traits", traits)),
            "candidate_nodes": ",".join(names_in("candidate_nodes", candidate_nodes)),
        }
        params = {name: value for name, value in query.items() if value}
        found, left = NodeReasons(), limit
        while left > 0:
            page_size = min(left, WHY_PAGE)
            answer = self._native.get("/why/nodes", params={**params, "limit": str(page_size)})
            exceptions.raise_from_response(answer)
            document = answer.json()
            found = found.with_page(document)
            if "next" not in document:
                break
            params["marker"] = dict(parse_qsl(urlsplit(document["next"]).query))["marker"]
            left -= page_size
        return found

    @dibs_errors()
    def candidates(
        self,
        resources: Mapping[str, int],
        *,
        traits: Names = (),
        not_traits: Names = (),
        traits_any: Names = (),
        limit: int | None = None,
    ) -> list[Candidate]:
        """Return the allocation candidates for resources such as ``{"CUSTOM_GOLD": 1}``."""
        query = _candidate_query(resources, traits, not_traits, traits_any)
        query += [("limit", str(limit))] if limit is not None else []
        answer = self.connection.placement.get("/allocation_candidates", params=query, microversion=PLACEMENT_VERSION)
        exceptions.raise_from_response(answer)
        return _candidates(answer.json())

    @dibs_errors()
    def why_candidates(
        self,
        resources: Mapping[str, int],
        *,
        traits: Names = (),
        not_traits: Names = (),
        traits_any: Names = (),
    ) -> list[FunnelStage]:
        """Return how many provider trees remain after each condition of a query for allocation candidates."""
        answer = self._native.get("/why/candidates", params=_candidate_query(resources, traits, not_traits, traits_any))
        exceptions.raise_from_response(answer)
        document = answer.json()
        return [FunnelStage("total", "", document["total"]), *(FunnelStage(**each) for each in document["stages"])]

    @dibs_errors()
    def audit(
        self,
        *,
        node: str | None = None,
        project: str | None = None,
        type: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
    ) -> list[dict[str, Any]]:
        """Return what was changed, the newest first: events as the API shows them, at most ``limit``."""
        filters = {"node": node, "project": project, "type": type}
        query = {name: value for name, value in filters.items() if value is not None}
        query |= {name: time.isoformat() for name, time in (("since", since), ("until", until)) if time is not None}
        found: list[dict[str, Any]] = []
        while len(found) < limit:
            marker = {"marker": str(found[-1]["id"])} if found else {}
            page_size = str(min(limit - len(found), AUDIT_PAGE))
            answer = self._native.get("/audit", params={**query, **marker, "limit": page_size})
            exceptions.raise_from_response(answer)
            document = answer.json()
            found += document["events"]
            if "next" not in document:
                break
        return found

    @dibs_errors()
    def node_at(self, node: str, moment: datetime) -> dict[str, Any]:
        """Return a node as it was at a moment: its attributes that were not empty, and its traits."""
        answer = self._native.get(f"/nodes/{node}/history", params={"at": moment.isoformat()})
        exceptions.raise_from_response(answer)
        document: dict[str, Any] = answer.json()
        return {"uuid": document["uuid"], **document["node"]}

    @dibs_errors()
    def utilisation(self, *, weeks: int = 4, project: str | None = None) -> dict[str, Any]:
        """Return the node hours of each week, class and project, and the moment from which on they are known."""
        query = {"weeks": str(weeks), **({} if project is None else {"project": project})}
        answer = self._native.get("/reports/utilisation", params=query)
        exceptions.raise_from_response(answer)
        document: dict[str, Any] = answer.json()
        return document

    def _service(self, service_type: str, url: str) -> proxy.Proxy:
        return proxy.Proxy(self.connection.session, service_type=service_type, endpoint_override=url)


def _candidate_query(
    resources: Mapping[str, int], traits: Names, not_traits: Names, traits_any: Names
) -> list[tuple[str, str]]:
    query = [("resources", ",".join(f"{name}:{amount}" for name, amount in resources.items()))]
    required = [*names_in("traits", traits), *(f"!{name}" for name in names_in("not_traits", not_traits))]
    query += [("required", ",".join(required))] if required else []
    any_of = names_in("traits_any", traits_any)
    return query + ([("required", f"in:{','.join(any_of)}")] if any_of else [])


def _candidates(document: dict[str, Any]) -> list[Candidate]:
    summaries = document["provider_summaries"]
    return [
        Candidate(
            number=number,
            provider=provider,
            resources=part["resources"],
            free={name: each["capacity"] - each["used"] for name, each in summaries[provider]["resources"].items()},
            traits=tuple(summaries[provider]["traits"]),
        )
        for number, request in enumerate(document["allocation_requests"], 1)
        for provider, part in request["allocations"].items()
    ]


def placement_class(resource_class: str) -> str:
    """Return the name of a node's resource class in Placement: gold is CUSTOM_GOLD."""
    upper = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in resource_class.upper())
    return upper if upper.startswith("CUSTOM_") else f"CUSTOM_{upper}"
