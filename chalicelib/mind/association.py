"""What the association graph holds and answers: entities joined by relations that memories state."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """source -relation-> target; names are canonical (see `texts.canonical`), types may be empty (unknown)."""

    source: str
    relation: str
    target: str
    source_type: str = ""
    target_type: str = ""


@dataclass(frozen=True, slots=True)
class Associations:
    """All links one memory states, replacing those it stated before; none: the memory's edges are to go.

    `version` is external, as in `documents.Document`: an older or equal version than the one kept is ignored.
    """

    scope: str
    memory: str
    version: int
    state: int
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge met on a walk, at *hops* from where it began (1: an edge of a named entity)."""

    scope: str
    source: str
    relation: str
    target: str
    memory: str
    hops: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Edges within reach, nearest first, ties by source, relation, target, memory; *truncated* if a bound cut it."""

    steps: tuple[Step, ...]
    truncated: bool
