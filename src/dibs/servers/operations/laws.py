"""The law of servers."""

from collections.abc import Iterator

from dibs.database.laws import Law, Page
from dibs.database.transaction import Transaction
from dibs.servers.queries import laws as queries


def _claims(tx: Transaction, page: Page) -> Iterator[str]:
    for row in queries.contradictions(tx, page):
        where = f"runs on {row['host']} without a claim" if row["host"] else "has claims without a host"
        yield f"Server {row['uuid']} ({row['status']}) {where}."


LAWS = (
    Law(
        promise="A server on a compute host has a claim, and a server without a host has none.",
        remedy="Delete the server (`openstack server delete SERVER`).",
        page_end=queries.servers_page,
        violations=_claims,
    ),
)
