"""The compute dialect: Nova's API of flavors, servers, hypervisors and services over the ledger.

Start with ``routes.py``: it lists every URL. ``microversions.py`` lists what each version added;
``docs/dialects/compute.md`` says which parts of Nova's API Dibs has.
"""

from dibs.dialects.compute.dialect import Compute as Compute
