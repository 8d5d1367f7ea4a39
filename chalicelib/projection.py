"""Table to index and graph: the only writer of either.

An outbox entry names a record. What is projected is what the Table holds now, never what an entry says: an absent
record means delete. Entries go only after both projections have taken it, so that nothing is lost with a store that is
down, and versions make a repeated or late delivery harmless.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from chalicelib.errors import Unavailable
from chalicelib.failures import in_turn
from chalicelib.mind.association import Associations, Link
from chalicelib.mind.documents import Document, Removal, Vector
from chalicelib.mind.memories import Memory
from chalicelib.mind.rows import Delete, Key, Row, RowConflict
from chalicelib.mind.scopes import Scope
from chalicelib.mind.texts import canonical
from chalicelib.mind.times import milliseconds
from chalicelib.mind.turns import Turn, named, window
from chalicelib.ports import Analyser, AssociationGraph, Embedder, SearchIndex, Table
from chalicelib.records import keys
from chalicelib.records.conversations import turn_of
from chalicelib.records.memories import kept
from chalicelib.records.pending import Outbox, Pending, marked_scope, pending_of
from chalicelib.touches import Touches

BATCH = 64
"""Records that are embedded and projected together."""

GONE = 2**53
"""The version of a removal: higher than any a record can reach; ids are never used again."""


def labels(memory: Memory) -> frozenset[str]:
    """The memory's labels: one keyword field serves every filter."""
    tags = (f"tag:{tag.casefold()}" for tag in memory.tags)
    return frozenset({f"category:{memory.category}", f"origin:{memory.origin}", *tags})


def links(memory: Memory) -> tuple[Link, ...]:
    """The relations a memory states, by canonical names."""
    types = {canonical(entity.name): entity.type for entity in memory.entities}
    ends = ((canonical(each.subject), each.relation, canonical(each.object)) for each in memory.relations)
    return tuple(Link(a, name, b, types.get(a, ""), types.get(b, "")) for a, name, b in ends if a and b)


@dataclass(frozen=True, slots=True)
class Projectable:
    """A record as the Table holds it: what to index, what to embed for it, what to relate."""

    document: Document | Removal
    text: str
    associations: Associations | None


