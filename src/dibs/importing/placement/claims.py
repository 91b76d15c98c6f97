"""Copy claims: what Placement calls allocations.

Placement has no list of consumers, so the import finds them through the allocations of each provider. It copies a
consumer at the provider with the lowest uuid that it uses: once, without a record of the consumers that it has seen.
"""

from msgspec import Struct

from dibs.importing.differences import differences
from dibs.importing.report import Report
from dibs.importing.service import Json, Refused, Service

NO_OWNER = "00000000-0000-0000-0000-000000000000"
NO_TYPE = "unknown"
_TYPE_SINCE = (1, 38)
_WITHOUT_TYPE = (1, 37)
"""The last version that accepts a consumer without a type."""
_OWNER = ("project_id", "user_id", "consumer_type")


class ClaimCopier(Struct, frozen=True):
    """Copies claims from one placement service to another."""

    source: Service
    target: Service
    report: Report

    def copy_all(self, providers: list[Json]) -> None:
        """Copy the claims of every consumer on these providers."""
        self.report.begin("claim", len(providers))
        for provider in providers:
            found = self.source.find(f"/resource_providers/{provider['uuid']}/allocations") or {"allocations": {}}
            for consumer in sorted(found["allocations"]):
                self._copy(consumer, provider["uuid"])
            self.report.advance("claim")

    def _copy(self, consumer: str, provider: str) -> None:
        original = self.source.get(f"/allocations/{consumer}")
        if not original["allocations"] or min(original["allocations"]) != provider:
            return
        try:
            found = self.target.get(f"/allocations/{consumer}")
            written = _needs_writing(original, found)
            if written:
                self._write(consumer, original, found)
                found = self.target.get(f"/allocations/{consumer}")
        except Refused as refusal:
            self.report.refused("claim", consumer, None, str(refusal))
            return
        compared = differences(_shown(original), _shown(found), (*_OWNER, "resources"))
        self.report.compared("claim", consumer, None, compared, created=written)

    def _write(self, consumer: str, original: Json, found: Json) -> None:
        body = {
            "allocations": {uuid: {"resources": each["resources"]} for uuid, each in original["allocations"].items()},
            "project_id": original.get("project_id", NO_OWNER),
            "user_id": original.get("user_id", NO_OWNER),
            "consumer_generation": found.get("consumer_generation"),
        }
        kind = original.get("consumer_type", NO_TYPE)
        if kind == NO_TYPE:
            self.target.send("PUT", f"/allocations/{consumer}", body, version=_WITHOUT_TYPE)
        else:
            self.target.send("PUT", f"/allocations/{consumer}", {**body, "consumer_type": kind})


def _needs_writing(original: Json, found: Json) -> bool:
    """Return True if the consumer has no claims in the target, or the same claims without an owner.

    The import of a node claims it for its instance before the owner is known; this import then sets the owner.
    """
    if not found["allocations"]:
        return True
    same = _shown(original)["resources"] == _shown(found)["resources"]
    return bool(same and found["user_id"] == NO_OWNER and original.get("user_id", NO_OWNER) != NO_OWNER)


def _shown(claims: Json) -> Json:
    resources = {uuid: each["resources"] for uuid, each in claims["allocations"].items()}
    return {**{name: claims[name] for name in _OWNER if name in claims}, "resources": resources}
