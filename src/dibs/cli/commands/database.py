"""``dibs db …``: upgrade and check the database schema."""

import argparse

from dibs.cli.settings_command import CommandFailed, SettingsCommand


class DatabaseCommand(SettingsCommand):
    """A command that needs the database setting only."""

    needs = frozenset({"database"})


class Upgrade(DatabaseCommand):
    """Upgrade the database schema."""

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Run the migrations."""
        from dibs.wiring.processes import upgrade_database

        upgrade_database(self.settings(parsed_args))


class Check(DatabaseCommand):
    """Check the schema and the settings of the database."""

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Print that there are no problems, or raise CommandFailed with their list."""
        from dibs.wiring.administration import check_database

        problems = check_database(self.settings(parsed_args))
        if problems:
            raise CommandFailed("\n".join(problems))
        print("No problems found.", file=self.app.stdout)


class Version(DatabaseCommand):
    """Print the version of the database schema."""

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Print the version, or none for a database without a schema."""
        from dibs.wiring.administration import database_version

        found = database_version(self.settings(parsed_args))
        print("none" if found is None else found, file=self.app.stdout)


class EncryptSecrets(SettingsCommand):
    """Encrypt the secrets in the database with the first key of secret_keys_file.

    Run it after adding or replacing the first key, when every process has the new file.
    """

    needs = frozenset({"database", "secret_keys_file"})

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Print the number of rows."""
        from dibs.wiring.administration import encrypt_secrets

        settings = self.settings(parsed_args)
        if not settings.secret_keys_file:
            raise CommandFailed("Set secret_keys_file: without keys there is nothing to encrypt with.")
        print(f"Encrypted the secrets of {encrypt_secrets(settings)} rows.", file=self.app.stdout)
