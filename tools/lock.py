"""``make lock``: write locks/, the exact versions and hashes of what Dibs needs, for the base and for each extra.

A lock has every distribution for every platform, with the versions of constraints.txt where these have one. It names no
index: hashes make it safe to install from any. ``problems`` compares the locks with pyproject.toml without network.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOLDER = "locks"
NOT_LOCKED = {"docs", "release", "test"}
"""Extras for work on Dibs itself, which constraints.txt pins."""
HEADER = """\
# Made by `make lock`; do not edit. Install it, and then the wheel:
#     pip install --require-hashes --requirement {name}
#     pip install --no-deps dibs-*.whl
"""
INCLUDE = "--requirement base.txt\n"
ENTRY = re.compile(r"^\w.*\n(?:^ .*\n)*", re.MULTILINE)
PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?P<rest>[^#]*)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})\b")


class Pinned(NamedTuple):
    """A locked distribution, with the SHA-256 sums of its files."""

    name: str
    version: str
    hashes: list[str]


def main() -> int:
    """Write the locks; that of an extra refers to the base and has what the extra adds."""
    (ROOT / FOLDER).mkdir(exist_ok=True)
    for path in (ROOT / FOLDER).glob("*.txt"):
        path.unlink()
    base: list[str] = []
    for extra in lock_names(ROOT):
        path = lock_path(ROOT, extra)
        entries = ENTRY.findall(resolved(ROOT, extra))
        added = [INCLUDE, *(entry for entry in entries if entry not in base)] if base else entries
        base = base or entries
        path.write_text(HEADER.format(name=f"{FOLDER}/{path.name}") + "".join(added))
        print(f"{FOLDER}/{path.name}")
    found = list(problems(ROOT))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


def lock_names(root: Path) -> list[str]:
    """Return "base" and the extras that users install."""
    return ["base", *sorted(set(project(root).get("optional-dependencies", ())) - NOT_LOCKED)]


def lock_path(root: Path, extra: str) -> Path:
    """Return the path of the lock of the base, or of the base with an extra."""
    return root / FOLDER / f"{extra}.txt"


def project(root: Path) -> dict:
    """Return the table "project" of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]


def resolved(root: Path, extra: str) -> str:
    """Ask the index for versions and hashes; raise CalledProcessError when it cannot be asked."""
    uv = str(Path(sys.executable).with_name("uv"))
    command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version=3.11", "--generate-hashes"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--no-header"]
    command += ["--constraint=constraints.txt", "pyproject.toml"]
    command += [] if extra == "base" else [f"--extra={extra}"]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "lock.txt"
        subprocess.run([*command, f"--output-file={output}"], cwd=root, check=True)
        return output.read_text()


def lock_text(root: Path, extra: str) -> str:
    """Return a lock with the lock of the base that it refers to."""
    return lock_path(root, extra).read_text().replace(INCLUDE, lock_path(root, "base").read_text())


def pinned(root: Path, extra: str) -> Iterator[Pinned]:
    """Yield the distributions of a lock."""
    for entry in ENTRY.findall(lock_text(root, extra)):
        if found := PINNED.match(entry):
            yield Pinned(found["name"], found["version"], HASH.findall(entry))


def problems(root: Path) -> Iterator[str]:
    """Describe how the locks differ from pyproject.toml and constraints.txt; nothing when they fit."""
    names = lock_names(root)
    for path in sorted((root / FOLDER).glob("*.txt")):
        if path.stem not in names:
            yield f"{FOLDER}/{path.name} belongs to no extra; run `make lock`"
    pins = {canonicalize_name(line.partition("==")[0]): line for line in (root / "constraints.txt").read_text().split()}
    if missing := [extra for extra in names if not lock_path(root, extra).exists()]:
        yield f"{FOLDER}/ lacks the locks of {', '.join(missing)}; run `make lock`"
        return
    for extra in names:
        for problem in _problems_of(lock_text(root, extra), requirements_of(root, extra), pins):
            yield f"{FOLDER}/{extra}.txt: {problem}"


def requirements_of(root: Path, extra: str) -> list[Requirement]:
    """Return the requirements of the base and of an extra, with those of the extras that it consists of."""
    declared = project(root)
    found = [Requirement(each) for each in declared["dependencies"]]
    wanted = [] if extra == "base" else [extra]
    while wanted:
        for each in map(Requirement, declared["optional-dependencies"][wanted.pop()]):
            if each.name == "dibs":
                wanted += each.extras
            else:
                found.append(each)
    return found


def _problems_of(text: str, requirements: list[Requirement], pins: dict[str, str]) -> Iterator[str]:
    locked: dict[str, str] = {}
    for line in text.replace("\\\n", "").splitlines():
        if line.startswith("#"):
            continue
        entry = PINNED.fullmatch(line)
        if entry is None or "://" in line or HASH.sub("", entry["rest"]).partition(";")[0].strip():
            yield f"this is not a pinned distribution: {line[:80]}"
            continue
        name = canonicalize_name(entry["name"])
        if name in locked:
            yield f"{name} is locked twice"
        locked[name] = entry["version"]
        if not HASH.search(entry["rest"]):
            yield f"{name} has no hash"
        if name in pins and pins[name].partition("==")[2] != entry["version"]:
            yield f"{name} is {entry['version']}, and constraints.txt has {pins[name]}"
    for requirement in requirements:
        version = locked.get(canonicalize_name(requirement.name))
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            yield f"{requirement} is required, and {version or 'nothing'} is locked; run `make lock`"


if __name__ == "__main__":
    sys.exit(main())
