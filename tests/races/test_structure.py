"""No process searches a structure older than what was committed before its transaction began."""

from pathlib import Path

from tests.races.restructuring import run_processes, search_after_each_commit


def test_processes_that_change_and_search_at_once_never_see_an_old_structure(database_url: str, tmp_path: Path) -> None:
    assert run_processes([database_url] * 3, tmp_path / "log") == ""


def test_a_commit_of_one_process_is_in_the_next_search_of_another(database_url: str) -> None:
    search_after_each_commit(database_url, database_url)
