"""Every table of the schema: importing this module imports the tables of every package."""

import importlib
from pathlib import Path

import dibs
from dibs.database.schema import metadata

for _found in sorted(Path(dibs.__path__[0]).glob("*/tables.py")):
    importlib.import_module(f"dibs.{_found.parent.name}.tables")

TABLES = metadata.sorted_tables
"""All tables, each one after the tables that it refers to."""
