"""Bodies and the refs of their scopes: made on first use, by any verb."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

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
    """A body as somebody knows it, and since when it exists for them."""

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
            named_scope = {"scope": place.scope.partition}
            writes += [Put(keys.within(place.scope), named_scope), Put(keys.listed(place.scope), named_scope)]
            if user := place.scope.user:
                writes.append(Put(keys.body(place.scope.body, user), {"created": iso(now)}))
        return writes

    def page(
        self, project: str, namespace: str | None, user: str = "", *, after: str | None, limit: int
    ) -> tuple[list[KnownBody], str | None]:
        """Bodies of a project in order of namespace and name, with the sort key to go on after.

        With a *user* those in which that user owns something.
        """
        page = self.table.query(keys.project(project), keys.bodies(namespace, user), after=after, limit=limit)
        return [known(row) for row in page.rows], page.cursor

    def total(self, project: str, namespace: str | None) -> int | None:
        """How many bodies there are; None for very many."""
        return total(self.table, keys.project(project), keys.bodies(namespace))

    def body(self, body: Body, user: str = "") -> KnownBody | None:
        """A body, None if nobody has used it yet; with a *user*, if that user has not."""
        key = keys.body(body, user)
        row = self.table.get([key]).get(key)
        return known(row) if row else None

    def scopes(self, body: Body, user: str = "") -> Iterator[Scope]:
        """The scopes of a body that have been used: all, or those that may exist for a user."""
        prefixes = keys.scopes_for(body, user) if user else [keys.scopes_within(body)]
        return chain.from_iterable(self.listed(keys.project(body.project), prefix) for prefix in prefixes)

    def everywhere(self) -> Iterator[Scope]:
        """All scopes of all projects."""
        return chain.from_iterable(self.listed(partition) for partition in keys.shards("scopes"))

    def listed(self, partition: str, prefix: str = "") -> Iterator[Scope]:
        """All scopes that the rows under a prefix name."""
        after = None
        while True:
            page = self.table.query(partition, prefix, after=after, limit=100)
            yield from (scope_named(row.data["scope"]) for row in page.rows)
            if page.cursor is None:
                return
            after = page.cursor

    def scope_of(self, project: str, memory_id: str) -> Scope | None:
        """Where a memory lies, resolved inside the project; None for what is no id of a memory in it."""
        ref = ref_of(memory_id)
        if ref is None:
            return None
        key = keys.scope_ref(project, ref)
        row = self.table.get([key]).get(key)
        return scope_named(row.data["scope"]) if row else None


def known(row: Row) -> KnownBody:
    """The body that its row tells of."""
    return KnownBody(named(row), parsed(row.data["created"]))


def named(row: Row) -> Body:
    """The body that a row of a project's partition names."""
    *_, namespace, name = map(unescaped, row.key.sort.split("/"))
    return Body(unescaped(row.key.partition.removeprefix("project/")), namespace, name)
