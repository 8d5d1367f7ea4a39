"""rebuild: what the Table holds, once more into index and graph; for instance after a change of the embedding model.

First every turn and every memory goes into the outbox, then index and graph are emptied, then the outbox is drained.
So it may be killed at any moment: what has been noted is projected by whoever comes next, the sweep of a server or a
second call, and nothing is emptied before all that is needed to refill it is noted. Index and graph may be of any kind.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chalicelib.mind.rows import MOST_WRITES, Delete, Put, Row
from chalicelib.mind.scopes import Scope
from chalicelib.ports import Table
from chalicelib.projection import Projection
from chalicelib.records import keys
from chalicelib.records.bodies import Bodies
from chalicelib.records.pending import marked, marked_scope, noted_again

RECORDS = keys.TURNS, keys.MEMORIES
"""Prefixes of what is projected."""

PAGE = MOST_WRITES - 1
"""Records noted in one commit, beside the scope's mark."""

Told = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Rebuild:
    """The verb. *empty* makes index and graph forget, for good; *projection* opens the way into them after that."""

    table: Table
    bodies: Bodies
    empty: Callable[[], None]
    projection: Callable[[], Projection]

    def __call__(self, model: str, told: Told) -> int:
        """Rebuild for the vectors of *model*, or go on where a call for the same has stopped; how many records."""
        if not self.interrupted(model):
            self.table.commit([Delete(keys.rebuild())])
            self.note(told)
            self.empty()
            self.table.commit([Put(keys.rebuild(), {"model": model})])
        done = self.refill(told)
        self.table.commit([Delete(keys.rebuild())])
        return done

    def interrupted(self, model: str) -> bool:
        """Whether index and graph have been emptied for this model, and not all that was noted then is back.

        What else is pending says nothing: a server may have finished the rebuild and gone on remembering.
        """
        row = self.table.get([keys.rebuild()]).get(keys.rebuild())
        return row is not None and row.data["model"] == model and any(map(self.noted, self.bodies.everywhere()))

    def noted(self, scope: Scope) -> bool:
        """True if records of the scope are noted to be projected once more."""
        return bool(self.table.query(scope.partition, keys.AGAIN, limit=1).rows)

    def note(self, told: Told) -> None:
        """Put all records of all scopes into the outbox."""
        count = 0
        for scope in self.bodies.everywhere():
            for page in self.pages(scope):
                again = [noted_again(scope, row.key) for row in page]
                self.table.commit([*again, marked(scope)])
                count += len(page)
                told("noted", count)

    def pages(self, scope: Scope) -> Iterator[tuple[Row, ...]]:
        """The records of a scope, page by page."""
        for prefix in RECORDS:
            after = None
            while True:
                page = self.table.query(scope.partition, prefix, after=after, limit=PAGE)
                if page.rows:
                    yield page.rows
                if page.cursor is None:
                    break
                after = page.cursor

    def refill(self, told: Told) -> int:
        """Project all that is noted; returns how many records. Raises Unavailable where a store or a model fails."""
        projection, done = self.projection(), 0
        for mark in projection.marks():
            scope = marked_scope(mark)
            while count := projection.step(scope):
                done += count
                told("projected", done)
            if not projection.busy(scope):
                projection.unmark(mark)
        return done
