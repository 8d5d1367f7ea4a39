"""The command that makes keys: what it refuses, naming the option, before a file is written to."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("option", "value"), [
    ("--project", " "), ("--project", "p" * 129), ("--project", "喵" * 43), ("--project", "a\nb"),
    ("--user", "u" * 300), ("--user", "a\u202eb"), ("--body", "nameless"), ("--body", "default/" + "n" * 400),
])
def test_a_name_that_no_store_could_keep_is_refused(tmp_path, option, value):
    given = {"--project": "p", "--kind": "bound", "--user": "u", option: value}
    done = subprocess.run(
        [sys.executable, "-m", "infra.keys", "create", "--home", str(tmp_path), *(part for pair in given.items() for part in pair)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {option}: ")
    assert list(tmp_path.iterdir()) == []


def command(home, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "infra.keys", *arguments, "--home", str(home)], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_home_that_is_made_by_a_key_is_told_for_it_may_be_a_mistake(tmp_path):
    code, token, told = command(tmp_path / "new", "create", "--project", "p")
    assert (code, token[:19], told) == (0, "REVERIE_API_KEY=rv_", f"a new home: {tmp_path / 'new'}\n")
    assert command(tmp_path / "new", "create", "--project", "p")[2] == ""
    assert command(tmp_path / "new", "list", "--project", "p")[1].count("in force") == 2
    assert command(tmp_path / "new", "list", "--project", "q") == (0, "", "project q has no keys\n")


@pytest.mark.parametrize("arguments", [["list"], ["revoke", "x"]])
def test_in_a_home_that_is_not_there_nothing_is_looked_for_and_nothing_made(tmp_path, arguments):
    code, _, told = command(tmp_path / "none", *arguments)
    assert (code, str(tmp_path / "none") in told, (tmp_path / "none").exists()) == (1, True, False)


@pytest.mark.parametrize("needless", [["--kind", "host", "--user", "u"], ["--kind", "host", "--body", "a/b"], ["--kind", "mind", "--body", "a/b", "--user", "u"]])
def test_a_key_that_would_not_be_bound_by_what_it_is_given_is_refused(tmp_path, needless):
    assert command(tmp_path, "create", "--project", "p", *needless)[0] == 1
