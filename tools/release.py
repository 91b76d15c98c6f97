"""``make release VERSION=0.2.0``: set the version, close the changelog, build and check the files, commit, tag.

The files are wheel, source distribution and SBOM (bill of materials). Nothing leaves this machine but questions about
known vulnerabilities: the last lines say what to push. When a step fails, the files are as they were before.
"""

import argparse
import email
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path

import lock
from sbom import bill_of_materials

ROOT = Path(__file__).parents[1]
UNRELEASED = "## Unreleased"
VERSION_LINE = re.compile(r'^version = "(?P<version>\d+\.\d+\.\d+)"$', re.MULTILINE)
AUDIT = (
    "pip-audit",
    "--require-hashes",
    "--disable-pip",
    f"--requirement={lock.FOLDER}/base.txt",
    f"--requirement={lock.FOLDER}/all.txt",
)
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


class Refused(Exception):
    """The release cannot be made; the message says why and what to do."""


def main() -> int:
    """Read the arguments, make the release, and return the exit status."""
    parser = argparse.ArgumentParser(description="Make a release: version, changelog, wheel, sdist, commit and tag.")
    parser.add_argument("version", help="version to release, for example 0.2.0")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder of the project (default: this one)")
    options = parser.parse_args()
    try:
        release(options.root, options.version)
    except Refused as refusal:
        print(f"No release: {refusal}", file=sys.stderr)
        return 1
    return 0


def release(root: Path, version: str) -> None:
    """Make the release in a clean working tree, or raise Refused and leave the tree as it was."""
    pyproject, changelog = root / "pyproject.toml", root / "CHANGELOG.md"
    check_tree(root, version)
    if wrong := list(lock.problems(root)):
        raise Refused("\n".join(wrong))
    before = {path: path.read_text() for path in (pyproject, changelog)}
    after = {
        pyproject: with_version(before[pyproject], version),
        changelog: with_release(
            before[changelog], version, datetime.now(UTC).date().isoformat(), schema_revision(root)
        ),
    }
    try:
        for path, text in after.items():
            path.write_text(text)
        built = [*build(root, version), write_sbom(root, version)]
        unasked = audit(root)
    except BaseException:
        for path, text in before.items():
            path.write_text(text)
        raise
    run(root, "git", "commit", "--quiet", "--all", "--message", f"Release {version}")
    run(root, "git", "tag", "--annotate", f"v{version}", "--message", f"Dibs {version}")
    branch = run(root, "git", "branch", "--show-current").strip() or "HEAD:main"
    print(f"Released {version} here: one commit, the tag v{version}, and these files:")
    for path in built:
        print(f"    {path.relative_to(root)}")
    if unasked:
        print(f"NOT CHECKED for known vulnerabilities: {unasked}. Before you publish, run where PyPI can be reached:")
        print(f"    {' '.join(AUDIT)}")
    print("Check them, then publish:")
    print(f"    git push origin {branch} v{version}")
    print(f"    twine upload {' '.join(str(path.relative_to(root)) for path in built if path.suffix != '.json')}")


def check_tree(root: Path, version: str) -> None:
    """Refuse a version or a working tree from which no release can be made."""
    if not VERSION.fullmatch(version):
        raise Refused(f"'{version}' is not a version. Write three numbers, for example 0.2.0.")
    if changed := run(root, "git", "status", "--porcelain").strip():
        raise Refused(f"the working tree has changes. Commit or remove them first:\n{changed}")
    if run(root, "git", "tag", "--list", f"v{version}").strip():
        raise Refused(f"the tag v{version} exists. Choose a later version.")


def with_version(pyproject: str, version: str) -> str:
    """Return pyproject.toml with this version."""
    found = VERSION_LINE.search(pyproject)
    if found is None:
        raise Refused('pyproject.toml has no line version = "0.1.0" or the like.')
    if numbers(version) < numbers(found["version"]):
        raise Refused(f"{version} is lower than {found['version']} in pyproject.toml. Choose a later version.")
    return pyproject[: found.start()] + f'version = "{version}"' + pyproject[found.end() :]


def numbers(version: str) -> tuple[int, ...]:
    """Return a version in a form that can be compared."""
    return tuple(int(part) for part in version.split("."))


def schema_revision(root: Path) -> str:
    """Return the number of the last migration."""
    names = [path.name for path in (root / "src/dibs/database/migrations/versions").glob("v*.py")]
    if not names:
        raise Refused("there are no migrations under src/dibs/database/migrations/versions.")
    return max(names)[1:5]


