"""The steps of an import from Ironic."""

from dibs.importing.ironic.allocations import copy_allocations
from dibs.importing.ironic.nodes import NodeCopier, drivers_of
from dibs.importing.report import Report
from dibs.importing.service import Service


def copy_ironic(source: Service, target: Service, report: Report, fallback_driver: str | None) -> None:
    """Copy nodes with their ports and traits, then the allocations that hold them."""
    nodes = NodeCopier(source, target, drivers_of(target), report, fallback_driver)
    nodes.copy_all()
    copy_allocations(source, target, nodes, report)
