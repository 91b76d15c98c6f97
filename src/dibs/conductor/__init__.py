"""Time and work: the second entrance to the use cases, beside HTTP.

``service`` registers, beats, looks for work and takes over from the dead; ``worker`` does one piece of work from the
task to the report; ``expiry`` ends holds.
"""

from dibs.conductor.service import Conductor

__all__ = ["Conductor"]
