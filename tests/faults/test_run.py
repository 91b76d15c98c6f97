"""A short run on every engine finds no violation; a run of Dibs with a defect finds some.

``make faults`` runs longer, with more clients and every kind of fault.
"""

from pathlib import Path

import pytest

from faults.run import Options, Outcome, run

SEED = 12
SHORT_FAULTS = {
    "sqlite": ("kill-api", "freeze-conductor", "kill-conductor"),
    "postgresql": ("kill-database", "commit-answer-lost", "kill-conductor"),
    "mariadb": ("cut", "commit-lost", "truncate"),
}
"""Kinds that cost little time; over all engines, each process and each place of a connection is hit."""
CLUSTER_FAULTS = {
    "galera": ("kill-node", "isolate-node", "commit-answer-lost", "evict-node"),
    "patroni": ("switch-over", "commit-answer-lost", "kill-leader"),
}


def test_faults_break_no_promise(engine_name: str, tmp_path: Path) -> None:
    kinds = SHORT_FAULTS[engine_name]
    outcome = run(Options(engine_name, SEED, 3.0, clients=4, faults=len(kinds), kinds=kinds), tmp_path)
    assert outcome.violations == []
    assert outcome.acknowledged > 0
    assert set(outcome.faults) == set(kinds)


@pytest.mark.before_release
@pytest.mark.parametrize(("cluster", "kinds"), CLUSTER_FAULTS.items())
def test_faults_of_a_cluster_break_no_promise(cluster: str, kinds: tuple[str, ...], tmp_path: Path) -> None:
    outcome = run(Options(cluster, SEED, 20.0, clients=4, faults=len(kinds), kinds=kinds), tmp_path)
    assert outcome.violations == []
    assert outcome.acknowledged > 0
    assert set(outcome.faults) == set(kinds)


def run_with_bug(bug: str, engine: str, folder: Path, *kinds: str, faults_each: int = 0) -> Outcome:
    """Run short rounds until the checker finds a violation; a fast machine needs one or two of them."""
    rounds = 30
    options = Options(
        engine, SEED, 2.0 * rounds, clients=6, faults=faults_each * rounds, kinds=kinds, round_seconds=2.0, bug=bug
    )
    return run(options, folder)


@pytest.mark.needs_engine("sqlite")
def test_removed_capacity_check_is_found(tmp_path: Path) -> None:
    outcome = run_with_bug("removed-capacity-check", "sqlite", tmp_path)
    assert any("has used" in violation for violation in outcome.violations), outcome


@pytest.mark.needs_engine("sqlite")
def test_split_transaction_is_found(tmp_path: Path) -> None:
    outcome = run_with_bug("split-transaction", "sqlite", tmp_path, "kill-api", faults_each=1)
    assert any("claims add up to" in violation for violation in outcome.violations), outcome


@pytest.mark.needs_engine("postgresql")
def test_swallowed_commit_error_is_found(tmp_path: Path) -> None:
    outcome = run_with_bug("swallowed-commit-error", "postgresql", tmp_path, "commit-lost", faults_each=20)
    assert any("was acknowledged as" in violation for violation in outcome.violations), outcome


@pytest.mark.needs_engine("postgresql")
def test_dropped_retry_is_found(tmp_path: Path) -> None:
    outcome = run_with_bug("dropped-retry", "postgresql", tmp_path)
    assert any("internal error" in violation for violation in outcome.violations), outcome


@pytest.mark.before_release
@pytest.mark.needs_engine("mariadb")
def test_updates_that_miss_the_commits_of_another_galera_node_are_found(tmp_path: Path) -> None:
    outcome = run_with_bug("wsrep-sync-wait-1", "galera", tmp_path)
    assert any("is not found" in violation for violation in outcome.violations), outcome
