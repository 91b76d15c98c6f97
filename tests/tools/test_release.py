"""``tools/release.py`` in repositories of its own: it makes a release, or refuses and changes nothing."""

import importlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from dibs.database import revisions
from tests.clients.clouds import bare_environment

ROOT = Path(__file__).parents[2]
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info", "build", "dist", "var"
)

PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "dibs"
version = "0.1.0"
dependencies = ["msgspec>=0.18"]
"""
LOCK = f"msgspec==0.18.1 \\\n    --hash=sha256:{'0' * 64}\n"
BACKEND = 'def build_sdist(folder, settings=None):\n    raise RuntimeError("nothing can be built here")\n'
CHANGELOG = "# Changes\n\n## Unreleased\n\n- Something new.\n\n## 0.0.9 (2026-01-01)\n\n- Something old.\n"


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.com")
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def make_repository(folder: Path) -> None:
    """Commit everything that is in a folder."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "Tester")
    git(folder, "config", "user.email", "tester@example.com")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Start")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with the two files that a release changes, and a build that fails."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "backend.py").write_text(BACKEND)
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "src/dibs/database/migrations/versions").mkdir(parents=True)
    (tmp_path / "src/dibs/database/migrations/versions/v0042_answers.py").touch()
    (tmp_path / "constraints.txt").write_text("msgspec==0.18.1\n")
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks/base.txt").write_text(LOCK)
    (tmp_path / ".gitignore").write_text("__pycache__/\ndist/\nbuild/\n*.egg-info/\n")
    make_repository(tmp_path)
    return tmp_path


def release(root: Path, version: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in bare_environment().items() if name != "PYTHONPATH"}
    command = [sys.executable, ROOT / "tools/release.py", "--root", root, version]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def assert_refused(root: Path, version: str, reason: str) -> None:
    """The release is refused for this reason, and commits, tags and files are as before."""
    before = (git(root, "log", "--format=%H"), git(root, "tag"), git(root, "status", "--porcelain"), git(root, "diff"))
    done = release(root, version)
    assert done.returncode == 1, done.stdout
    assert reason in done.stderr
    assert (git(root, "log", "--format=%H"), git(root, "tag")) == before[:2]
    assert (git(root, "status", "--porcelain"), git(root, "diff")) == before[2:]


@pytest.mark.parametrize("version", ["1.0", "v0.2.0", "0.2.0rc1", "0.02.0"])
def test_a_version_that_is_not_three_numbers_is_refused(project: Path, version: str) -> None:
    assert_refused(project, version, f"'{version}' is not a version")


def test_a_lower_version_is_refused(project: Path) -> None:
    assert_refused(project, "0.0.10", "0.0.10 is lower than 0.1.0")


def test_a_version_that_has_a_tag_is_refused(project: Path) -> None:
    git(project, "tag", "v0.2.0")
    assert_refused(project, "0.2.0", "the tag v0.2.0 exists")


def test_a_changed_tree_is_refused_and_keeps_its_changes(project: Path) -> None:
    (project / "CHANGELOG.md").write_text(CHANGELOG + "- More.\n")
    assert_refused(project, "0.2.0", "M CHANGELOG.md")


def test_a_file_that_was_never_committed_is_refused(project: Path) -> None:
    (project / "notes.txt").write_text("x")
    assert_refused(project, "0.2.0", "?? notes.txt")


@pytest.mark.parametrize(
    ("changelog", "reason"),
    [
        ("# Changes\n\n## 0.0.9 (2026-01-01)\n", "has no heading '## Unreleased'"),
        ("# Changes\n\n## Unreleased\n\n## 0.0.9 (2026-01-01)\n\n- Old.\n", "says nothing under '## Unreleased'"),
    ],
)
def test_a_changelog_without_anything_new_is_refused(project: Path, changelog: str, reason: str) -> None:
    (project / "CHANGELOG.md").write_text(changelog)
    git(project, "commit", "--quiet", "--all", "--message", "Changelog")
    assert_refused(project, "0.2.0", reason)


def test_a_lock_that_does_not_fit_is_refused(project: Path) -> None:
    (project / "locks/base.txt").write_text(LOCK.replace("0.18.1", "0.18.2"))
    git(project, "commit", "--quiet", "--all", "--message", "Lock")
    assert_refused(project, "0.2.0", "msgspec is 0.18.2, and constraints.txt has msgspec==0.18.1")


def test_a_build_that_fails_leaves_the_files_as_they_were(project: Path) -> None:
    assert_refused(project, "0.2.0", "nothing can be built here")


@pytest.fixture
def release_tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("release")


def write_wheel(folder: Path, version: str, *names: str) -> Path:
    path = folder / "dibs-0.2.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("dibs-0.2.0.dist-info/METADATA", f"Name: dibs\nVersion: {version}\n")
        for name in names:
            archive.writestr(name, "")
    return path