def with_release(changelog: str, version: str, date: str, revision: str) -> str:
    """Return the changelog with a heading for this version above what was unreleased, and an empty "Unreleased".

    The line with the revision says which schema the release has; tests/architecture/test_migrations.py reads it.
    """
    before, heading, after = changelog.partition(f"\n{UNRELEASED}\n")
    if not heading:
        raise Refused(f"CHANGELOG.md has no heading '{UNRELEASED}'.")
    if not after.partition("\n## ")[0].strip():
        raise Refused(f"CHANGELOG.md says nothing under '{UNRELEASED}'. Describe what changed for users and operators.")
    return f"{before}{heading}\n## {version} ({date})\n\nSchema revision {revision}.\n{after}"


def build(root: Path, version: str) -> list[Path]:
    """Build wheel and source distribution under dist/ and check them."""
    folder = root / "dist"
    wheel, sdist = folder / f"dibs-{version}-py3-none-any.whl", folder / f"dibs-{version}.tar.gz"
    for old in (wheel, sdist):
        old.unlink(missing_ok=True)
    run(root, sys.executable, "-m", "build", "--outdir", str(folder), str(root))
    for path in (wheel, sdist):
        if not path.exists():
            raise Refused(f"the build did not make {path.name}.")
    check_wheel(wheel, root, version)
    check_sdist(sdist, version)
    return [sdist, wheel]


def write_sbom(root: Path, version: str) -> Path:
    """Write the bill of materials of the release with all extras."""
    path = root / "dist" / f"dibs-{version}.cdx.json"
    path.write_text(bill_of_materials(root, version))
    return path


def audit(root: Path) -> str:
    """Refuse locked versions with known vulnerabilities; return why PyPI could not be asked, "" when it was."""
    done = subprocess.run(
        (tool(AUDIT[0]), *AUDIT[1:], "--format=json", "--progress-spinner=off"),
        cwd=root,
        capture_output=True,
        text=True,
    )
    try:
        found = json.loads(done.stdout)["dependencies"]
    except ValueError:
        return (done.stderr.strip().splitlines() or ["pip-audit printed nothing"])[-1]
    lines = [f"{each['name']} {each['version']}: {flaw['id']}" for each in found for flaw in each.get("vulns", ())]
    if lines:
        raise Refused("locked versions have known vulnerabilities; raise them in constraints.txt:\n" + "\n".join(lines))
    skipped = [each["name"] for each in found if each.get("skip_reason")]
    return f"PyPI did not know {len(skipped)} of {len(found)} distributions" if skipped else ""


def tool(name: str) -> str:
    """Return the path of a program of the environment that runs this one."""
    return str(Path(sys.executable).with_name(name))


def check_wheel(wheel: Path, root: Path, version: str) -> None:
    """Refuse a wheel that lacks a file of the package, or says another version."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        check_metadata(archive.read(f"dibs-{version}.dist-info/METADATA"), wheel, version)
    package = root / "src"
    wanted = {path.relative_to(package).as_posix() for path in package.rglob("*.py")} | {"dibs/py.typed"}
    if missing := sorted(wanted - names):
        raise Refused(f"{wheel.name} lacks {', '.join(missing)}.")


def check_sdist(sdist: Path, version: str) -> None:
    """Refuse a source distribution without tests or changelog, or that says another version."""
    with tarfile.open(sdist) as archive:
        top = f"dibs-{version}"
        texts = {}
        for name in ("PKG-INFO", "CHANGELOG.md", "tests/conftest.py"):
            try:
                member = archive.extractfile(f"{top}/{name}")
            except KeyError:
                raise Refused(f"{sdist.name} lacks {name}.") from None
            texts[name] = member.read() if member else b""
    check_metadata(texts["PKG-INFO"], sdist, version)
    if f"\n## {version} (".encode() not in texts["CHANGELOG.md"]:
        raise Refused(f"the changelog in {sdist.name} does not name {version}.")


def check_metadata(content: bytes, path: Path, version: str) -> None:
    """Refuse metadata of another name or version."""
    metadata: Message = email.message_from_bytes(content)
    if (metadata["Name"], metadata["Version"]) != ("dibs", version):
        raise Refused(f"{path.name} is {metadata['Name']} {metadata['Version']}, not dibs {version}.")


def run(root: Path, *command: str) -> str:
    """Run a command to its end and return its output; refuse the release when it fails."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"`{' '.join(command)}` failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
