"""Resource providers with aggregates, traits and inventories, parents before children.

The inventories are written last and all at once, so a provider without any is one that a killed run left half done, or
one that has none: either way what is missing may be filled in, since nobody can have claimed anything of it. A provider
with inventories is compared only, and so is one that is a node here: what it offers is the node's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dibs.importing.differences import differences
from dibs.importing.report import Difference, Report
from dibs.importing.service import Json, Refused, Service

_AMOUNTS = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio")
_OF_A_NODE = "here the provider is the bare-metal node: change the node, or run `dibs import ironic` before"


@dataclass(frozen=True)
class _Provider:
    """What one side says of a provider."""

    name: str
    parent: str | None
    aggregates: list[str]
    traits: list[str]
    inventories: Json


@dataclass(frozen=True)
class ProviderCopier:
    """Copies providers from one placement service to another."""

    there: Service
    here: Service
    machines: Service
    """The bare-metal API of the target, which knows which providers are nodes."""
    report: Report

    def copy_all(self, listed: list[Json]) -> None:
        """Every provider that is listed."""
        self.report.begin("provider", len(listed))
        for entry in listed:
            try:
                self._copy(entry)
            except Refused as refusal:
                self.report.refused("provider", entry["uuid"], entry["name"], str(refusal))
            self.report.advance("provider")

    def _copy(self, entry: Json) -> None:
        uuid = entry["uuid"]
        found = self.here.find(f"/resource_providers/{uuid}")
        original = _look(self.there, entry)
        made = found is None
        if found is None:
            body = {"uuid": uuid, "name": original.name, "parent_provider_uuid": original.parent}
            self.here.send("POST", "/resource_providers", {key: value for key, value in body.items() if value})
            found = self.here.get(f"/resource_providers/{uuid}")
            node = False
        else:
            node = self.machines.find(f"/v1/nodes/{uuid}") is not None
        filled = self._fill(uuid, original, _look(self.here, found), node)
        now = _look(self.here, self.here.get(f"/resource_providers/{uuid}"))
        told = _compare_node(original, now) if node else _compare(original, now)
        self.report.compared("provider", uuid, original.name, told, made=made or filled)

    def _fill(self, uuid: str, original: _Provider, found: _Provider, node: bool) -> bool:
        """Write what is missing; True when anything was. A node's provider can only be put into aggregates."""
        parts = [("aggregates", original.aggregates, found.aggregates)]
        if not node:
            parts += [("traits", original.traits, found.traits)]
        if found.inventories and not node:
            return False
        missing = [(name, wanted) for name, wanted, has in parts if wanted and not has]
        if not node and original.inventories:
            missing.append(("inventories", original.inventories))  # type: ignore[arg-type]
        for name, wanted in missing:
            generation = self.here.get(f"/resource_providers/{uuid}")["generation"]
            body = {name: wanted, "resource_provider_generation": generation}
            self.here.send("PUT", f"/resource_providers/{uuid}/{name}", body)
        return bool(missing)


def list_parents_first(service: Service) -> list[Json]:
    """Every provider, each after its parent. Placement gives the list whole; only what is needed of it is kept."""
    names = ("uuid", "name", "parent_provider_uuid")
    waiting = [
        {name: each[name] for name in names} for each in service.get("/resource_providers")["resource_providers"]
    ]
    listed: list[Json] = []
    placed: set[str | None] = {None}
    while waiting:
        ready = [each for each in waiting if each["parent_provider_uuid"] in placed]
        if not ready:
            # A parent that was deleted while the list was made: whoever refuses its children says so.
            return listed + waiting
        listed += ready
        placed |= {each["uuid"] for each in ready}
        waiting = [each for each in waiting if each["uuid"] not in placed]
    return listed


def _look(service: Service, entry: Json) -> _Provider:
    path = f"/resource_providers/{entry['uuid']}"
    inventories = service.get(f"{path}/inventories")["inventories"]
    return _Provider(
        name=entry["name"],
        parent=entry["parent_provider_uuid"],
        aggregates=service.get(f"{path}/aggregates")["aggregates"],
        traits=service.get(f"{path}/traits")["traits"],
        inventories={name: {each: found[each] for each in _AMOUNTS} for name, found in inventories.items()},
    )


def _compare(there: _Provider, here: _Provider) -> Iterator[Difference]:
    return differences(vars(there), vars(here), ("name", "parent", "aggregates", "traits", "inventories"))


def _compare_node(there: _Provider, here: _Provider) -> Iterator[Difference]:
    """Its name is the node's (Nova gives the provider the node's uuid as name), and ``reserved`` says whether the node
    can be deployed just now: neither is the provider's own."""
    yield from differences(vars(there), vars(here), ("aggregates",))
    why = {"traits": _OF_A_NODE, "total": _OF_A_NODE}
    yield from differences(vars(there), vars(here), ("traits",), why)
    totals = ({name: each["total"] for name, each in side.inventories.items()} for side in (there, here))
    yield from differences({"total": next(totals)}, {"total": next(totals)}, ("total",), why)
