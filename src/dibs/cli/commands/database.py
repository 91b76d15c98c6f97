"""``dibs db …``: the schema of the database."""

import argparse

from dibs.cli.settings_flags import CommandFailed, SettingsCommand


class DatabaseCommand(SettingsCommand):
    """A command about one database."""

    needs = frozenset({"database"})


class Upgrade(DatabaseCommand):
    """Bring the schema of the database to what Dibs needs."""

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Run the migrations."""
        from dibs.wiring import upgrade_database

        upgrade_database(self.settings(parsed_args))


class Check(DatabaseCommand):
    """Say what is wrong with the database, if anything is."""

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Fail with the list of problems."""
        from dibs.wiring import check_database

        problems = check_database(self.settings(parsed_args))
        if problems:
            raise CommandFailed("\n".join(problems))
        print("The database is as it should be.", file=self.app.stdout)


class Version(DatabaseCommand):
    """Print the version of the schema that the database has."""

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Print it."""
        from dibs.wiring import database_version

        found = database_version(self.settings(parsed_args))
        print("none" if found is None else found, file=self.app.stdout)
