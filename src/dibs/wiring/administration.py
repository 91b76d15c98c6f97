"""What the commands for the database do: compare, check and encrypt."""

from collections.abc import Iterator
from contextlib import closing

from dibs.access.access import SERVICE
from dibs.database import open_store, revisions
from dibs.database.laws import Law, violations
from dibs.database.schema import metadata
from dibs.machines.operations import secrets
from dibs.machines.operations.secrets import TABLES, EncryptSecrets
from dibs.settings import Settings
from dibs.webhooks.operations.webhooks import encrypt_webhook_secrets
from dibs.wiring.hooks import LAWS, build_runner
from dibs.wiring.processes import SchemaProblem, read_vault


def check_database(settings: Settings) -> list[str]:
    """Return every difference between the database and the tables of all packages, which this module imports."""
    from dibs.database import migrate

    return migrate.problems(settings.database, metadata)


def check_laws(settings: Settings) -> Iterator[tuple[Law, Iterator[list[str]]]]:
    """Yield each law with the violations of each page of rows; nothing is written."""
    if problems := revisions.problems(settings.database, metadata):
        raise SchemaProblem(" ".join(problems))
    with closing(open_store(settings.database, connections=1)) as store:
        for law in LAWS:
            yield law, violations(store, law)


def encrypt_secrets(settings: Settings) -> int:
    """Encrypt every stored secret with the first key of the file; return the number of rows."""
    count = 0
    with closing(open_store(settings.database, connections=1)) as store:
        runner = build_runner(store, vault=read_vault(settings))
        for table in TABLES:
            last_key: int | None = 0
            while last_key is not None:
                done = runner.write(secrets.encrypt_secrets, SERVICE, EncryptSecrets(table=table, after_key=last_key))
                count, last_key = count + done.count, done.last_key
        return count + runner.write(encrypt_webhook_secrets, SERVICE, None)


def database_version(settings: Settings) -> str | None:
    """Return the revision of the schema; None when there is none."""
    return revisions.current(settings.database)
