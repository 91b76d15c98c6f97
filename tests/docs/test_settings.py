"""The page about settings lists all of them as they are."""

from pathlib import Path

from dibs.settings import FIELDS

PAGE = Path(__file__).parents[2] / "docs" / "operations" / "settings.md"


def test_every_setting_is_listed_with_its_default_and_meaning() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    expected = []
    for name, field in FIELDS.items():
        default = str(field.default).lower() if isinstance(field.default, bool) else field.default
        shown = "" if default == "" else f"`{default}`"
        expected.append(f"| `{name}` | {shown} | {field.metadata['help']} |")
    assert rows == expected
