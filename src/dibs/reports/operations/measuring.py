"""Read the figures that the metrics show."""

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.reports.model.measures import Measures
from dibs.reports.queries import measures


def measure_site(tx: Transaction, access: Access, now: int, command: None) -> Measures:
    """Return the figures of the site, with the same number of statements however large it is. For Dibs itself."""
    queue = measures.queue(tx, now)
    return Measures(
        nodes=measures.count_nodes(tx),
        queue_lengths={kind: count for kind, (count, _) in queue.items()},
        queue_waits={kind: seconds for kind, (_, seconds) in queue.items()},
        leases=measures.count_leases(tx),
        lateness=measures.lateness(tx, now),
        conductors=measures.count_conductors(tx, now),
    )
