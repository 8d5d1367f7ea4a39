"""A memory: one statement, one id for life, and the trail of how it changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from chalicelib.mind.impressions import Impression
from chalicelib.mind.statements import Category, Entity, Interval, Language, Relation, Sense, Slot, Statement
from chalicelib.mind.turns import Turn

VALID, SUSPECTED, OUTDATED, DENIED = 1, 2, 3, 4
MOST_SOURCES = 40
"""How many sources a memory carries: the first half and the latest half, so that its row stays small."""

Origin = Literal["told", "written", "thought", "dreamt", "merged"]
Priority = Literal["low", "normal", "high", "critical"]


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a memory was drawn from."""

    conversation: str
    position: int
    said_at: datetime
    character: str
    message: str | None = None

    @classmethod
    def of(cls, turn: Turn) -> "Source":
        """The turn as a source."""
        return cls(turn.conversation, turn.position, turn.said_at, turn.character, turn.message)


@dataclass(frozen=True, slots=True)
class Who:
    """Who caused a change: a conversation with its turns and speaker, a thought, a dream or a caller of the API."""

    kind: Literal["conversation", "think", "dream", "api"]
    conversation: str = ""
    turns: tuple[str, ...] = ()
    character: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a change log. A new memory's first entry has no old state (None)."""

    seq: int
    old: int | None
    new: int
    why: str
    part: str
    who: Who
    said_at: datetime
    recorded_at: datetime
    newer: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The current revision of a memory with its state and its latest changes."""

    id: str
    text: str
    language: Language
    category: Category
    subject: str
    confidence: float
    importance: float
    said_at: datetime
    recorded_at: datetime
    updated_at: datetime
    impression: Impression
    sources: tuple[Source, ...]
    changes: tuple[Change, ...]
    revision: int = 1
    state: int = VALID
    origin: Origin = "told"
    verified: bool = False
    priority: Priority = "normal"
    sense: Sense = "assertion"
    hedged: bool = False
    tags: tuple[str, ...] = ()
    metadata: str = ""
    slot: Slot | None = None
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    event: Interval | None = None
    expires_at: datetime | None = None
    digest: str = ""
    persons: tuple[str, ...] = field(default=())

    def as_of(self, until: datetime) -> "Memory":
        """The memory without the sources and changes that were said later."""
        sources = tuple(source for source in self.sources if source.said_at <= until)
        changes = tuple(change for change in self.changes if change.said_at <= until)
        return replace(self, sources=sources, changes=changes)

    def gone(self, now: datetime) -> bool:
        """True when it has expired: hidden, but kept."""
        return self.expires_at is not None and self.expires_at <= now


def born(
    statement: Statement, turns: Sequence[Turn], *, id: str, text: str, digest: str, metadata: str, now: datetime  # noqa: A002 -- it is the id
) -> Memory:
    """The memory that a statement of these turns becomes; its log begins with "said"."""
    sources = tuple(map(Source.of, turns))
    said_at = max(turn.said_at for turn in turns)
    first = turns[0]
    who = Who("conversation", first.conversation, tuple(turn.id for turn in turns), first.character)
    people = [first.character, *(entity.name for entity in statement.entities if entity.type == "person")]
    return Memory(
        id=id, text=text, language=statement.language, category=statement.category, subject=statement.subject,
        confidence=statement.confidence, importance=statement.importance, said_at=said_at, recorded_at=now,
        updated_at=now, impression=Impression(0.5 + statement.importance / 2, said_at), sources=sources,
        changes=(Change(1, None, VALID, "said", "", who, said_at, now),), sense=statement.sense,
        hedged=statement.hedged, metadata=metadata, slot=statement.slot, entities=statement.entities,
        relations=statement.relations, event=statement.event, expires_at=statement.expires_at, digest=digest,
        persons=tuple(dict.fromkeys(filter(None, people))),
    )


def repeated(memory: Memory, turns: Sequence[Turn], *, now: datetime) -> Memory:
    """The memory after the same statement was made again by these turns; unchanged if it knows them all.

    It was said when it was first said, also where that is heard of later, so that `asOf` finds it from then on.
    """
    known = {(source.conversation, source.position) for source in memory.sources}
    fresh = tuple(Source.of(turn) for turn in turns if (turn.conversation, turn.position) not in known)
    if not fresh:
        return memory
    said_at = max(source.said_at for source in fresh)
    return replace(
        memory, sources=bounded(memory.sources + fresh), impression=memory.impression.touched(said_at), updated_at=now,
        said_at=min(memory.said_at, said_at),
    )


def bounded(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """The earliest and the latest of many sources."""
    half = MOST_SOURCES // 2
    return sources if len(sources) <= MOST_SOURCES else sources[:half] + sources[-half:]
