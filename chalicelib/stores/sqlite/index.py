"""The search index in a SQLite file: exact, over rows that outlive the process and arrays that don't.

`index_rows` is the durable form, `index_cache` and `shelves` are the fast one; `candidates` and `listing` answer.
"""

from collections.abc import Mapping, Sequence

from chalicelib.errors import Conflict
from chalicelib.mind.documents import Document, Found, Kind, Removal, Search, Selected, Selection
from chalicelib.stores.sqlite import candidates, index_rows, listing
from chalicelib.stores.sqlite.characters import whole_characters
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.index_cache import Held, IndexCache
from chalicelib.stores.sqlite.index_rows import Claim
from chalicelib.stores.sqlite.shelves import Shelf

CACHE_BYTES = 256 * 2**20
"""Memory for scopes that are not in use; about 140,000 documents of 384 dimensions."""


class SqliteIndex:
    """Implements `ports.SearchIndex` on the shared file; safe for threads, and for other processes on the same file."""

    def __init__(self, database: Database, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._database = database
        self._cache = IndexCache(database, cache_bytes)
        with database.writing() as cursor:
            for statement in index_rows.TABLES:
                cursor.execute(statement)

    def claim(self, model: str, dimension: int) -> None:
        """Say which vectors it is about to hold; an index without any vector may be claimed anew."""
        claim = Claim(model, dimension)
        with whole_characters(), self._database.writing() as cursor:
            known = index_rows.claimed(cursor)
            if known == claim:
                return
            if known and index_rows.holds_vectors(cursor):
                raise Conflict(
                    f"the search index holds vectors of {known.model} ({known.dimension} dimensions), not of {model}"
                    f" ({dimension})"
                )
            index_rows.write_claim(cursor, claim)

    def reset(self, model: str, dimension: int) -> None:
        """Forget everything and claim anew. Not of the port; no other process may use the file meanwhile."""
        with whole_characters(), self._database.writing() as cursor:
            index_rows.clear(cursor)
            index_rows.write_claim(cursor, Claim(model, dimension))
        self._cache.clear()

    def apply(self, changes: Sequence[Document | Removal]) -> None:
        """Take all of it or, raising, nothing: Conflict for a vector not claimed, Malformed for half of a character."""
        if not changes:
            return
        with whole_characters(), self._database.writing() as cursor:
            index_rows.write(cursor, changes, index_rows.claimed(cursor))

    def search(self, scopes: Sequence[str], search: Search) -> Mapping[Kind, Found]:
        """The candidates of each kind, exact. Raises Conflict for a vector of another dimension than those held."""
        check(search.limit)
        with self._cache.opened(scopes) as held:
            return {kind: candidates.found(of_kind(held, kind), kind, search) for kind in search.kinds}

    def select(self, scopes: Sequence[str], selection: Selection) -> Selected:
        """A page of ids. Raises OutOfRange for a cursor that is none."""
        check(selection.limit)
        with self._cache.opened(scopes) as held:
            return listing.selected(of_kind(held, selection.kind), selection)

    def facets(self, scopes: Sequence[str], kind: Kind) -> Mapping[str, int]:
        """The counts; a state or label without a document has none."""
        with self._cache.opened(scopes) as held:
            return listing.facets(of_kind(held, kind).values())


def check(limit: int) -> None:
    """Raises ValueError where nothing is asked for, which is a mistake of the caller's code."""
    if limit < 1:
        raise ValueError("at least one is to be asked for")


def of_kind(held: Held, kind: Kind) -> dict[str, Shelf]:
    """The shelves of one kind, by scope, in order of scope."""
    return {scope: shelves[kind] for scope, shelves in held.items() if kind in shelves}
