"""The Table in a SQLite file: one `rows` table in order of its primary key.

BINARY collation compares UTF-8 bytes, as DynamoDB does, and so does Python compare code points: one order everywhere.
An expired row is absent from all that is read and expected, and is overwritten as if it were not; `purge` drops it.
"""

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence

from chalicelib.mind.commits import Weighed, answerable, checked, holdable, outcome, weighed
from chalicelib.mind.rows import Add, Check, Key, Page, Put, Row, Write
from chalicelib.stores.sqlite.connection import Database

TABLES = (
    """CREATE TABLE IF NOT EXISTS rows (
        partition TEXT NOT NULL COLLATE BINARY, sort TEXT NOT NULL COLLATE BINARY,
        data TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER,
        PRIMARY KEY (partition, sort)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS rows_expiring ON rows (expires) WHERE expires IS NOT NULL",
)
GET = (
    "SELECT data, version, expires FROM rows WHERE partition = ? AND sort = ?"
    " AND (expires IS NULL OR expires > ?)"
)
SELECT = (
    "SELECT sort, data, version, expires FROM rows WHERE partition = ? AND sort >= ? AND sort < ?"
    " AND (expires IS NULL OR expires > ?) ORDER BY sort"
)
IN_ORDER, NEWEST_FIRST = f"{SELECT} LIMIT ?", f"{SELECT} DESC LIMIT ?"
NO_BOUND = b""
"""Any text is less than any blob (SQLite, Datatypes, Sort order)."""
PUT = "INSERT OR REPLACE INTO rows (partition, sort, data, version, expires) VALUES (?, ?, ?, ?, ?)"
DELETE = "DELETE FROM rows WHERE partition = ? AND sort = ?"
PURGE = (
    "DELETE FROM rows WHERE (partition, sort) IN"
    " (SELECT partition, sort FROM rows WHERE expires <= ? ORDER BY expires LIMIT ?)"
)
SCALAR_LAST, SURROGATES = 0x10FFFF, range(0xD800, 0xE000)


class SqliteTable:
    """Implements `ports.Table` on the shared file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        with database.writing() as cursor:
            for statement in TABLES:
                cursor.execute(statement)

    def get(self, keys: Sequence[Key]) -> Mapping[Key, Row]:
        """The rows that exist, in one consistent state."""
        found = {}
        wanted = [key for key in dict.fromkeys(keys) if holdable(key)]
        with self._database.reading() as cursor:
            now = self._now()
            for key in wanted:
                if row := standing(cursor, key, now):
                    found[key] = row
        return found

    def query(
        self, partition: str, prefix: str = "", *, after: str | None = None, until: str | None = None,
        limit: int = 100, newest_first: bool = False,
    ) -> Page:
        """A page of rows in order of sort key; *until* is an upper bound in both directions."""
        if not answerable(partition, prefix, after=after, until=until, limit=limit):
            return Page((), None)
        low, high = span(prefix, after=after, until=until, newest_first=newest_first)
        given = partition, low, NO_BOUND if high is None else high, self._now(), limit + 1
        with self._database.reading() as cursor:
            records = cursor.execute(NEWEST_FIRST if newest_first else IN_ORDER, given).fetchall()
        rows = tuple(row_of(Key(partition, sort), *columns) for sort, *columns in records[:limit])
        return Page(rows, rows[-1].key.sort if len(records) > limit else None)

    def commit(self, writes: Sequence[Write]) -> None:
        """Do all writes or none."""
        ready = checked(writes)
        if not ready:
            return
        with self._database.writing() as cursor:
            now = self._now()
            for each in ready:
                apply(cursor, each, now)

    def purge(self, limit: int) -> int:
        """Delete at most *limit* expired rows, those first that expired first; returns how many it deleted."""
        with self._database.writing() as cursor:
            return cursor.execute(PURGE, (self._now(), limit)).rowcount

    def _now(self) -> int:
        """The time in whole seconds: a row expires at the beginning of a second."""
        return math.floor(self._database.clock())


def row_of(key: Key, data: str, version: int, expires: int | None) -> Row:
    """A row from its columns."""
    return Row(key, json.loads(data), version, expires)


def standing(cursor: sqlite3.Cursor, key: Key, now: int) -> Row | None:
    """The row under the key, unless it has expired."""
    record = cursor.execute(GET, (*key, now)).fetchone()
    return row_of(key, *record) if record else None


def apply(cursor: sqlite3.Cursor, ready: Weighed, now: int) -> None:
    """Do one write. Raises RowConflict if it does not meet what it expects."""
    write = ready.write
    row = outcome(write, standing(cursor, write.key, now))
    if isinstance(write, Check):
        return
    if row is None:
        cursor.execute(DELETE, write.key)
        return
    text = weighed(Put(row.key, row.data)).text if isinstance(write, Add) else ready.text
    cursor.execute(PUT, (*row.key, text, row.version, row.expires))


def span(prefix: str, *, after: str | None, until: str | None, newest_first: bool) -> tuple[str, str | None]:
    """The sort keys asked for, as one half-open range, so that a page begins at its first row and nowhere earlier.

    The text that follows *t* with nothing between them is *t* and NUL.
    """
    lows, highs = [prefix], [successor(prefix), None if until is None else f"{until}\0"]
    if after is not None and newest_first:
        highs.append(after)
    elif after is not None:
        lows.append(f"{after}\0")
    return max(lows), min((high for high in highs if high is not None), default=None)


def successor(prefix: str) -> str | None:
    """The first text, by code point, after all that begin with *prefix*; None if there is none."""
    stem = prefix.rstrip(chr(SCALAR_LAST))
    if not stem:
        return None
    following = ord(stem[-1]) + 1
    return stem[:-1] + chr(SURROGATES.stop if following in SURROGATES else following)
