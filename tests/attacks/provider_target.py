"""A target with providers: a tree of two, a sharing provider, and a consumer with claims on each."""

from sqlalchemy import update

from dibs.access.access import SERVICE
from dibs.candidates.model.provider_tree import SHARING_TRAIT
from dibs.ledger import tables
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.aggregates import SetAggregates, set_aggregates
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.operations.inventories import SetInventories, Sizes, set_inventories
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from dibs.ledger.operations.providers import CreateProvider, create_provider
from dibs.ledger.operations.resource_classes import create_resource_class
from dibs.ledger.operations.traits import ensure_trait
from tests.attacks.target import Target
from tests.laws import Tables, broken_laws
from tests.quota_builders import limit
from tests.share_builders import weigh

ROOT, CHILD, SHARING = (f"ffffffff-0000-4000-8000-00000000000{number}" for number in range(3))
CONSUMER = "cccccccc-0000-4000-8000-000000000002"
AGGREGATE = "99999999-0000-4000-8000-000000000001"
PROJECT = "p"
"""A project with a quota and a share."""


class ProviderTarget(Target):
    """Target with providers that are not nodes; every provider has generation 0, the consumer 1."""

    def fill(self) -> None:
        """Write the initial rows of every attack."""
        super().fill()
        write = self.ledger.runner.write
        write(create_resource_class, SERVICE, "CUSTOM_CLASS")
        write(ensure_trait, SERVICE, "CUSTOM_TRAIT")
        for uuid, name, parent, totals in (
            (ROOT, "root", None, {"VCPU": 8, "CUSTOM_CLASS": 2}),
            (CHILD, "child", ROOT, {"VGPU": 4}),
            (SHARING, "sharing", None, {"DISK_GB": 100}),
        ):
            write(create_provider, SERVICE, CreateProvider(uuid=uuid, name=name, parent=parent))
            sizes = {name: Sizes(total=total, max_unit=total) for name, total in totals.items()}
            write(set_inventories, SERVICE, SetInventories(provider=uuid, generation=None, sizes=sizes))
        for uuid, trait in ((ROOT, "CUSTOM_TRAIT"), (SHARING, SHARING_TRAIT)):
            write(set_provider_traits, SERVICE, SetProviderTraits(provider=uuid, generation=None, traits=(trait,)))
            aggregates = (AGGREGATE,)
            write(set_aggregates, SERVICE, SetAggregates(provider=uuid, generation=None, aggregates=aggregates))
        resources = {ROOT: {"VCPU": 2}, CHILD: {"VGPU": 1}}
        request = ClaimRequest(
            consumer=CONSUMER, resources=resources, project_id="p", user_id="u", consumer_type="INSTANCE"
        )
        write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
        self.store.write(lambda tx: tx.change(update(tables.providers).values(generation=0)))
        limit(self.ledger, PROJECT, "large", nodes=1_000, queued=100)
        weigh(self.ledger, PROJECT, 3)

    def broken_laws(self, rows: Tables) -> list[str]:
        """Return violations of the laws of the ledger."""
        return broken_laws(rows, machines_only=False)
