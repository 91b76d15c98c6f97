import pytest
from sqlalchemy import make_url

from dibs.database.engines.mariadb import MariaDB
from tests.bed.session import Bed


@pytest.mark.needs_engine("mariadb")
@pytest.mark.parametrize("writing", [False, True])
def test_galera_node_applies_earlier_commits_before_reads_and_updates(bed: Bed, *, writing: bool) -> None:
    """Of the bits of wsrep_sync_wait, 1 covers SELECT and BEGIN only; transactions that write begin with UPDATE."""
    connection = MariaDB([make_url(bed.databases("mariadb").fresh())]).connect(writing=writing)
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@SESSION.wsrep_sync_wait & 1, @@SESSION.wsrep_sync_wait & 2")
        assert cursor.fetchone() == (1, 2)
