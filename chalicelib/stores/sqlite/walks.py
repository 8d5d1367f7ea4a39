"""Walks through the edges of the embedded graph: outward from some entities, or from one to another.

A walk uses edges of state 1 and 2, either way, within their scope. It may begin and end anywhere, but passes through no
hub and through no entity of more than `MOST_EDGES` edges: what everything is related to relates nothing.
"""

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

from chalicelib.mind.association import Step

MOST_HOPS = 4
MOST_EDGES = 200
"""Edges of an entity that a walk may pass through."""

MOST_A_HOP = 50
"""Edges that a walk takes at each distance, over all scopes."""

OUT = (
    "SELECT source, relation, target, memory FROM edges WHERE scope = ?1 AND source = ?2 AND state IN (1, 2)"
    " ORDER BY relation, target, memory"
)
BACK = (
    "SELECT source, relation, target, memory FROM edges WHERE scope = ?1 AND target = ?2 AND source <> ?2"
    " AND state IN (1, 2) ORDER BY source, relation, memory"
)
DEGREE = (
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM edges WHERE scope = ?1 AND source = ?2 AND state IN (1, 2) LIMIT ?3))"
    " + (SELECT count(*) FROM (SELECT 1 FROM edges WHERE scope = ?1 AND target = ?2 AND source <> ?2"
    " AND state IN (1, 2) LIMIT ?3))"
)

Edge = tuple[str, str, str, str]
"""source, relation, target, memory"""

Entity = tuple[str, str]
"""scope, name"""


class Edges:
    """The edges that may be walked, read in one consistent state. What is asked next ends what was asked before."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor

    def out(self, entity: Entity) -> Iterator[Edge]:
        """Edges that begin at the entity, in order."""
        return self._cursor.execute(OUT, entity)

    def back(self, entity: Entity) -> Iterator[Edge]:
        """Edges that end at the entity and begin elsewhere, in order."""
        return self._cursor.execute(BACK, entity)

    def crowded(self, entity: Entity) -> bool:
        """Whether the entity has more edges than a walk may pass through; an edge to itself counts once."""
        degree: int = self._cursor.execute(DEGREE, (*entity, MOST_EDGES + 1)).fetchone()[0]
        return degree > MOST_EDGES


def ends(scope: str, edge: Edge) -> tuple[Entity, Entity]:
    """The entities that an edge joins."""
    return (scope, edge[0]), (scope, edge[2])


class Walk:
    """A walk outward, hop by hop. An edge is of the first hop that could take it, even if it was left out there."""

    def __init__(self, edges: Edges, hubs: frozenset[str], starts: Sequence[Entity]) -> None:
        """*starts* are walked from whatever they are."""
        self._edges, self._hubs = edges, hubs
        self._front = list(starts)
        self._met = set(starts)
        self._left: set[Entity] = set()
        self.truncated = False

    def taken(self, hop: int) -> list[Step]:
        """The edges of the next hop, in order."""
        if hop > 1:
            self._front = [entity for entity in self._front if self._passable(entity)]
        fresh = sorted({(edge, scope) for scope, name in self._front for edge in self._fresh((scope, name))})
        self._left.update(self._front)
        kept = fresh[:MOST_A_HOP]
        self.truncated = self.truncated or len(fresh) > len(kept)
        reached = {entity for edge, scope in kept for entity in ends(scope, edge)} - self._met
        self._met |= reached
        self._front = sorted(reached)
        return [Step(scope, *edge, hop) for edge, scope in kept]

    def _passable(self, entity: Entity) -> bool:
        """Whether the walk may go on through the entity; notes that it was cut where there is too much to see."""
        if entity[1] in self._hubs:
            return False
        crowded = self._edges.crowded(entity)
        self.truncated = self.truncated or crowded
        return not crowded

    def _fresh(self, entity: Entity) -> Iterator[Edge]:
        """Edges of the entity that no earlier hop could take: the first ones each way, one more than a hop takes."""
        for edges in (self._edges.out, self._edges.back):
            fresh = (edge for edge in edges(entity) if self._left.isdisjoint(ends(entity[0], edge)))
            yield from list(islice(fresh, MOST_A_HOP + 1))


def path(edges: Edges, scope: str, between: tuple[str, str], hops: int, hubs: frozenset[str]) -> tuple[Step, ...]:
    """The fewest edges between two entities of a scope, at most *hops*; () if there is no way.

    Breadth first and in order, so that of several such ways it is the first in order of their edges.
    """
    start, goal = (scope, between[0]), (scope, between[1])
    came: dict[Entity, tuple[Edge, ...]] = {start: ()}
    queue = deque([start])
    while queue and goal not in came:
        here = queue.popleft()
        way = came[here]
        if len(way) == hops or (here != start and (here[1] in hubs or edges.crowded(here))):
            continue
        for edge in sorted([*edges.out(here), *edges.back(here)]):
            for end in ends(scope, edge):
                if end not in came:
                    came[end] = (*way, edge)
                    queue.append(end)
    return tuple(Step(scope, *edge, at) for at, edge in enumerate(came.get(goal, ()), 1))
