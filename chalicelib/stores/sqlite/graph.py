"""The association graph in a SQLite file: edges alone. An entity is there as long as an edge has it at either end.

An edge is (scope, memory, source, relation, target), upserted and deleted with its memory. The version of a memory
stays when its edges go, so that a late older version finds it and stays out.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from chalicelib.errors import OutOfRange
from chalicelib.mind.association import Associations, Neighbourhood, Step
from chalicelib.mind.texts import broken
from chalicelib.stores.sqlite.characters import whole_characters
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.walks import MOST_HOPS, Edges, Walk, path

TABLES = (
    """CREATE TABLE IF NOT EXISTS edges (
        scope TEXT NOT NULL, memory TEXT NOT NULL, source TEXT NOT NULL, relation TEXT NOT NULL, target TEXT NOT NULL,
        source_type TEXT NOT NULL, target_type TEXT NOT NULL, state INTEGER NOT NULL,
        PRIMARY KEY (scope, memory, source, relation, target)
    ) WITHOUT ROWID""",
    """CREATE INDEX IF NOT EXISTS edges_by_source ON edges (scope, source, relation, target, memory)
        WHERE state IN (1, 2)""",
    """CREATE INDEX IF NOT EXISTS edges_by_target ON edges (scope, target, source, relation, memory)
        WHERE state IN (1, 2)""",
    """CREATE TABLE IF NOT EXISTS related (
        scope TEXT NOT NULL, memory TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (scope, memory)
    ) WITHOUT ROWID""",
)
VERSION = "SELECT version FROM related WHERE scope = ? AND memory = ?"
RELATED = "INSERT OR REPLACE INTO related (scope, memory, version) VALUES (?, ?, ?)"
SEVER = "DELETE FROM edges WHERE scope = ? AND memory = ?"
RELATE = (
    "INSERT OR REPLACE INTO edges (scope, memory, source, relation, target, source_type, target_type, state)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
ENTITIES = (
    "SELECT name, max(type) FROM ("
    "SELECT source AS name, source_type AS type FROM edges WHERE scope = :scope"
    " UNION ALL SELECT target, target_type FROM edges WHERE scope = :scope) GROUP BY name"
)


class SqliteGraph:
    """Implements `ports.AssociationGraph` on the shared file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        with database.writing() as cursor:
            for statement in TABLES:
                cursor.execute(statement)

    def relate(self, associations: Sequence[Associations]) -> None:
        """Take all of it or, raising, nothing: Malformed for half of a character."""
        if not associations:
            return
        with whole_characters(), self._database.writing() as cursor:
            for each in associations:
                replace(cursor, each)

    def reset(self) -> None:
        """Forget everything. Not of the port."""
        with self._database.writing() as cursor:
            cursor.execute("DELETE FROM edges")
            cursor.execute("DELETE FROM related")

    def neighbourhood(
        self, scopes: Sequence[str], entities: Sequence[str], *, hops: int, limit: int, hubs: Sequence[str] = ()
    ) -> Neighbourhood:
        """The edges within reach, at most 50 a hop. `truncated`: a bound other than hops and *hubs* left some out."""
        check(hops)
        starts = [(scope, name) for scope in known(scopes) for name in known(entities)]
        with self._database.reading() as cursor:
            walk = Walk(Edges(cursor), frozenset(hubs), starts)
            steps = [step for hop in range(1, hops + 1) for step in walk.taken(hop)]
        return Neighbourhood(tuple(steps[:max(limit, 0)]), walk.truncated or len(steps) > limit)

    def shortest_path(
        self, scopes: Sequence[str], source: str, target: str, *, hops: int = 4, hubs: Sequence[str] = ()
    ) -> tuple[Step, ...]:
        """The fewest edges, whichever way they point; of several ways the first by its edges, then by scope."""
        check(hops)
        if broken(source) or broken(target):
            return ()
        with self._database.reading() as cursor:
            paths = [path(Edges(cursor), scope, (source, target), hops, frozenset(hubs)) for scope in known(scopes)]
        return min((path for path in paths if path), key=lambda path: (len(path), *map(order, path)), default=())

    def entities(self, scope: str) -> Mapping[str, str]:
        """All entities of a scope with their types ("": unknown), in edges of any state. Not of the port."""
        with self._database.reading() as cursor:
            return dict(cursor.execute(ENTITIES, {"scope": scope}).fetchall())


def check(hops: int) -> None:
    """Raises OutOfRange unless a walk may be so long."""
    if not 1 <= hops <= MOST_HOPS:
        raise OutOfRange("hops", f"must be from 1 to {MOST_HOPS}")


def known(names: Sequence[str]) -> list[str]:
    """The names that the file may know, each once, in order."""
    return sorted({name for name in names if not broken(name)})


def order(step: Step) -> tuple[str, str, str, str, str]:
    """What ties between ways go by."""
    return step.source, step.relation, step.target, step.memory, step.scope


def replace(cursor: sqlite3.Cursor, each: Associations) -> None:
    """Put a memory's edges in the place of those before, unless what stands is as new or newer."""
    standing = cursor.execute(VERSION, (each.scope, each.memory)).fetchone()
    if standing is not None and standing[0] >= each.version:
        return
    cursor.execute(RELATED, (each.scope, each.memory, each.version))
    cursor.execute(SEVER, (each.scope, each.memory))
    cursor.executemany(RELATE, edges(each))


def edges(each: Associations) -> Iterator[tuple[str | int, ...]]:
    """The columns of a memory's edges."""
    for link in each.links:
        ends = link.source, link.relation, link.target
        yield each.scope, each.memory, *ends, link.source_type, link.target_type, each.state
