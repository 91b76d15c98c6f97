"""What is copied from Blazar, in order."""

from dibs.importing import hosts
from dibs.importing.leases import LeaseCopier
from dibs.importing.report import Report
from dibs.importing.service import Service


def copy_blazar(there: Service, here: Service, providers: Service, report: Report, project: str | None) -> None:
    """Hosts, then the leases on them; with a project its leases alone, since hosts are the operators' matter."""
    ids = {} if project else hosts.copy_all(there, here, providers, report)
    LeaseCopier(there, here, report, ids, project).copy_all()
