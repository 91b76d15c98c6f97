"""Copy objects that consist of a name only: resource classes and traits."""

from collections.abc import Collection

from dibs.importing.report import COPIED, SAME, Report
from dibs.importing.service import Refused, Service


def copy_names(
    noun: str, path: str, names: Collection[str], known: Collection[str], target: Service, report: Report
) -> None:
    """PUT every name that is not yet known below a path of the target."""
    report.begin(noun, len(names))
    for name in sorted(names):
        try:
            if name not in known:
                target.send("PUT", f"{path}/{name}")
            report.add(noun, SAME if name in known else COPIED)
        except Refused as refusal:
            report.refused(noun, name, name, str(refusal))
        report.advance(noun)
