"""The laws of allocations."""

from collections.abc import Iterator

from dibs.allocations.queries import laws as queries
from dibs.database.laws import Law, Page
from dibs.database.transaction import Transaction


def _nodes(tx: Transaction, page: Page) -> Iterator[str]:
    for row in queries.contradictions(tx, page):
        yield (
            f"Allocation {row['uuid']} is {row['state']} and has the node {row['node']} "
            f"with the instance {row['instance_uuid']}."
        )


def _reasons(tx: Transaction, page: Page) -> Iterator[str]:
    for allocation in queries.failed_without_reason(tx, page):
        yield f"Allocation {allocation} failed without a reason."


LAWS = (
    Law(
        promise="An active allocation is the instance of its node, and no other allocation has a node.",
        remedy="Delete the allocation (`openstack baremetal allocation delete ALLOCATION`) and create it again.",
        page_end=queries.allocations_page,
        violations=_nodes,
    ),
    Law(
        promise="A failed allocation has a reason.",
        remedy="Delete the allocation and create it again.",
        page_end=queries.allocations_page,
        violations=_reasons,
    ),
)
