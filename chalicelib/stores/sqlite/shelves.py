"""The fast form of the search index: the documents of one kind in one scope, as rows of arrays.

A row is written once: a new version of a document takes a new row and its old one is dead. Arrays grow geometrically,
so adding a few documents to many costs what the few cost.
"""

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chalicelib.mind.documents import Filter
from chalicelib.stores.sqlite.index_rows import FLOATS, Record

NEVER = np.iinfo(np.int64).max
ROW_BYTES, NAME_BYTES, ENTRY_BYTES = 700, 350, 8
"""Estimates of what a row, a term or label, and a posting take beside the vectors (CPython 3.11, 64 bits)."""

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


class Posting(NamedTuple):
    """The rows that hold a term, ascending, and how often each does."""

    rows: "array[int]"
    counts: "array[int]"


class Place(NamedTuple):
    """What a hit says of a document that no search looks at."""

    conversation: str
    position: int
    speaker: str
    role: str


def new_posting() -> Posting:
    """A posting without rows."""
    return Posting(array("i"), array("i"))


def grown(old: NDArray[Any], rows: int) -> NDArray[Any]:
    """The array with room for so many rows: itself, or a copy at least twice as long."""
    if rows <= len(old):
        return old
    new = np.zeros((max(rows, 2 * len(old)), *old.shape[1:]), old.dtype)
    new[:len(old)] = old
    return new


def parsed(texts: Sequence[str]) -> list[Any]:
    """Many JSON texts, read at once: equal names become one object."""
    values: list[Any] = json.loads(f"[{','.join(texts)}]")
    return values


class Shelf:
    """Rows 0 to `rows`; arrays may be longer. Not safe for threads by itself."""

    def __init__(self) -> None:
        self.rows = 0
        self.ids: list[str] = []
        self.places: list[Place] = []
        self.living: dict[str, int] = {}
        self.alive: Flags = np.zeros(0, np.bool_)
        self.vectored: Flags = np.zeros(0, np.bool_)
        self.length: NDArray[np.int64] = np.zeros(0, np.int64)
        self.said_at: NDArray[np.int64] = np.zeros(0, np.int64)
        self.state: NDArray[np.int64] = np.zeros(0, np.int64)
        self.expires_at: NDArray[np.int64] = np.zeros(0, np.int64)
        self.vectors: NDArray[np.float32] = np.zeros((0, 0), FLOATS)
        self.terms: defaultdict[str, Posting] = defaultdict(new_posting)
        self.labels: defaultdict[str, Posting] = defaultdict(new_posting)
        self.entries = 0

    @property
    def dead(self) -> int:
        """How many rows hold what is no longer so."""
        return self.rows - len(self.living)

    @property
    def size(self) -> int:
        """About how many bytes of memory this takes."""
        names = len(self.terms) + len(self.labels)
        return self.vectors.nbytes + ROW_BYTES * len(self.alive) + NAME_BYTES * names + ENTRY_BYTES * self.entries

    def drop(self, name: str) -> None:
        """Forget the document, if it is here."""
        row = self.living.pop(name, None)
        if row is not None:
            self.alive[row] = False

    def add(self, records: Sequence[Record]) -> None:
        """Add documents, none of which is here, as new rows."""
        start, end = self.rows, self.rows + len(records)
        self.reserve(end)
        terms = parsed([record.terms for record in records])
        self.ids += [record.id for record in records]
        self.places += [Place(record.conversation, record.position, record.speaker, record.role) for record in records]
        self.living.update(zip(self.ids[start:], range(start, end), strict=True))
        self.alive[start:end] = True
        self.length[start:end] = [sum(counts.values()) for counts in terms]
        self.said_at[start:end] = [record.said_at for record in records]
        self.state[start:end] = [record.state for record in records]
        self.expires_at[start:end] = [NEVER if record.expires_at is None else record.expires_at for record in records]
        self.add_vectors(start, [record.vector for record in records])
        self.post(self.terms, start, terms)
        self.post(self.labels, start, [dict.fromkeys(labels, 1) for labels in parsed([one.labels for one in records])])
        self.rows = end

    def reserve(self, rows: int) -> None:
        """Make room for so many rows."""
        for name in ("alive", "vectored", "length", "said_at", "state", "expires_at", "vectors"):
            setattr(self, name, grown(getattr(self, name), rows))

    def add_vectors(self, start: int, vectors: Sequence[bytes | None]) -> None:
        """Put the vectors of new rows in their places."""
        held = [(start + at, vector) for at, vector in enumerate(vectors) if vector is not None]
        if not held:
            return
        rows = [row for row, _ in held]
        matrix = np.frombuffer(b"".join(vector for _, vector in held), FLOATS).reshape(len(held), -1)
        if self.vectors.shape[1] != matrix.shape[1]:  # the first; or the claim has changed, and no older one is alive
            self.vectors = np.zeros((len(self.alive), matrix.shape[1]), FLOATS)
        self.vectors[rows] = matrix
        self.vectored[rows] = True

    def post(self, postings: defaultdict[str, Posting], start: int, held: Sequence[dict[str, int]]) -> None:
        """Note which names the new rows hold, and how often."""
        for row, counts in enumerate(held, start):
            for name, count in counts.items():
                posting = postings[name]
                posting.rows.append(row)
                posting.counts.append(count)
            self.entries += len(counts)

    def holding(self, term: str) -> tuple[Rows, Rows]:
        """The rows that hold a term, dead ones too, and how often each does."""
        posting = self.terms.get(term)
        if posting is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.array(posting.rows, np.int64), np.array(posting.counts, np.int64)

    def passing(self, chosen: Filter) -> Flags:
        """For each row whether it is alive and passes the filter."""
        rows, said_at = self.rows, self.said_at[:self.rows]
        passes = self.alive[:rows] & np.isin(self.state[:rows], list(chosen.states))
        if chosen.since is not None:
            passes &= said_at >= chosen.since
        if chosen.until is not None:
            passes &= said_at <= chosen.until
        if chosen.at is not None:
            passes &= self.expires_at[:rows] > chosen.at
        for label in chosen.labels:
            passes &= self.labelled(label)
        return passes

    def labelled(self, label: str) -> Flags:
        """For each row whether it has the label."""
        flags = np.zeros(self.rows, np.bool_)
        if label in self.labels:
            flags[np.array(self.labels[label].rows)] = True
        return flags

    def label_counts(self) -> Iterator[tuple[str, int]]:
        """Each label that a living document has, with the number of those."""
        for label, posting in self.labels.items():
            if count := int(np.count_nonzero(self.alive[np.array(posting.rows)])):
                yield label, count

    def state_counts(self) -> Iterator[tuple[int, int]]:
        """Each state that a living document has, with the number of those."""
        states, counts = np.unique(self.state[:self.rows][self.alive[:self.rows]], return_counts=True)
        yield from zip(states.tolist(), counts.tolist(), strict=True)
