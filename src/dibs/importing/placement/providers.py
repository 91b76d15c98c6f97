"""Copy resource providers with aggregates, traits and inventories, parents before children.

The import writes the inventories of a provider last and in one request. A provider without inventories is therefore one
that a killed run left incomplete, or one that has none in the source: both can be completed safely, because no consumer
can have a claim on them. A provider with inventories is compared only. So is a provider that is a node in Dibs, because
its inventory and traits belong to the node.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import asdict

from dibs.importing.differences import differences
from dibs.importing.report import Difference, Report
from dibs.importing.service import Json, Refused, Service

_AMOUNTS = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio")
_OF_A_NODE = "in Dibs this provider is a bare-metal node: change the node, or run `dibs import ironic` first"


class _Provider(Struct, frozen=True):
    """A provider as one of the two services shows it."""

    name: str
    parent: str | None
    aggregates: list[str]
    traits: list[str]
    inventories: Json


class ProviderCopier(Struct, frozen=True):
    """Copies providers from one placement service to another."""

    source: Service
    target: Service
    machines: Service
    """The bare-metal API of the target, which tells nodes from other providers."""
    report: Report

    def copy_all(self, listed: list[Json]) -> None:
        """Copy every listed provider."""
        self.report.begin("provider", len(listed))
        for entry in listed:
            try:
                self._copy(entry)
            except Refused as refusal:
                self.report.refused("provider", entry["uuid"], entry["name"], str(refusal))
            self.report.advance("provider")

    def _copy(self, entry: Json) -> None:
        uuid = entry["uuid"]
        found = self.target.find(f"/resource_providers/{uuid}")
        original = _read(self.source, entry)
        created = found is None
        if found is None:
            body = {"uuid": uuid, "name": original.name, "parent_provider_uuid": original.parent}
            self.target.send("POST", "/resource_providers", {key: value for key, value in body.items() if value})
            found = self.target.get(f"/resource_providers/{uuid}")
            node = False
        else:
            node = self.machines.find(f"/v1/nodes/{uuid}") is not None
        filled = self._fill(uuid, original, _read(self.target, found), node)
        now = _read(self.target, self.target.get(f"/resource_providers/{uuid}"))
        compared = _compare_node(original, now) if node else _compare(original, now)
        self.report.compared("provider", uuid, original.name, compared, created=created or filled)

    def _fill(self, uuid: str, original: _Provider, found: _Provider, node: bool) -> bool:
        """Write the missing parts; return True if there were any. Of a node, only the aggregates can be written."""
        parts = [("aggregates", original.aggregates, found.aggregates)]
        if not node:
            parts += [("traits", original.traits, found.traits)]
        if found.inventories and not node:
            return False
        missing = [(name, wanted) for name, wanted, has in parts if wanted and not has]
        if not node and original.inventories:
            missing.append(("inventories", original.inventories))  # type: ignore[arg-type]
        for name, wanted in missing:
            generation = self.target.get(f"/resource_providers/{uuid}")["generation"]
            body = {name: wanted, "resource_provider_generation": generation}
            self.target.send("PUT", f"/resource_providers/{uuid}/{name}", body)
        return bool(missing)


def list_parents_first(service: Service) -> list[Json]:
    """Return every provider, each after its parent.

    Placement returns the whole list at once, so only the fields that the import needs are kept.
    """
    names = ("uuid", "name", "parent_provider_uuid")
    waiting = [
        {name: each[name] for name in names} for each in service.get("/resource_providers")["resource_providers"]
    ]
    listed: list[Json] = []
    placed: set[str | None] = {None}
    while waiting:
        ready = [each for each in waiting if each["parent_provider_uuid"] in placed]
        if not ready:
            # A parent was deleted while the list was read. The target refuses its children, and the report says so.
            return listed + waiting
        listed += ready
        placed |= {each["uuid"] for each in ready}
        waiting = [each for each in waiting if each["uuid"] not in placed]
    return listed


def _read(service: Service, entry: Json) -> _Provider:
    path = f"/resource_providers/{entry['uuid']}"
    inventories = service.get(f"{path}/inventories")["inventories"]
    return _Provider(
        name=entry["name"],
        parent=entry["parent_provider_uuid"],
        aggregates=service.get(f"{path}/aggregates")["aggregates"],
        traits=service.get(f"{path}/traits")["traits"],
        inventories={name: {each: found[each] for each in _AMOUNTS} for name, found in inventories.items()},
    )


def _compare(source: _Provider, target: _Provider) -> Iterator[Difference]:
    return differences(asdict(source), asdict(target), ("name", "parent", "aggregates", "traits", "inventories"))


def _compare_node(source: _Provider, target: _Provider) -> Iterator[Difference]:
    """Compare a provider that is a node in Dibs, without its name and ``reserved``.

    Dibs names it after the node, Nova after the node's uuid; ``reserved`` depends on the node's provision state.
    """
    yield from differences(asdict(source), asdict(target), ("aggregates",))
    why = {"traits": _OF_A_NODE, "total": _OF_A_NODE}
    yield from differences(asdict(source), asdict(target), ("traits",), why)
    totals = ({name: each["total"] for name, each in side.inventories.items()} for side in (source, target))
    yield from differences({"total": next(totals)}, {"total": next(totals)}, ("total",), why)