@dataclass(frozen=True, slots=True)
class Projection:
    """Carries what changed from the Table into index and graph."""

    table: Table
    index: SearchIndex
    graph: AssociationGraph
    embedder: Embedder
    analyser: Analyser

    def project(self, scope: Scope, entries: Sequence[Pending]) -> None:
        """Project these entries and clear them. Raises Unavailable when a store or the embedder fails: they stay."""
        outbox = Outbox(self.table)
        for start in range(0, len(entries), BATCH):
            batch = list({entry.record: entry for entry in entries[start:start + BATCH]}.values())
            records = self.read(scope, batch)
            vectors = self.vectors(batch, records)
            self.carry(outbox, batch, records, vectors)
            outbox.clear(entries[start:start + BATCH])

    def noted(self, scope: Scope, noted: Iterable[Key]) -> list[str]:
        """Project what a verb has just noted; returns warnings instead of raising, for the sweep will do it again."""
        rows = self.table.get(list(noted))
        return tried(lambda: self.project(scope, [pending_of(row) for row in rows.values()]))

    def caught_up(self, scope: Scope, patience: Callable[[], bool]) -> list[str]:
        """Drain a scope for a verb; returns warnings instead of raising, for the sweep will do it again."""
        return tried(lambda: self.drain(scope, patience))

    def read(self, scope: Scope, batch: Sequence[Pending]) -> list[Projectable]:
        """The records behind the entries, each turn with the one before it, in two reads at the most."""
        wanted = [Key(scope.partition, entry.record) for entry in batch]
        rows = self.table.get(wanted)
        turns = {key: turn_of(row) for key, row in rows.items() if key.sort.startswith(keys.TURNS)}
        before = {keys.turn(scope, turn.conversation, turn.position - 1) for turn in turns.values() if turn.position}
        known = turns | {key: turn_of(row) for key, row in self.table.get(list(before - turns.keys())).items()}
        return [self.projectable(scope, key, rows.get(key), known) for key in wanted]

    def projectable(self, scope: Scope, key: Key, row: Row | None, turns: Mapping[Key, Turn]) -> Projectable:
        """What is to be done for one record."""
        if row is None:
            gone = Removal(scope.partition, key.sort, GONE)
            memory = keys.memory_id(key.sort)
            severed = Associations(scope.partition, memory, GONE, 4, ()) if memory != key.sort else None
            return Projectable(gone, "", severed)
        if key.sort.startswith(keys.MEMORIES):
            return self.remembered(scope, row)
        turn = turns[key]
        previous = turns.get(keys.turn(scope, turn.conversation, turn.position - 1)) if turn.position else None
        return Projectable(self.said(scope, turn, row), window(turn, previous), None)

    def said(self, scope: Scope, turn: Turn, row: Row) -> Document:
        """A turn as a document, without its vector."""
        return Document(
            scope.partition, row.key.sort, "turn", row.version, self.terms(turn), None, self.embedder.model,
            milliseconds(turn.said_at), conversation=turn.conversation, position=turn.position,
            speaker=turn.speaker, role=turn.role,
        )

    def terms(self, turn: Turn) -> Mapping[str, int]:
        """The terms a turn was kept with, or those of a long one made again."""
        return Counter(self.analyser.terms(turn.labelled)) if turn.terms is None else turn.terms

    def remembered(self, scope: Scope, row: Row) -> Projectable:
        """A memory as a document and as edges."""
        memory = kept(row).memory
        document = Document(
            scope.partition, row.key.sort, "memory", row.version, Counter(self.analyser.terms(memory.text)), None,
            self.embedder.model, milliseconds(memory.said_at), memory.state, speaker=named(memory.subject), role="user",
            labels=labels(memory), expires_at=milliseconds(memory.expires_at) if memory.expires_at else None,
        )
        return Projectable(
            document, memory.text, Associations(scope.partition, memory.id, row.version, memory.state, links(memory))
        )

    def vectors(self, batch: Sequence[Pending], records: Sequence[Projectable]) -> "dict[str, Vector[float]]":
        """A vector for each record that has text, computed where the entry does not hold it already."""
        model = self.embedder.model
        ready = {entry.record: entry.vector for entry in batch if entry.vector is not None and entry.model == model}
        missing = [
            (entry.record, record.text) for entry, record in zip(batch, records, strict=True)
            if record.text and entry.record not in ready
        ]
        made = self.embedder.embed([text for _, text in missing], "passage") if missing else []
        return ready | {record: vector for (record, _), vector in zip(missing, made, strict=True)}

    def carry(
        self, outbox: Outbox, batch: Sequence[Pending], records: Sequence[Projectable],
        vectors: "dict[str, Vector[float]]",
    ) -> None:
        """Give documents to the index and edges to the graph; what was computed is kept if either fails."""
        documents = [with_vector(entry, record.document, vectors) for entry, record in zip(batch, records, strict=True)]
        try:
            self.index.apply(documents)
            self.graph.relate([record.associations for record in records if record.associations])
        except Unavailable:
            computed = [(entry, vectors[entry.record]) for entry in batch if entry.record in vectors]
            outbox.keep_vectors(computed, self.embedder.model)
            raise

    def drain(self, scope: Scope, patience: Callable[[], bool]) -> int:
        """Project what is pending in a scope, oldest first, while there is patience; returns how many entries."""
        done = 0
        while patience() and (count := self.step(scope)):
            done += count
        return done

    def step(self, scope: Scope) -> int:
        """Project the oldest of what is pending in a scope; returns how many entries."""
        entries = Outbox(self.table).oldest(scope, BATCH)
        self.project(scope, entries)
        return len(entries)

    def sweep(self, *, now: datetime, patience: Callable[[], bool]) -> int:
        """Every scope that is marked: project, and fold touches; returns how much was done.

        A scope that can't be projected keeps no other from its turn: the first failure is raised when all have had it.
        """
        acts = (partial(self.settle, mark, now=now, patience=patience) for mark in self.marks())
        return in_turn("projecting a scope", acts)

    def settle(self, mark: Row, *, now: datetime, patience: Callable[[], bool]) -> int:
        """Project and fold what a scope has pending; take its mark away if nothing has come meanwhile."""
        scope = marked_scope(mark)
        done = self.drain(scope, patience) + Touches(self.table).fold(scope, now=now, patience=patience)
        if not self.busy(scope):
            self.unmark(mark)
        return done

    def busy(self, scope: Scope) -> bool:
        """True while a scope has something left to do."""
        prefixes = keys.PENDING, keys.TOUCHED
        return any(self.table.query(scope.partition, prefix, limit=1).rows for prefix in prefixes)

    def marks(self) -> Iterable[Row]:
        """The marks of all scopes with work to do."""
        for partition in keys.shards("dirty"):
            after = None
            while True:
                page = self.table.query(partition, after=after, limit=100)
                yield from page.rows
                if page.cursor is None:
                    break
                after = page.cursor

    def unmark(self, mark: Row) -> None:
        """Take a mark away; if it was set again meanwhile, it stays."""
        try:
            self.table.commit([Delete(mark.key, mark.version)])
        except RowConflict:
            return

    def depth(self, counts: Callable[[Scope], bool] = lambda _: True, *, most: int = 10_000) -> int:
        """How many outbox entries wait in the scopes that count, counted up to *most*."""
        count = 0
        for scope in filter(counts, map(marked_scope, self.marks())):
            count += len(Outbox(self.table).oldest(scope, most - count))
            if count >= most:
                break
        return count


def tried(act: Callable[[], object]) -> list[str]:
    """What to warn of after doing it: that a store or the embedder did not answer."""
    try:
        act()
    except Unavailable as failure:
        return [f"not indexed yet, to be repeated: {failure}"]
    return []


def with_vector(
    entry: Pending, document: Document | Removal, vectors: "Mapping[str, Vector[float]]"
) -> Document | Removal:
    """The document with its vector; a removal as it is."""
    return document if isinstance(document, Removal) else replace(document, vector=vectors.get(entry.record))
