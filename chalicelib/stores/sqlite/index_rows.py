"""The durable form of the search index: one row for each document that is or was, in a table of the shared file.

A removal keeps scope, id and version and nothing else, so that a late older version finds it and stays out. Every
change moves its row to a new, higher `seq`, over all scopes and processes: what a reader has not seen yet is what lies
past the last `seq` it has seen. Terms and labels are JSON, vectors are little-endian float32.
"""

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from chalicelib.errors import Conflict
from chalicelib.mind.documents import Document, Kind, Removal

FLOATS = np.dtype("<f4")
TABLES = (
    """CREATE TABLE IF NOT EXISTS documents (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
        kind TEXT, said_at INTEGER, state INTEGER, conversation TEXT, position INTEGER, speaker TEXT, role TEXT,
        expires_at INTEGER, labels TEXT, terms TEXT, vector BLOB,
        UNIQUE (scope, id)
    )""",
    "CREATE INDEX IF NOT EXISTS documents_by_scope ON documents (scope, seq)",
    """CREATE TABLE IF NOT EXISTS claim (
        one INTEGER PRIMARY KEY CHECK (one = 1), model TEXT NOT NULL, dimension INTEGER NOT NULL
    )""",
)
VERSION = "SELECT version FROM documents WHERE scope = ? AND id = ?"
PUT = (
    "INSERT OR REPLACE INTO documents (scope, id, version, kind, said_at, state, conversation, position, speaker, role,"
    " expires_at, labels, terms, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
REMOVE = "INSERT OR REPLACE INTO documents (scope, id, version) VALUES (?, ?, ?)"
SINCE = (
    "SELECT seq, id, kind, said_at, state, conversation, position, speaker, role, expires_at, labels, terms, vector"
    " FROM documents WHERE scope = ? AND seq > ? ORDER BY seq"
)

Columns = tuple[str | int | bytes | None, ...]


class Claim(NamedTuple):
    """Which vectors the index holds."""

    model: str
    dimension: int


class Record(NamedTuple):
    """A row as it is read; `kind` is None, and so is all that follows, where the document was removed."""

    seq: int
    id: str
    kind: Kind | None
    said_at: int
    state: int
    conversation: str
    position: int
    speaker: str
    role: str
    expires_at: int | None
    labels: str
    terms: str
    vector: bytes | None


def claimed(cursor: sqlite3.Cursor) -> Claim | None:
    """The vectors that were claimed."""
    row = cursor.execute("SELECT model, dimension FROM claim").fetchone()
    return Claim(*row) if row else None


def holds_vectors(cursor: sqlite3.Cursor) -> bool:
    """Whether there is any vector in the file."""
    return cursor.execute("SELECT 1 FROM documents WHERE vector IS NOT NULL LIMIT 1").fetchone() is not None


def write_claim(cursor: sqlite3.Cursor, claim: Claim) -> None:
    """Keep the claim in the place of the one before."""
    cursor.execute("INSERT OR REPLACE INTO claim (one, model, dimension) VALUES (1, ?, ?)", claim)


def clear(cursor: sqlite3.Cursor) -> None:
    """Forget every document and every removal; `seq` goes on where it was."""
    cursor.execute("DELETE FROM documents")


def write(cursor: sqlite3.Cursor, changes: Iterable[Document | Removal], claim: Claim | None) -> None:
    """Write what is newer than what stands. Raises Conflict for a vector that was not claimed."""
    for change in changes:
        columns: Columns = (change.scope, change.id, change.version)
        if isinstance(change, Document):
            columns += body(change, claim)
        standing = cursor.execute(VERSION, columns[:2]).fetchone()
        if standing is None or standing[0] < change.version:
            cursor.execute(REMOVE if isinstance(change, Removal) else PUT, columns)


def body(document: Document, claim: Claim | None) -> Columns:
    """All columns of a document after its version."""
    terms = {term: count for term, count in document.terms.items() if count > 0}
    return (
        document.kind, document.said_at, document.state, document.conversation, document.position, document.speaker,
        document.role, document.expires_at, compact(sorted(document.labels)), compact(terms),
        vector_bytes(document, claim),
    )


def compact(value: object) -> str:
    """JSON without a space; characters stand for themselves, which halves the room that Chinese takes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def vector_bytes(document: Document, claim: Claim | None) -> bytes | None:
    """The document's vector as it is stored. Raises Conflict if it is not of the kind that was claimed."""
    if document.vector is None:
        return None
    own = Claim(document.model, len(document.vector))
    if own != claim:
        known = f"{claim.model} ({claim.dimension})" if claim else "none"
        raise Conflict(f"a vector of {own.model} ({own.dimension}) came to an index that holds those of {known}")
    return np.asarray(document.vector, FLOATS).tobytes()


def changed_since(cursor: sqlite3.Cursor, scope: str, seq: int) -> list[Record]:
    """What has changed in the scope after *seq*, each document once, in order."""
    return [Record._make(row) for row in cursor.execute(SINCE, (scope, seq))]
