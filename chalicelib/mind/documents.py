"""What a search index holds, is asked and answers. Scores are not made here: see `ranking`."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Vector = array  # of typecode "f": float32, unit length, readable as a buffer by numpy without a copy
Kind = Literal["turn", "memory", "passage"]


@dataclass(frozen=True, slots=True)
class Document:
    """One thing that can be found. `id` is unique within its scope.

    `version` is external: an index keeps the highest it has seen, also of a removal, and ignores lower or equal ones.
    `terms` are counts made by our Analyser, so that every backend matches alike. Times are epoch milliseconds.
    """

    scope: str
    id: str
    kind: Kind
    version: int
    terms: Mapping[str, int]
    vector: "Vector[float] | None"
    model: str
    said_at: int
    state: int = 1
    conversation: str = ""
    position: int = 0
    speaker: str = ""
    role: str = ""
    labels: frozenset[str] = frozenset()
    expires_at: int | None = None

    @property
    def length(self) -> int:
        """The number of terms, repeats counted."""
        return sum(self.terms.values())


@dataclass(frozen=True, slots=True)
class Removal:
    """What is absent from the truth: the document goes, and no version up to this one comes back."""

    scope: str
    id: str
    version: int


@dataclass(frozen=True, slots=True)
class Filter:
    """What a document must be to be a candidate at all; it acts inside the search, never after it.

    `until`: said at or before. `at`: documents that expire at or before this time are gone. `labels`: all of them.
    """

    states: frozenset[int] = frozenset({1, 2, 3, 4})
    labels: frozenset[str] = frozenset()
    since: int | None = None
    until: int | None = None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One text of a question: its distinct terms, and its vector if there is an embedder."""

    terms: tuple[str, ...]
    vector: "Vector[float] | None"


@dataclass(frozen=True, slots=True)
class Search:
    """A question to the index: the best `limit` of each channel (vectors; words) for each text, kind by kind."""

    texts: tuple[Asked, ...]
    kinds: tuple[Kind, ...]
    limit: int = 200
    filter: Filter = field(default_factory=Filter)


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate: its cosine to each text (None: it has no vector) and how often it holds each asked term."""

    scope: str
    id: str
    kind: Kind
    cosines: tuple[float, ...] | None
    terms: Mapping[str, int]
    length: int
    said_at: int
    state: int
    conversation: str
    position: int
    speaker: str
    role: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of exactly the scopes searched and one kind: documents, their average length, how many hold each asked term."""

    documents: int
    average_length: float
    frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates of one kind in no order that means anything, with what scoring needs to know of the scopes.

    `background`: the mean cosine of each text to all documents of the scopes; None without vectors.
    """

    hits: tuple[Hit, ...]
    statistics: Statistics
    background: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Selection:
    """A list rather than a search: documents of a kind that pass the filter, newest first (said-at, then id)."""

    kind: Kind
    filter: Filter = field(default_factory=Filter)
    limit: int = 50
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Selected:
    """Ids in order, how many there are in all, and the cursor to continue after (None: no more)."""

    ids: tuple[str, ...]
    total: int
    cursor: str | None
