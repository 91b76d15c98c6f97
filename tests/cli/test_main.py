"""The application: ``dibs`` without a command, and misspelled variables."""

import io

import pytest

from dibs.cli.main import Dibs, main


def test_dibs_without_a_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert not ended.value.code
    with pytest.raises(SystemExit):
        main(["--help"])
    bare, _, asked = capsys.readouterr().out.partition("usage: ")[2].partition("usage: ")
    assert "frequent commands:" in bare
    assert bare == asked


def test_a_variable_that_nothing_reads_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIBS_DATABSE", "postgresql://olga:secret@db/dibs")
    app = Dibs()
    app.stdout, app.stderr = io.StringIO(), io.StringIO()
    assert app.run(["clouds-yaml"]) == 0
    assert app.stdout.getvalue().startswith("clouds:")
    assert app.stderr.getvalue() == (
        "Warning: the variable DIBS_DATABSE is not known and has no effect. Did you mean DIBS_DATABASE?\n"
    )
