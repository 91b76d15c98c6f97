"""The files from npm in the console are those that vendor.json records."""

import hashlib
import json
from pathlib import Path

VENDOR = Path(__file__).parents[2] / "src/dibs/console/assets/vendor"


def test_every_file_has_a_version_a_licence_and_the_recorded_checksum() -> None:
    record = json.loads((VENDOR / "vendor.json").read_text())
    recorded = {file["name"]: file["sha256"] for package in record for file in package["files"]}
    files = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in VENDOR.iterdir()}
    del files["vendor.json"]
    assert files == recorded
    assert all(package["version"] and package["licence"] for package in record)
    assert all(any("LICENSE" in file["name"] for file in package["files"]) for package in record)
