"""No process searches a structure older than what was committed before its transaction began."""

from pathlib import Path

from tests.bed.forked import start_forked

PROCESSES = 3
ROUNDS = 15


def test_processes_that_change_and_search_at_once_never_see_an_old_structure(database_url: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    running = [
        start_forked("restructuring", database_url, str(seed), str(ROUNDS), log=log) for seed in range(PROCESSES)
    ]
    try:
        ends = [process.wait(300) for process in running]
    finally:
        for process in running:
            process.kill()
    assert ends == [0] * PROCESSES, log.read_text()
