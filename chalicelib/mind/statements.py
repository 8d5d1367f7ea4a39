"""A statement: what an extractor draws from turns, before it becomes a memory."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Category = Literal["identity", "preference", "fact", "project", "skill", "mistake", "context", "note"]
Language = Literal["zh", "en"]
Sense = Literal["assertion", "ending", "denial"]


@dataclass(frozen=True, slots=True)
class Slot:
    """What a statement fills: (subject, attribute) = value. A *single* slot holds one value at a time."""

    subject: str
    attribute: str
    value: str
    single: bool


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing: person, place, organisation, product, project, event, thing, or "" where unknown."""

    name: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """subject -relation-> object, by names of entities."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A span of event time, half-open; an open end is None."""

    start: datetime
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that stands alone, in the language spoken, with what rules or a model know about it.

    `turns` are ids of turns (`Turn.id`); `confidence` and `importance` are 0..1; `explicit`: asked to be remembered.
    """

    text: str
    turns: tuple[str, ...]
    category: Category
    language: Language
    subject: str
    confidence: float
    importance: float = 0.5
    slot: Slot | None = None
    sense: Sense = "assertion"
    hedged: bool = False
    explicit: bool = False
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    event: Interval | None = None
    expires_at: datetime | None = None
