"""Scopes in memory, caught up with the file at each use; those used least lately go when there are too many.

Other processes write the same file, so nothing here is believed without asking: one query a scope reads what has
changed since the last use, which is mostly nothing.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Lock

from chalicelib.mind.documents import Kind
from chalicelib.mind.texts import broken
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.index_rows import Record, changed_since
from chalicelib.stores.sqlite.shelves import Shelf

FEW = 256
"""Dead rows that are never worth reading a scope again."""

SCOPE_BYTES = 400
"""Estimate of what a scope takes beside its shelves (CPython 3.11, 64 bits)."""

Held = dict[str, dict[Kind, Shelf]]


class CachedScope:
    """The shelves of one scope as of `seq`. Whoever looks at them holds the lock; `noted` is the cache's own."""

    def __init__(self) -> None:
        self.lock, self.noted = Lock(), 0
        self.clear()

    def clear(self) -> None:
        """Know nothing."""
        self.seq = 0
        self.shelves: dict[Kind, Shelf] = {}

    @property
    def size(self) -> int:
        """About how many bytes of memory this takes."""
        return SCOPE_BYTES + sum(shelf.size for shelf in self.shelves.values())

    @property
    def worn(self) -> bool:
        """Whether more than half of the rows are dead."""
        dead = sum(shelf.dead for shelf in self.shelves.values())
        return dead > FEW and dead > sum(len(shelf.living) for shelf in self.shelves.values())

    def catch_up(self, cursor: sqlite3.Cursor, scope: str) -> None:
        """Take what has changed in the file."""
        try:
            self.take(changed_since(cursor, scope, self.seq))
            if self.worn:
                self.clear()
                self.take(changed_since(cursor, scope, 0))
        except BaseException:
            self.clear()
            raise

    def take(self, records: Sequence[Record]) -> None:
        """Put these documents in the place of what was known of them."""
        if not records:
            return
        for shelf in self.shelves.values():
            for record in records:
                shelf.drop(record.id)
        for kind in sorted({record.kind for record in records if record.kind is not None}):
            self.shelves.setdefault(kind, Shelf()).add([record for record in records if record.kind == kind])
        self.seq = records[-1].seq


class IndexCache:
    """The scopes in memory, about `most_bytes` at the most beside those in use."""

    def __init__(self, database: Database, most_bytes: int) -> None:
        self._database, self._most_bytes = database, most_bytes
        self._lock = Lock()
        self._scopes: OrderedDict[str, CachedScope] = OrderedDict()
        self._total = 0

    @contextmanager
    def opened(self, scopes: Sequence[str]) -> Iterator[Held]:
        """The shelves of these scopes, as the file has them now; nobody else changes them meanwhile.

        Scopes are locked in order of their names, so that two who want the same never wait for each other.
        """
        names = sorted({scope for scope in scopes if not broken(scope)})
        with ExitStack() as locks:
            cached = {name: self._scope(name) for name in names}
            for scope in cached.values():
                locks.enter_context(scope.lock)
            try:
                with self._database.reading() as cursor:
                    for name, scope in cached.items():
                        scope.catch_up(cursor, name)
            finally:
                self._bound(cached)
            yield {name: scope.shelves for name, scope in cached.items()}

    def clear(self) -> None:
        """Know nothing; whoever is looking at a scope just now may finish."""
        with self._lock:
            self._scopes.clear()
            self._total = 0

    @property
    def sizes(self) -> dict[str, int]:
        """About how many bytes each scope in memory takes; 0 for one that is being read for the first time."""
        with self._lock:
            return {name: scope.noted for name, scope in self._scopes.items()}

    def _scope(self, name: str) -> CachedScope:
        """The scope, now the one used last."""
        with self._lock:
            scope = self._scopes.setdefault(name, CachedScope())
            self._scopes.move_to_end(name)
            return scope

    def _bound(self, used: dict[str, CachedScope]) -> None:
        """Note what the scopes in use take, and let go of those used least lately until the rest is small enough.

        What the file knows nothing of, or could not be read, is not kept: anybody can make up names of scopes.
        """
        with self._lock:
            for name, scope in used.items():
                if self._scopes.get(name) is scope:
                    self._note(name, scope)
            while self._total > self._most_bytes and (oldest := next(iter(self._scopes))) not in used:
                self._let_go(oldest)

    def _note(self, name: str, scope: CachedScope) -> None:
        """Note what a scope takes now, or let go of it where it knows nothing."""
        if not scope.seq:
            self._let_go(name)
            return
        before, scope.noted = scope.noted, scope.size
        self._total += scope.noted - before

    def _let_go(self, name: str) -> None:
        """Keep the scope no longer; whoever is looking at it just now may finish."""
        self._total -= self._scopes.pop(name).noted
