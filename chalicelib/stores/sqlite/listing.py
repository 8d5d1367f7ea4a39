"""Lists from the embedded index: documents newest first, a page at a time, and how many there are of each."""

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from chalicelib.errors import OutOfRange
from chalicelib.mind.documents import Selected, Selection
from chalicelib.stores.sqlite.candidates import Corpus
from chalicelib.stores.sqlite.shelves import Rows, Shelf

CURSOR = re.compile(r"(-?[0-9]{1,18}) ([0-9]{1,9}) (.+)", re.DOTALL)
"""Said-at, number of the scope among those asked (in order), id."""

Age = tuple[int, str, int]


def age(corpus: Corpus, row: int) -> Age:
    """What the list is ordered by, downwards: said-at, id, number of the scope."""
    number, at = corpus.place(row)
    shelf = corpus.shelves[number]
    return int(shelf.said_at[at]), shelf.ids[at], number


def age_in(cursor: str) -> Age:
    """The place in the list that the cursor names. Raises OutOfRange for what is no cursor."""
    parts = CURSOR.fullmatch(cursor)
    if parts is None:
        raise OutOfRange("cursor", "this is no cursor of ours")
    return int(parts[1]), parts[3], int(parts[2])


def selected(shelves: Mapping[str, Shelf], selection: Selection) -> Selected:
    """A page of ids, newest first."""
    after = None if selection.after is None else age_in(selection.after)
    if not shelves:
        return Selected((), 0, None)
    corpus = Corpus(shelves, selection.filter)
    rows = following(corpus, np.flatnonzero(corpus.eligible), after)
    page = newest(corpus, rows, selection.limit)
    ids = tuple(corpus.name(row)[0] for row in page)
    if len(rows) <= len(page):
        return Selected(ids, corpus.documents, None)
    said_at, name, number = age(corpus, page[-1])
    return Selected(ids, corpus.documents, f"{said_at} {number} {name}")


def following(corpus: Corpus, rows: Rows, after: Age | None) -> Rows:
    """Those of the rows that stand after that place."""
    if after is None:
        return rows
    said_at = corpus.column("said_at")[rows]
    level = [row for row in rows[said_at == after[0]].tolist() if age(corpus, row) < after]
    return np.concatenate([rows[said_at < after[0]], np.array(level, np.int64)])


def newest(corpus: Corpus, rows: Rows, limit: int) -> list[int]:
    """The first *limit* rows of the list."""
    if len(rows) > limit:
        said_at = corpus.column("said_at")[rows]
        rows = rows[said_at >= np.partition(said_at, len(rows) - limit)[len(rows) - limit]]
    return heapq.nlargest(limit, rows.tolist(), key=lambda row: age(corpus, row))


def facets(shelves: Iterable[Shelf]) -> dict[str, int]:
    """How many documents there are in all, of each label, and in each state."""
    counts: Counter[str] = Counter()
    states: Counter[str] = Counter()
    total = 0
    for shelf in shelves:
        counts.update(dict(shelf.label_counts()))
        states.update({f"state:{state}": count for state, count in shelf.state_counts()})
        total += len(shelf.living)
    return {**counts, **states, "total": total}
