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
    listed = subprocess.run(
        [sys.executable, "-m", "infra.keys", "list", "--home", str(tmp_path), "--project", "p"], cwd=ROOT,
        capture_output=True, text=True, check=True, timeout=60,
    )
    assert listed.stdout == ""
