"""What consumers have of providers: Placement's allocations, which Dibs' ledger calls claims.

Placement has no list of consumers, so they are found on the providers that they have something of. A consumer is dealt
with at the first of its providers, by uuid, and thus once, without keeping in mind whom one has met.
"""

from dataclasses import dataclass

from dibs.importing.differences import differences
from dibs.importing.report import Report
from dibs.importing.service import Json, Refused, Service

NOBODY = "00000000-0000-0000-0000-000000000000"
NO_TYPE = "unknown"
_TYPE_SINCE = (1, 38)
_WITHOUT_TYPE = (1, 37)
"""The newest version in which a consumer may be without a type."""
_OWNER = ("project_id", "user_id", "consumer_type")


@dataclass(frozen=True)
class ClaimCopier:
    """Copies claims from one placement service to another."""

    there: Service
    here: Service
    report: Report

    def copy_all(self, providers: list[Json]) -> None:
        """Whatever any consumer has of these providers."""
        self.report.begin("claim", len(providers))
        for provider in providers:
            found = self.there.find(f"/resource_providers/{provider['uuid']}/allocations") or {"allocations": {}}
            for consumer in sorted(found["allocations"]):
                self._copy(consumer, provider["uuid"])
            self.report.advance("claim")

    def _copy(self, consumer: str, provider: str) -> None:
        original = self.there.get(f"/allocations/{consumer}")
        if not original["allocations"] or min(original["allocations"]) != provider:
            return
        try:
            found = self.here.get(f"/allocations/{consumer}")
            made = _needs_writing(original, found)
            if made:
                self._write(consumer, original, found)
                found = self.here.get(f"/allocations/{consumer}")
        except Refused as refusal:
            self.report.refused("claim", consumer, None, str(refusal))
            return
        told = differences(_shown(original), _shown(found), (*_OWNER, "resources"))
        self.report.compared("claim", consumer, None, told, made=made)

    def _write(self, consumer: str, original: Json, found: Json) -> None:
        body = {
            "allocations": {uuid: {"resources": each["resources"]} for uuid, each in original["allocations"].items()},
            "project_id": original.get("project_id", NOBODY),
            "user_id": original.get("user_id", NOBODY),
            "consumer_generation": found.get("consumer_generation"),
        }
        kind = original.get("consumer_type", NO_TYPE)
        if kind == NO_TYPE:
            self.here.send("PUT", f"/allocations/{consumer}", body, version=_WITHOUT_TYPE)
        else:
            self.here.send("PUT", f"/allocations/{consumer}", {**body, "consumer_type": kind})


def _needs_writing(original: Json, found: Json) -> bool:
    """True when the consumer has nothing here, or has the same through a node that was imported before, which did not
    know whose it is: then the owner is filled in."""
    if not found["allocations"]:
        return True
    same = _shown(original)["resources"] == _shown(found)["resources"]
    return bool(same and found["user_id"] == NOBODY and original.get("user_id", NOBODY) != NOBODY)


def _shown(claims: Json) -> Json:
    resources = {uuid: each["resources"] for uuid, each in claims["allocations"].items()}
    return {**{name: claims[name] for name in _OWNER if name in claims}, "resources": resources}
