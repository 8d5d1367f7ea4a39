"""Read-your-writes: what was accepted is found by the next recall, whether the index knows it yet or not.

The newest outbox entries of the scopes are read, turned into hits as the index would, and merged into what it found.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.mind.documents import Asked, Filter, Found, Hit, Kind, Statistics, Vector
from chalicelib.mind.rows import Key, Row
from chalicelib.mind.scopes import Scope, scope_named
from chalicelib.mind.times import milliseconds
from chalicelib.mind.turns import named
from chalicelib.ports import Analyser, Table
from chalicelib.records import keys
from chalicelib.records.conversations import turn_of
from chalicelib.records.memories import kept
from chalicelib.records.pending import Outbox, Pending

MOST = 500
"""Outbox entries of a scope that a recall reads; more are named in a warning."""


@dataclass(frozen=True, slots=True)
class Tail:
    """Hits that the index may not know, what was removed, and whether there is more than was read."""

    hits: tuple[Hit, ...] = ()
    removed: frozenset[tuple[str, str]] = frozenset()
    cut: bool = False


@dataclass(frozen=True, slots=True)
class FreshTail:
    """Reads the tail of some scopes."""

    table: Table
    analyser: Analyser

    def __call__(self, scopes: Sequence[Scope], texts: Sequence[Asked], chosen: Filter) -> Tail:
        """The tail as an answer to these texts: one query a scope, and one read of records if there are any."""
        entries: dict[Key, Pending] = {}
        cut = False
        for scope in scopes:
            newest, more = Outbox(self.table).newest(scope, MOST)
            cut = cut or more
            entries |= {Key(scope.partition, entry.record): entry for entry in reversed(newest)}
        if not entries:
            return Tail(cut=cut)
        rows = self.table.get(list(entries))
        hits = [self.hit(row, entries[key], texts) for key, row in rows.items()]
        removed = frozenset((key.partition, key.sort) for key in entries)
        return Tail(tuple(hit for hit in hits if passes(hit, chosen)), removed, cut)

    def turns(
        self, places: Iterable[tuple[str, str, int]], terms: Sequence[Sequence[str]], *, until: datetime | None
    ) -> list[Hit]:
        """The turns at (scope, conversation, position) as hits without cosines, in one read."""
        texts = [Asked(tuple(words), None) for words in terms]
        wanted = [keys.turn(scope_named(scope), conversation, position) for scope, conversation, position in places]
        hits = [self.turn(row, None, texts) for row in self.table.get(wanted).values()]
        return [hit for hit in hits if until is None or hit.said_at <= milliseconds(until)]

    def hit(self, row: Row, entry: Pending, texts: Sequence[Asked]) -> Hit:
        """A record as a hit."""
        cosines = against(entry.vector, texts)
        if row.key.sort.startswith(keys.TURNS):
            return self.turn(row, cosines, texts)
        memory = kept(row).memory
        terms = Counter(self.analyser.terms(memory.text))
        return Hit(
            row.key.partition, row.key.sort, "memory", cosines, asked(terms, texts), sum(terms.values()),
            milliseconds(memory.said_at), memory.state, "", 0, named(memory.subject), "user",
        )

    def turn(self, row: Row, cosines: tuple[float, ...] | None, texts: Sequence[Asked]) -> Hit:
        """A turn as a hit."""
        turn = turn_of(row)
        terms = Counter(self.analyser.terms(turn.labelled)) if turn.terms is None else turn.terms
        return Hit(
            row.key.partition, row.key.sort, "turn", cosines, asked(terms, texts), sum(terms.values()),
            milliseconds(turn.said_at), 1, turn.conversation, turn.position, turn.speaker, turn.role,
        )


def asked(terms: Mapping[str, int], texts: Iterable[Asked]) -> dict[str, int]:
    """How often each asked term stands among these."""
    return {term: terms[term] for text in texts for term in text.terms if term in terms}


def against(vector: "Vector[float] | None", texts: Sequence[Asked]) -> tuple[float, ...] | None:
    """The cosine to each text, where all have vectors."""
    vectors = [text.vector for text in texts if text.vector is not None]
    if vector is None or len(vectors) < len(texts):
        return None
    return tuple(sum(map(float.__mul__, vector, other)) for other in vectors)


def passes(hit: Hit, chosen: Filter) -> bool:
    """True for what the index would have let through; expiry and labels are seen to when rows are loaded."""
    after = chosen.since is None or hit.said_at >= chosen.since
    return hit.state in chosen.states and after and (chosen.until is None or hit.said_at <= chosen.until)


def merged(kind: Kind, found: Found, tail: Tail) -> Found:
    """What the index found, with the tail in the place of what it knows of the same records."""
    fresh = [hit for hit in tail.hits if hit.kind == kind]
    stays = [hit for hit in found.hits if (hit.scope, hit.id) not in tail.removed]
    known = len(found.hits) - len(stays)
    own = mean([hit.cosines for hit in fresh if hit.cosines])
    statistics = counted(found.statistics, fresh, known)
    return Found((*stays, *fresh), statistics, own if found.background is None else found.background)


def mean(cosines: Sequence[tuple[float, ...]]) -> tuple[float, ...] | None:
    """The average cosine to each text; None where there is nothing to average."""
    return tuple(sum(column) / len(cosines) for column in zip(*cosines, strict=True)) or None


def counted(statistics: Statistics, fresh: Sequence[Hit], known: int) -> Statistics:
    """Statistics with the tail counted in; *known* of its records are among the index's hits, so they count once."""
    new = max(len(fresh) - known, 0)
    documents = statistics.documents + new
    if not new:
        return statistics
    length = statistics.documents * statistics.average_length + sum(hit.length for hit in fresh) * new / len(fresh)
    frequency = Counter(dict(statistics.frequency))
    frequency.update(term for hit in fresh for term in hit.terms)
    bounded = {term: min(count, documents) for term, count in frequency.items()}
    return Statistics(documents, length / documents, bounded)
