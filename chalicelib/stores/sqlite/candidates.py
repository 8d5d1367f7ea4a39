"""What a search of the embedded index chooses, exactly: the best by cosine and the best by BM25, text by text.

Scopes are seen as if they were one: rows are numbered through. Cosines are found fast and roughly by one matrix
product, whose last digits depend on where a row stands, and then reckoned again for those that may be among the best:
equal vectors have equal cosines, and ties go by id.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chalicelib.errors import Conflict
from chalicelib.mind.documents import Asked, Filter, Found, Hit, Kind, Search, Statistics
from chalicelib.stores.sqlite.index_rows import FLOATS
from chalicelib.stores.sqlite.shelves import Flags, Rows, Shelf

K1, B = 1.2, 0.75
"""Parameters of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, section 3.5)."""

ROUGH = 1e-5
"""More than a float32 product of unit vectors is ever wrong by (measured under 1e-6 in 384 dimensions)."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Holding:
    """The documents that hold a term, and how often each does."""

    rows: Rows
    counts: Rows


def joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """One array of all."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


class Corpus:
    """The documents of one kind in some scopes, of which those that pass the filter are `eligible`."""

    def __init__(self, shelves: Mapping[str, Shelf], chosen: Filter) -> None:
        """*shelves*: at least one, by scope, in order of scope."""
        self.scopes, self.shelves = list(shelves), list(shelves.values())
        self.starts = [0, *accumulate(shelf.rows for shelf in self.shelves)]
        self.eligible: Flags = joined([shelf.passing(chosen) for shelf in self.shelves])
        self.documents = int(np.count_nonzero(self.eligible))

    def column(self, name: str) -> NDArray[Any]:
        """A column of the shelves."""
        return joined([getattr(shelf, name)[:shelf.rows] for shelf in self.shelves])

    def place(self, row: int) -> tuple[int, int]:
        """The number of the shelf, and the row in it."""
        number = bisect_right(self.starts, row) - 1
        return number, row - self.starts[number]

    def name(self, row: int) -> tuple[str, int]:
        """What ties go by: the id, then the scope's number."""
        number, at = self.place(row)
        return self.shelves[number].ids[at], number

    def holding(self, term: str) -> Holding:
        """Who holds the term among the eligible."""
        found = [shelf.holding(term) for shelf in self.shelves]
        rows = joined([rows + start for (rows, _), start in zip(found, self.starts, strict=False)])
        passes = self.eligible[rows]
        return Holding(rows[passes], joined([counts for _, counts in found])[passes])

    def products(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rough cosines of the queries (first axis) to all rows; to a row without a vector they mean nothing."""
        parts = [self.product(shelf, queries) for shelf in self.shelves]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def product(self, shelf: Shelf, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rough cosines to a shelf. Raises Conflict for queries of another dimension.

        One product a query: for a few queries BLAS takes half as long for that as for all at once (measured).
        """
        dimension = shelf.vectors.shape[1]
        if not dimension:
            return np.zeros((len(queries), shelf.rows), np.float32)
        if dimension != queries.shape[1]:
            raise Conflict(f"a query of {queries.shape[1]} dimensions came to an index of {dimension}")
        return np.stack([shelf.vectors[:shelf.rows] @ query for query in queries])

    def cosines(self, rows: Rows, queries: NDArray[np.float32]) -> Floats:
        """Cosines of these rows, ascending and with vectors, to the queries; each depends on its two vectors alone."""
        edges = np.searchsorted(rows, self.starts)
        parts = [
            shelf.vectors[rows[low:high] - start]
            for shelf, start, low, high in zip(self.shelves, self.starts, edges, edges[1:], strict=False) if low < high
        ]
        if not parts:
            return np.zeros((0, len(queries)))
        vectors = joined(parts)
        return np.stack([(vectors * query).sum(axis=1) for query in queries.astype(np.float64)], axis=1)


def best(scores: NDArray[Any], rows: Rows, limit: int, name: Callable[[int], tuple[str, int]]) -> list[int]:
    """The rows of the *limit* highest scores, ties by name; only those at the edge are compared by it."""
    if len(rows) <= limit:
        return list(rows.tolist())
    edge = np.partition(scores, len(rows) - limit)[len(rows) - limit]
    above: list[int] = rows[scores > edge].tolist()
    return above + heapq.nsmallest(limit - len(above), rows[scores == edge].tolist(), key=name)


@dataclass(frozen=True, slots=True)
class Words:
    """The lexical channel: who holds what was asked, and BM25 over it."""

    corpus: Corpus
    held: Mapping[str, Holding]
    average: float

    @classmethod
    def read(cls, corpus: Corpus, texts: Sequence[Asked]) -> "Words":
        """Look up each asked term once."""
        held = {term: corpus.holding(term) for term in dict.fromkeys(term for text in texts for term in text.terms)}
        total = int(corpus.column("length")[corpus.eligible].sum())
        return cls(corpus, held, total / corpus.documents if corpus.documents else 0.0)

    @property
    def statistics(self) -> Statistics:
        """What scoring needs to know of the scopes."""
        return Statistics(self.corpus.documents, self.average, {term: len(one.rows) for term, one in self.held.items()})

    def chosen(self, texts: Sequence[Asked], limit: int) -> set[int]:
        """The best by BM25 for each text."""
        lengths = self.corpus.column("length")
        weights = {term: self.weights(one, lengths) for term, one in self.held.items()}
        chosen: set[int] = set()
        for text in texts:
            scores = np.zeros(len(lengths))
            for term in dict.fromkeys(text.terms):
                scores[self.held[term].rows] += weights[term]
            rows = np.flatnonzero(scores)
            chosen.update(best(scores[rows], rows, limit, self.corpus.name))
        return chosen

    def weights(self, one: Holding, lengths: NDArray[np.int64]) -> Floats:
        """What a term is worth in each document that holds it; idf = ln(1 + (N - df + .5) / (df + .5))."""
        idf = math.log(1 + (self.corpus.documents - len(one.rows) + 0.5) / (len(one.rows) + 0.5))
        norm = K1 * (1 - B + B * lengths[one.rows] / (self.average or 1.0))
        weights: Floats = idf * (one.counts * (K1 + 1)) / (one.counts + norm)
        return weights

    def counts(self, rows: Rows) -> list[dict[str, int]]:
        """How often each of these rows, ascending, holds each asked term that it holds."""
        place = np.full(len(self.corpus.eligible), -1)
        place[rows] = np.arange(len(rows))
        counts: list[dict[str, int]] = [{} for _ in range(len(rows))]
        for term, one in self.held.items():
            at = place[one.rows]
            inside = at >= 0
            for index, count in zip(at[inside].tolist(), one.counts[inside].tolist(), strict=True):
                counts[index][term] = count
        return counts


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vector channel: the texts that have a vector, and the eligible documents that have one."""

    corpus: Corpus
    queries: NDArray[np.float32]
    vectored: Flags
    rows: Rows
    complete: bool

    @classmethod
    def read(cls, corpus: Corpus, texts: Sequence[Asked]) -> "Vectors":
        """Gather the texts' vectors."""
        given = [np.asarray(text.vector, FLOATS) for text in texts if text.vector is not None]
        vectored = corpus.eligible & corpus.column("vectored")
        rows = np.flatnonzero(vectored)
        queries = np.stack(given) if given else np.zeros((0, 0), FLOATS)
        return cls(corpus, queries, vectored, rows, bool(given) and len(given) == len(texts))

    def chosen(self, limit: int) -> tuple[set[int], tuple[float, ...] | None]:
        """The best by cosine for each text, and the background."""
        if not len(self.queries) or not len(self.rows):
            return set(), None
        products = self.corpus.products(self.queries)
        if len(self.rows) < products.shape[1]:
            products = products[:, self.rows]
        chosen: set[int] = set()
        for number, row in enumerate(products):
            chosen.update(self.nearest(row, number, limit))
        mean = products.mean(axis=1, dtype=np.float64)
        return chosen, tuple(mean.tolist()) if self.complete else None

    def nearest(self, products: NDArray[np.float32], number: int, limit: int) -> list[int]:
        """The best by cosine for one text."""
        if len(self.rows) <= limit:
            return list(self.rows.tolist())
        edge = np.partition(products, len(products) - limit)[len(products) - limit]
        rows = self.rows[products >= edge - np.float32(ROUGH)]
        return best(self.corpus.cosines(rows, self.queries[number:number + 1])[:, 0], rows, limit, self.corpus.name)

    def cosines(self, rows: Rows) -> list[tuple[float, ...] | None]:
        """The cosines of these rows, ascending, to all texts; None where the row or any text has no vector."""
        if not self.complete:
            return [None] * len(rows)
        flags = self.vectored[rows]
        values = iter(self.corpus.cosines(rows[flags], self.queries).tolist())
        return [tuple(next(values)) if flag else None for flag in flags.tolist()]


def found(shelves: Mapping[str, Shelf], kind: Kind, search: Search) -> Found:
    """The candidates of one kind, ordered by id, with what scoring needs to know."""
    if not shelves:
        asked = dict.fromkeys((term for text in search.texts for term in text.terms), 0)
        return Found((), Statistics(0, 0.0, asked), None)
    corpus = Corpus(shelves, search.filter)
    words, vectors = Words.read(corpus, search.texts), Vectors.read(corpus, search.texts)
    near, background = vectors.chosen(search.limit)
    rows = np.array(sorted(near | words.chosen(search.texts, search.limit)), np.int64)
    hits = assembled(corpus, kind, rows, vectors.cosines(rows), words.counts(rows))
    return Found(tuple(sorted(hits, key=lambda hit: (hit.id, hit.scope))), words.statistics, background)


def assembled(
    corpus: Corpus, kind: Kind, rows: Rows, cosines: Sequence[tuple[float, ...] | None],
    counts: Sequence[Mapping[str, int]],
) -> list[Hit]:
    """The rows as hits."""
    facts = [corpus.column(name)[rows].tolist() for name in ("length", "said_at", "state")]
    hits = []
    for row, cosine, terms, length, said_at, state in zip(rows.tolist(), cosines, counts, *facts, strict=True):
        number, at = corpus.place(row)
        shelf = corpus.shelves[number]
        hits.append(Hit(
            corpus.scopes[number], shelf.ids[at], kind, cosine, terms, length, said_at, state, *shelf.places[at]
        ))
    return hits
