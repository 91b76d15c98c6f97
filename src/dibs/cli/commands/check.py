"""``dibs check``: verify the laws of the ledger on a live database."""

import argparse

from dibs.cli.commands.database import DatabaseCommand
from dibs.cli.settings_command import CommandFailed

SHOWN_MAX = 20
"""Violations of one law that are printed; the others are counted."""


class Check(DatabaseCommand):
    """Verify that the rows of the database obey the laws of the ledger.

    Only reads, a page of rows at a time, while clients and conductors keep working. Exits with 1 when a law is broken.
    """

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Print each law with its violations and what to do about them."""
        from dibs.wiring.administration import check_laws
        from dibs.wiring.processes import SchemaProblem

        broken = 0
        try:
            for law, pages in check_laws(self.settings(parsed_args)):
                found = [violation for page in pages for violation in page]
                broken += bool(found)
                self._print_law(law.promise, found, law.remedy)
        except SchemaProblem as error:
            raise CommandFailed(str(error)) from error
        if broken:
            raise CommandFailed(f"{broken} laws are broken." if broken > 1 else "One law is broken.")
        print("No violations found.", file=self.app.stdout)

    def _print_law(self, promise: str, found: list[str], remedy: str) -> None:
        lines = [f"{'BROKEN' if found else 'ok':<8}{promise}", *(f"        {each}" for each in found[:SHOWN_MAX])]
        if len(found) > SHOWN_MAX:
            lines.append(f"        … and {len(found) - SHOWN_MAX} more.")
        if found:
            lines.append(f"        What to do: {remedy}")
        print(*lines, sep="\n", file=self.app.stdout, flush=True)
