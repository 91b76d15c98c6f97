"""The steps of an import from Blazar."""

from dibs.importing.blazar.hosts import copy_hosts
from dibs.importing.blazar.leases import LeaseCopier
from dibs.importing.report import Report
from dibs.importing.service import Service


def copy_blazar(source: Service, target: Service, providers: Service, report: Report, project: str | None) -> None:
    """Copy hosts, then leases. For a single project copy its leases only, because only operators may create hosts."""
    hosts = {} if project else copy_hosts(source, target, providers, report)
    LeaseCopier(source, target, report, hosts, project).copy_all()
