"""The distributions that the tests of this folder share."""

from pathlib import Path

import pytest

from tests.packaging.building import build, copy_sources


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources."""
    folder = tmp_path_factory.mktemp("packaging") / "source"
    copy_sources(folder)
    return folder


@pytest.fixture(scope="session")
def built(source: Path) -> Path:
    """The folder with the source distribution, and the wheel that was built from it."""
    folder = source.parent / "dist"
    build(source, folder)
    return folder
