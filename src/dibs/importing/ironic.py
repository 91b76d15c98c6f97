"""What is copied from Ironic, in order."""

from dibs.importing import node_allocations
from dibs.importing.nodes import NodeCopier, drivers_of
from dibs.importing.report import Report
from dibs.importing.service import Service


def copy_ironic(there: Service, here: Service, report: Report, stand_in: str | None) -> None:
    """Nodes with their ports and traits, then the allocations that have them."""
    nodes = NodeCopier(there, here, drivers_of(here), report, stand_in)
    nodes.copy_all()
    node_allocations.copy_all(there, here, nodes, report)
