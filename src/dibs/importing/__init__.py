"""Copy the objects of a running Ironic, Placement or Blazar into a running Dibs, through the HTTP APIs of both.

Start with ``ironic/steps.py``, ``placement/steps.py`` or ``blazar/steps.py``: each lists what is copied from one
service, in order, and the modules beside it copy one kind of object each. ``service`` and ``connection`` talk to either
side, ``differences`` compares two objects, ``report`` collects the result. Nothing here imports the server's code.

An import is resumable and never overwrites: objects that exist in Dibs are compared and left as they are. Each module
says how it recognizes an object that a killed run left incomplete, so that the next run can complete it.
"""

from dibs.importing.blazar.steps import copy_blazar
from dibs.importing.connection import Address, connect
from dibs.importing.ironic.steps import copy_ironic
from dibs.importing.placement.steps import copy_placement
from dibs.importing.report import OUTCOMES, Finding, ProgressListener, Report
from dibs.importing.service import Refused, Service, Unreachable

__all__ = [
    "Address",
    "connect",
    "copy_ironic",
    "copy_placement",
    "copy_blazar",
    "Service",
    "Refused",
    "Unreachable",
    "Report",
    "Finding",
    "OUTCOMES",
    "ProgressListener",
]
