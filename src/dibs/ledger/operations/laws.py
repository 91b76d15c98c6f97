"""The laws of providers, inventories, consumers and claims."""

from collections.abc import Iterator

from dibs.database.laws import Law, Page
from dibs.database.transaction import Transaction
from dibs.ledger.queries import laws as queries


def _used_amounts(tx: Transaction, page: Page) -> Iterator[str]:
    for row in queries.wrong_used_amounts(tx, page):
        yield (
            f"Provider {row['provider']} has used {row['used']} of {row['resource_class']}, "
            f"but its claims add up to {row['claimed']}."
        )


def _inventories_of_claims(tx: Transaction, page: Page) -> Iterator[str]:
    for row in queries.claims_without_inventory(tx, page):
        yield (
            f"Consumer {row['consumer']} claims {row['resource_class']} of provider {row['provider']}, "
            "which has no inventory of that class."
        )


def _claims_of_consumers(tx: Transaction, page: Page) -> Iterator[str]:
    for consumer in queries.idle_consumers(tx, page):
        yield f"Consumer {consumer} has no claim."


def _roots_of_providers(tx: Transaction, page: Page) -> Iterator[str]:
    for provider in queries.wrong_roots(tx, page):
        yield f"Provider {provider} does not have the root of its parent."


LAWS = (
    Law(
        promise="The used amount of an inventory is the sum of its claims.",
        remedy="Stop the writers and set the used amount to the sum of the claims; the claims are right.",
        page_end=queries.providers_page,
        violations=_used_amounts,
    ),
    Law(
        promise="A claim has an inventory.",
        remedy="Delete the allocations of the consumer (`openstack resource provider allocation delete CONSUMER`), "
        "or create the inventory again.",
        page_end=queries.providers_page,
        violations=_inventories_of_claims,
    ),
    Law(
        promise="A consumer has a claim.",
        remedy="Delete the row of the consumer: nothing refers to it.",
        page_end=queries.consumers_page,
        violations=_claims_of_consumers,
    ),
    Law(
        promise="The providers of a tree have one root.",
        remedy="Set root_id to the root of the parent, or to the provider itself if it has no parent.",
        page_end=queries.providers_page,
        violations=_roots_of_providers,
    ),
)
