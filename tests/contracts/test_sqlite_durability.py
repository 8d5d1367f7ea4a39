"""kill -9 in the middle of commits: what was acknowledged is there, and nothing is there by half."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from chalicelib.mind.rows import Key
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.table import SqliteTable

ROOT = Path(__file__).resolve().parents[2]
ROWS = 5
WRITER = f"""
import sys, threading
from pathlib import Path
from chalicelib.mind.rows import ABSENT, Add, Key, Put
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.table import SqliteTable

table = SqliteTable(Database(Path(sys.argv[1]), lambda: 0.0))

def write(name):
    number = int(sys.argv[2])
    while True:
        rows = [Put(Key(name, f"{{number:06}}/{{row}}"), {{"text": "x" * 3000}}, ABSENT) for row in range({ROWS})]
        table.commit([*rows, Add(Key("counts", name), {{"commits": 1}})])
        sys.stdout.write(f"{{name}} {{number}}\\n")
        sys.stdout.flush()
        number += 1

for name in ("first", "second"):
    threading.Thread(target=write, args=(name,)).start()
"""


def killed_after(path, acknowledgements, start):
    """Run the writer until it has acknowledged so many commits, kill it, and return all it has acknowledged."""
    command = [sys.executable, "-c", WRITER, str(path), str(start)]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True) as writer:
        try:
            lines = [writer.stdout.readline() for _ in range(acknowledgements)]
        finally:
            writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.readlines()
    return {tuple(line.split()) for line in lines if line.endswith("\n")}


def commits(table, name):
    """Of each commit that left anything, how many of its rows there are."""
    found, after = {}, None
    while True:
        page = table.query(name, after=after, limit=500)
        for row in page.rows:
            number = row.key.sort.split("/")[0]
            found[number] = found.get(number, 0) + 1
        if page.cursor is None:
            return found
        after = page.cursor


@pytest.mark.parametrize("acknowledgements", [1, 40, 150])
def test_every_acknowledged_commit_is_there_and_none_by_half(tmp_path, acknowledgements):
    path = tmp_path / "rows.sqlite"
    acknowledged = killed_after(path, acknowledgements, 0) | killed_after(path, acknowledgements, 100_000)
    assert len(acknowledged) >= 2 * acknowledgements
    with closing(Database(path, lambda: 0.0)) as database:
        table = SqliteTable(database)
        for name in ("first", "second"):
            found = commits(table, name)
            assert {f"{int(number):06}" for of, number in acknowledged if of == name} <= set(found)
            assert set(found.values()) <= {ROWS}
            counter = Key("counts", name)
            assert [row.data["commits"] for row in table.get([counter]).values()] == ([len(found)] if found else [])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