@pytest.mark.parametrize(
    ("version", "names", "reason"),
    [
        ("0.2.0", ("dibs/py.typed",), r"lacks dibs/__init__\.py"),
        ("0.2.0", ("dibs/__init__.py",), r"lacks dibs/py\.typed"),
        ("0.1.0", ("dibs/__init__.py", "dibs/py.typed"), "is dibs 0.1.0, not dibs 0.2.0"),
    ],
)
def test_a_wheel_that_lacks_a_file_or_has_another_version_is_refused(
    tmp_path: Path, release_tool: ModuleType, version: str, names: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "src/dibs").mkdir(parents=True)
    (tmp_path / "src/dibs/__init__.py").touch()
    wheel = write_wheel(tmp_path, version, *names)
    with pytest.raises(release_tool.Refused, match=reason):
        release_tool.check_wheel(wheel, tmp_path, "0.2.0")


def test_a_source_distribution_without_tests_is_refused(tmp_path: Path, release_tool: ModuleType) -> None:
    (tmp_path / "PKG-INFO").write_text("Name: dibs\nVersion: 0.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text("\n## 0.2.0 (2026-01-01)\n")
    sdist = tmp_path / "dibs-0.2.0.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        for name in ("PKG-INFO", "CHANGELOG.md"):
            archive.add(tmp_path / name, f"dibs-0.2.0/{name}")
    with pytest.raises(release_tool.Refused, match=r"lacks tests/conftest\.py"):
        release_tool.check_sdist(sdist, "0.2.0")


def test_a_release_has_version_changelog_commit_tag_wheel_and_sdist(tmp_path: Path) -> None:
    root = tmp_path / "dibs"
    shutil.copytree(ROOT, root, ignore=NOT_COPIED)
    make_repository(root)
    done = release(root, "0.99.0")
    assert done.returncode == 0, done.stderr
    assert {path.name.removeprefix("dibs-0.99.0") for path in (root / "dist").iterdir()} == {
        ".cdx.json",
        ".tar.gz",
        "-py3-none-any.whl",
    }
    assert_bill_of_materials((root / "dist/dibs-0.99.0.cdx.json").read_text(), root)
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "log", "--format=%s") == "Release 0.99.0\nStart\n"
    assert git(root, "rev-parse", "v0.99.0^{commit}") == git(root, "rev-parse", "HEAD")
    assert git(root, "diff", "--stat", "HEAD~1", "--name-only").split() == ["CHANGELOG.md", "pyproject.toml"]
    changelog = (root / "CHANGELOG.md").read_text()
    assert changelog.index("## Unreleased\n") < changelog.index("\n## 0.99.0 (")
    assert f"\nSchema revision {revisions.newest()}.\n" in changelog
    assert "git push origin main v0.99.0" in done.stdout
    assert release(root, "0.99.0").returncode == 1


def assert_bill_of_materials(text: str, root: Path) -> None:
    """It names each locked distribution with its hashes, and nothing of this machine."""
    document = json.loads(text)
    assert (document["bomFormat"], document["metadata"]["component"]["version"]) == ("CycloneDX", "0.99.0")
    found = {component["name"]: component for component in document["components"]}
    locked = "".join((root / f"locks/{name}.txt").read_text() for name in ("base", "all"))
    assert {f"{name}=={component['version']}" for name, component in found.items()} == set(
        re.findall(r"(?m)^[\w.-]+==[^ ]+", locked)
    )
    assert all(component["hashes"] for component in found.values())
    assert str(root.parent) not in text


@pytest.mark.parametrize(
    ("printed", "unasked"),
    [
        ({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}, ""),
        ({"dependencies": [{"name": "a", "skip_reason": "?"}]}, "PyPI did not know 1 of 1 distributions"),
        ("no network", "pip-audit printed nothing"),
    ],
)
def test_an_audit_without_an_answer_is_reported(
    release_tool: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, printed: object, unasked: str
) -> None:
    monkeypatch.setattr(release_tool, "tool", lambda name: pretend(tmp_path, printed))
    assert release_tool.audit(tmp_path) == unasked


def test_a_known_vulnerability_is_refused(
    release_tool: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    printed = {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1"}]}]}
    monkeypatch.setattr(release_tool, "tool", lambda name: pretend(tmp_path, printed))
    with pytest.raises(release_tool.Refused, match="a 1: PYSEC-1"):
        release_tool.audit(tmp_path)


def pretend(folder: Path, printed: object) -> str:
    """Return a program that prints what pip-audit would."""
    (folder / "printed").write_text(printed if isinstance(printed, str) else json.dumps(printed))
    program = folder / "pip-audit"
    program.write_text(f"#!/bin/sh\ncat {folder}/printed\n")
    program.chmod(0o755)
    return str(program)
