"""What a Table holds and takes: rows under ordered keys, and writes that carry the version they expect."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from chalicelib.errors import Conflict

MOST_WRITES = 100
"""Writes of one commit; DynamoDB's limit for a transaction (TransactWriteItems, API reference)."""

MOST_BYTES = 4_000_000
"""Bytes of one commit, keys and data as UTF-8 JSON; DynamoDB allows 4 MB a transaction."""

MOST_ROW_BYTES = 390_000
"""Bytes of one row; DynamoDB's item limit is 400 KB (409,600 bytes), names and overhead included."""


class Key(NamedTuple):
    """Where a row stands: rows of a partition are ordered by sort key (by Unicode code point)."""

    partition: str
    sort: str


class Expectation(Enum):
    """What a write may expect besides a version number."""

    ABSENT = "absent"
    ANY = "any"


ABSENT, ANY = Expectation.ABSENT, Expectation.ANY
Expected = int | Expectation
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One row as read. `version` starts at 1 and grows by 1 with each write; `expires` is in epoch seconds."""

    key: Key
    data: Data
    version: int
    expires: int | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """Write the whole row."""

    key: Key
    data: Data
    expect: Expected = ANY
    expires: int | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the row."""

    key: Key
    expect: Expected = ANY


@dataclass(frozen=True, slots=True)
class Check:
    """Write nothing; refuse the commit unless the row is as expected (ANY is pointless here and refused)."""

    key: Key
    expect: Expected


@dataclass(frozen=True, slots=True)
class Add:
    """Add integers to counters of the row, which is made if absent; no result may be below *floor*."""

    key: Key
    amounts: Mapping[str, int]
    floor: int | None = None


Write = Put | Delete | Check | Add


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in the order asked for, and the sort key to continue after (None: no more rows)."""

    rows: tuple[Row, ...]
    cursor: str | None


class RowConflict(Conflict):
    """A write met another row than it expected; *standing* is that row, None if there is none."""

    def __init__(self, key: Key, standing: Row | None) -> None:
        super().__init__(f"row {key.sort!r} is not as expected")
        self.key = key
        self.standing = standing
