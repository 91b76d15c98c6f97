"""What is nothing but a name: there or not."""

from collections.abc import Collection

from dibs.importing.report import COPIED, SAME, Report
from dibs.importing.service import Refused, Service


def copy_names(
    noun: str, path: str, there: Collection[str], known: Collection[str], here: Service, report: Report
) -> None:
    """Put every name that is missing under a path."""
    report.begin(noun, len(there))
    for name in sorted(there):
        try:
            if name not in known:
                here.send("PUT", f"{path}/{name}")
            report.add(noun, SAME if name in known else COPIED)
        except Refused as refusal:
            report.refused(noun, name, name, str(refusal))
        report.advance(noun)
