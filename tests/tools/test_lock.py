"""The locks have what pyproject.toml requires, and each mistake in them is found."""

import importlib
import shutil
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("lock")


def test_locks_fit_what_is_declared(lock: ModuleType) -> None:
    assert list(lock.problems(ROOT)) == []


def test_locks_have_the_dependencies_of_dependencies(lock: ModuleType) -> None:
    """Compared with what is installed here: a lock has these for every platform."""
    for extra in lock.lock_names(ROOT):
        text = lock.lock_path(ROOT, extra).read_text().replace(lock.INCLUDE, lock.lock_path(ROOT, "base").read_text())
        locked = {canonicalize_name(entry.partition("==")[0]) for entry in lock.ENTRY.findall(text)}
        assert needed(lock.requirements_of(ROOT, extra)) - locked == set(), extra


def needed(requirements: list[Requirement]) -> set[str]:
    """Return the names of everything that the requirements install here."""
    found: set[str] = set()
    asked: set[tuple[str, frozenset[str]]] = set()
    waiting = [(each, frozenset[str]()) for each in requirements]
    while waiting:
        each, extras = waiting.pop()
        if each.marker and not any(each.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            continue
        name = canonicalize_name(each.name)
        found.add(name)
        wanted = frozenset(each.extras)
        if (name, wanted) not in asked:
            asked.add((name, wanted))
            waiting += [(Requirement(text), wanted) for text in distribution(name).requires or ()]
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the files that are compared."""
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "locks", tmp_path / "locks")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("locks/mariadb.txt", "pymysql==1", "pymysql==0", "and constraints.txt has PyMySQL=="),
        ("locks/mariadb.txt", "--hash=sha256:", "--hash=md5:", "not a pinned distribution"),
        ("locks/mariadb.txt", "pymysql==", "--index-url https://example.com/\npymysql==", "not a pinned distribution"),
        ("locks/mariadb.txt", "pymysql==", "attrs==1\npymysql==", "attrs is locked twice"),
        ("locks/mariadb.txt", "pymysql==", "other==", "PyMySQL>=1.1 is required, and nothing is locked"),
        ("pyproject.toml", '"PyMySQL>=1.1"', '"PyMySQL>=99"', "PyMySQL>=99 is required"),
        ("pyproject.toml", "\nencryption = [", "\nsecrecy = [", "locks/encryption.txt belongs to no extra"),
        ("pyproject.toml", "\nencryption = [", "\nsecrecy = [", "lacks the locks of secrecy"),
    ],
)
def test_lock_that_does_not_fit_is_found(
    lock: ModuleType, project: Path, file: str, old: str, new: str, problem: str
) -> None:
    text = (project / file).read_text()
    assert old in text
    (project / file).write_text(text.replace(old, new))
    assert any(problem in found for found in lock.problems(project))
