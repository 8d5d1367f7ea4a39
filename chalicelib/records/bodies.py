"""Bodies and the refs of their scopes: made on first use, by any verb."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.mind.ids import ref_of
from chalicelib.mind.rows import ABSENT, Key, Put, Row, Write
from chalicelib.mind.scopes import Body, Scope, scope_named, unescaped
from chalicelib.mind.times import iso, parsed
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.counting import total

MOST_CHARACTERS = 200
"""Speakers that a scope knows by name; later ones are remembered too, but no name in a question is taken for theirs."""


@dataclass(frozen=True, slots=True)
class Place:
    """A scope as it stands: whether body and scope exist yet, and who has spoken in it."""

    scope: Scope
    body_row: Row | None
    scope_row: Row | None

    @property
    def characters(self) -> tuple[str, ...]:
        """The names of its speakers."""
        return tuple(self.scope_row.data["characters"]) if self.scope_row else ()


@dataclass(frozen=True, slots=True)
class KnownBody:
    """A body in a list."""

    body: Body
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Bodies:
    """Reads of bodies and scopes, and the writes that make them."""

    table: Table

    def keys(self, scope: Scope) -> tuple[Key, Key]:
        """Where body and scope are kept."""
        return keys.body(scope.body), keys.scope_ref(scope.body.project, scope.ref)

    def places(self, scopes: Sequence[Scope]) -> tuple[Place, ...]:
        """The scopes as they stand, in one read."""
        return self.placed(scopes, self.table.get([key for scope in scopes for key in self.keys(scope)]))

    def placed(self, scopes: Iterable[Scope], rows: Mapping[Key, Row]) -> tuple[Place, ...]:
        """The scopes, from rows already read."""
        return tuple(Place(scope, *(rows.get(key) for key in self.keys(scope))) for scope in scopes)

    def founding(self, place: Place, speakers: Iterable[str], *, now: datetime) -> list[Write]:
        """The writes that make body and scope where they are missing and add speakers that are new."""
        body, ref = self.keys(place.scope)
        names = tuple(dict.fromkeys((*place.characters, *filter(None, speakers))))[:MOST_CHARACTERS]
        writes: list[Write] = []
        if place.body_row is None:
            writes.append(Put(body, {"created": iso(now)}, ABSENT))
        if place.scope_row is None or names != place.characters:
            data = {"scope": place.scope.partition, "characters": list(names)}
            writes.append(Put(ref, data, place.scope_row.version if place.scope_row else ABSENT))
        if place.scope_row is None:
            writes.append(Put(keys.within(place.scope), {"scope": place.scope.partition}))
            writes.append(Put(keys.listed(place.scope), {}))
        return writes

    def page(
        self, project: str, namespace: str | None, *, after: str | None, limit: int
    ) -> tuple[list[KnownBody], str | None]:
        """Bodies of a project in order of namespace and name, with the cursor to go on after."""
        prefix = keys.bodies(namespace)
        page = self.table.query(keys.project(project), prefix, after=after, limit=limit)
        return [known(project, row) for row in page.rows], page.cursor

    def total(self, project: str, namespace: str | None) -> int | None:
        """How many bodies there are; None for very many."""
        return total(self.table, keys.project(project), keys.bodies(namespace))

    def body(self, body: Body) -> KnownBody | None:
        """A body, None if nobody has used it yet."""
        row = self.table.get([keys.body(body)]).get(keys.body(body))
        return known(body.project, row) if row else None

    def scopes(self, body: Body) -> Iterator[Scope]:
        """All scopes of a body that have been used."""
        after = None
        while True:
            page = self.table.query(keys.project(body.project), keys.scopes_within(body), after=after, limit=100)
            yield from (scope_named(row.data["scope"]) for row in page.rows)
            if page.cursor is None:
                return
            after = page.cursor

    def everywhere(self) -> Iterator[Scope]:
        """All scopes of all projects."""
        for partition in keys.shards("scopes"):
            after = None
            while True:
                page = self.table.query(partition, after=after, limit=100)
                yield from (scope_named(row.key.sort) for row in page.rows)
                if page.cursor is None:
                    break
                after = page.cursor

    def scope_of(self, project: str, memory_id: str) -> Scope | None:
        """Where a memory lies, resolved inside the project; None for what is no id of a memory in it."""
        ref = ref_of(memory_id)
        if ref is None:
            return None
        key = keys.scope_ref(project, ref)
        row = self.table.get([key]).get(key)
        return scope_named(row.data["scope"]) if row else None


def known(project: str, row: Row) -> KnownBody:
    """The body that a row is about."""
    _, namespace, name = row.key.sort.split("/")
    return KnownBody(Body(project, unescaped(namespace), unescaped(name)), parsed(row.data["created"]))
