"""The compute dialect: flavors, servers, hypervisors and services, as Nova's API has them, over the one ledger.

Read ``routes.py`` first: every URL. ``microversions.py`` says what each version added; ``docs/dialects/compute.md``
says what is spoken and what is not.
"""

from dibs.dialects.compute.dialect import Compute as Compute
