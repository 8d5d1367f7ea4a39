"""recall: bring back what a cue calls to mind, best first, and say why.

The index gives candidates, `mind.ranking` their scores, the Table their text. What can't be done is named in
`warnings`; with the index or the graph gone, what has just been said is still found.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from chalicelib.errors import Unavailable
from chalicelib.fresh import FreshTail, merged
from chalicelib.mind import prompts, ranking
from chalicelib.mind.association import Step
from chalicelib.mind.documents import Asked, Filter, Found, Kind, Search, Statistics
from chalicelib.mind.memories import Memory
from chalicelib.mind.questions import Question
from chalicelib.mind.ranking import Calibration, Ranked
from chalicelib.mind.rows import Key, Row, RowConflict, Write
from chalicelib.mind.scopes import Scope, scope_named
from chalicelib.mind.texts import canonical
from chalicelib.mind.times import milliseconds
from chalicelib.mind.tongues import language_of
from chalicelib.mind.turns import Turn
from chalicelib.ports import Analyser, AssociationGraph, Embedder, SearchIndex, Table
from chalicelib.records import keys
from chalicelib.records.bodies import Bodies, Place
from chalicelib.records.conversations import turn_of
from chalicelib.records.memories import kept
from chalicelib.touches import Touches

KINDS: tuple[Kind, ...] = ("turn", "memory")
DEEP, QUICK = 200, 50
"""Candidates per channel, deep and quick."""

HUBS = ("用户", "user")
"""Entities every walk would lead through: the speaker who has no name."""

HOPS, STEPS = 2, 20
"""How far association goes, and how many edges it brings back at the most."""

TOUCHES = timedelta(days=30)
"""How long a recall waits to be folded into impressions before it is forgotten."""

NOTHING = Found((), Statistics(0, 1.0, {}), None)


@dataclass(frozen=True, slots=True)
class Cue:
    """What calls to mind: a question, where to look, who asks, how much to bring back, and as of when.

    *touching*: what comes back is recalled, and rises; without, it is only looked at. Looking back touches nothing.
    """

    scopes: tuple[Scope, ...]
    query: str
    limit: int = 10
    most_tokens: int = 1800
    deep: bool = True
    associative: bool = True
    until: datetime | None = None
    speaking: str = ""
    touching: bool = True


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory of a scope with its score, and what the score is made of."""

    scope: str
    memory: Memory
    score: float
    reasons: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """A turn of a scope with its score, and what the score is made of."""

    scope: str
    turn: Turn
    score: float
    reasons: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Association:
    """An edge that the recalled entities lead to, and the memory that states it."""

    step: Step
    memory: Memory


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came back. `abstained`: nothing relevant was found, and nothing was filled up."""

    memories: tuple[RecalledMemory, ...] = ()
    evidence: tuple[RecalledTurn, ...] = ()
    associations: tuple[Association, ...] = ()
    prompt: str = ""
    abstained: bool = True
    relevance: float = 0.0
    warnings: tuple[str, ...] = ()
    milliseconds: Mapping[str, float] = field(default_factory=dict)


class Stopwatch:
    """Adds up the milliseconds between its marks under their names."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start with *clock*, in seconds."""
        self.clock, self.last = clock, clock()
        self.parts: dict[str, float] = dict.fromkeys(("embed", "search", "graph", "rank", "load"), 0.0)

    def mark(self, part: str) -> None:
        """What has passed since the last mark belongs to *part*."""
        now = self.clock()
        self.parts[part] += (now - self.last) * 1000
        self.last = now


@dataclass(slots=True)
class Attempt:
    """One recall under way: its question, its watch, and what went wrong so far."""

    cue: Cue
    places: tuple[Place, ...]
    question: Question
    watch: Stopwatch
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Recall:
    """The verb."""

    table: Table
    bodies: Bodies
    fresh: FreshTail
    index: SearchIndex
    graph: AssociationGraph
    embedder: Embedder
    analyser: Analyser
    touches: Touches
    meter: Callable[[], float]

    def __call__(self, cue: Cue, *, now: datetime, ids: Callable[[], str]) -> Recollection:
        """What the cue calls to mind."""
        watch = Stopwatch(self.meter)
        places = self.bodies.places(cue.scopes)
        characters = [name for place in places for name in place.characters]
        question = Question.read(cue.query, characters, self.analyser.terms, cue.speaking)
        attempt = Attempt(cue, places, question, watch)
        watch.mark("load")
        texts = attempt.question.asked(self.vectors(attempt))
        found = self.found(attempt, texts, now=now)
        recollection = self.remembered(attempt, found, now=now)
        self.note(attempt, recollection, now=now, ids=ids)
        return recollection

    @property
    def calibration(self) -> Calibration:
        """Where cosines of this embedder begin and end to mean something."""
        return Calibration(self.embedder.floor, self.embedder.ceiling)

    def vectors(self, attempt: Attempt) -> list[Any]:
        """A vector for each text of the question, or none for any where the embedder fails."""
        texts = attempt.question.texts
        try:
            return list(self.embedder.embed(texts, "query"))
        except Unavailable as failure:
            attempt.warnings.append(f"recalled by words alone: {failure}")
            return [None] * len(texts)
        finally:
            attempt.watch.mark("embed")

    def found(self, attempt: Attempt, texts: tuple[Asked, ...], *, now: datetime) -> Mapping[Kind, Found]:
        """Candidates of each kind: the index's, and those it does not know yet."""
        cue = attempt.cue
        chosen = Filter(until=milliseconds(cue.until) if cue.until else None, at=milliseconds(now))
        tail = self.fresh(cue.scopes, texts, chosen)
        if tail.cut:
            attempt.warnings.append("much is not indexed yet; of that, only the newest was looked at")
        attempt.watch.mark("load")
        search = Search(texts, KINDS, DEEP if cue.deep else QUICK, chosen)
        found = self.searched(attempt, search)
        attempt.watch.mark("search")
        return {kind: merged(kind, found.get(kind, NOTHING), tail) for kind in KINDS}

    def searched(self, attempt: Attempt, search: Search) -> Mapping[Kind, Found]:
        """What the index finds; nothing, with a warning, where it does not answer."""
        try:
            return self.index.search([scope.partition for scope in attempt.cue.scopes], search)
        except Unavailable as failure:
            attempt.warnings.append(f"the search index does not answer, only what is new was looked at: {failure}")
            return {}

    def remembered(self, attempt: Attempt, found: Mapping[Kind, Found], *, now: datetime) -> Recollection:
        """Rank, load, associate, and say it; nothing where nothing is relevant."""
        question, calibration = attempt.question, self.calibration
        turns = self.with_neighbours(attempt, found["turn"])
        relevant = {kind: self.relevances(question, found[kind]) for kind in KINDS}
        relevance = max((value for values in relevant.values() for value in values), default=0.0)
        abstained = relevance < ranking.FLOOR
        limit = attempt.cue.limit
        ranked_turns = () if abstained else ranking.ranked(
            question, turns.hits, turns.statistics, calibration, explained=limit
        )[:limit]
        ranked_memories = () if abstained else self.ranked_memories(attempt, found["memory"], relevant["memory"])
        attempt.watch.mark("rank")
        memories, evidence = self.loaded(ranked_memories, ranked_turns, attempt.cue.until, now=now)
        attempt.watch.mark("load")
        associations = self.associations(attempt, memories, now=now) if memories else ()
        attempt.watch.mark("graph")
        prompt = self.prompt(attempt.cue, memories, evidence)
        attempt.watch.mark("rank")
        return Recollection(
            memories, evidence, associations, prompt, not (memories or evidence), relevance,
            tuple(attempt.warnings), attempt.watch.parts,
        )

    def with_neighbours(self, attempt: Attempt, found: Found) -> Found:
        """The candidates, and the turns around the best of them that are none."""
        wanted = ranking.neighbours_wanted(attempt.question, found.hits, found.statistics, self.calibration)
        attempt.watch.mark("rank")
        if not wanted:
            return found
        turns = self.fresh.turns(wanted, attempt.question.terms, until=attempt.cue.until)
        attempt.watch.mark("load")
        return replace(found, hits=(*found.hits, *turns))

    def relevances(self, question: Question, found: Found) -> list[float]:
        """How much closer each candidate is to the question than all that is remembered."""
        background = ranking.settled(found.background, found.statistics.documents, self.calibration, question)
        return ranking.relevances(question, found.hits, found.statistics, background, self.calibration)

    def ranked_memories(self, attempt: Attempt, found: Found, relevances: Sequence[float]) -> tuple[Ranked, ...]:
        """Memories best first, those that have nothing to do with the question left out one by one."""
        limit = attempt.cue.limit
        near = [hit for hit, value in zip(found.hits, relevances, strict=True) if value >= ranking.NEAR]
        return ranking.ranked(attempt.question, near, found.statistics, self.calibration, explained=limit)[:limit]

    def loaded(
        self, memories: Sequence[Ranked], turns: Sequence[Ranked], until: datetime | None, *, now: datetime
    ) -> tuple[tuple[RecalledMemory, ...], tuple[RecalledTurn, ...]]:
        """The rows behind the best, in one read, as of *until*; what is gone by now is left out."""
        rows = self.table.get([Key(item.hit.scope, item.hit.id) for item in (*memories, *turns)])

        def row(item: Ranked) -> Row | None:
            return rows.get(Key(item.hit.scope, item.hit.id))

        remembered = tuple(
            RecalledMemory(item.hit.scope, known(found, until), item.score, item.reasons)
            for item in memories if (found := row(item))
        )
        evidence = tuple(
            RecalledTurn(item.hit.scope, turn_of(found), item.score, item.reasons)
            for item in turns if (found := row(item))
        )
        return tuple(item for item in remembered if not item.memory.gone(now)), evidence

    def associations(
        self, attempt: Attempt, memories: Sequence[RecalledMemory], *, now: datetime
    ) -> tuple[Association, ...]:
        """Where the entities of the best memories lead, leaving out what those memories say themselves."""
        if not attempt.cue.associative:
            return ()
        names = [canonical(entity.name) for item in memories for entity in item.memory.entities]
        starts = [name for name in dict.fromkeys([*map(canonical, attempt.question.named), *names]) if name not in HUBS]
        steps = self.steps(attempt, starts) if starts else ()
        shown = {item.memory.id for item in memories}
        wanted: dict[Key, Step] = {}
        for step in steps:  # the nearest first: a memory that states several edges comes by the first of them
            if step.memory not in shown:
                wanted.setdefault(keys.memory(scope_named(step.scope), step.memory), step)
        rows = self.table.get(list(wanted)) if wanted else {}
        until = attempt.cue.until
        found = [Association(step, known(rows[key], until)) for key, step in wanted.items() if key in rows]
        said = (item for item in found if until is None or item.memory.said_at <= until)
        return tuple(item for item in said if not item.memory.gone(now))

    def steps(self, attempt: Attempt, starts: Sequence[str]) -> tuple[Step, ...]:
        """The edges around some entities; none, with a warning, where the graph does not answer."""
        scopes = [scope.partition for scope in attempt.cue.scopes]
        try:
            return self.graph.neighbourhood(scopes, starts, hops=HOPS, limit=STEPS, hubs=HUBS).steps
        except Unavailable as failure:
            attempt.warnings.append(f"recalled without associations: {failure}")
            return ()

    def prompt(self, cue: Cue, memories: Sequence[RecalledMemory], evidence: Sequence[RecalledTurn]) -> str:
        """What to put before the dialogue: memories, and turns that none of them stands for."""
        told: dict[tuple[str, str, int], list[str]] = {}
        for item in memories:
            for source in item.memory.sources:
                told.setdefault((item.scope, source.conversation, source.position), []).append(item.memory.text)
        unspoken = [
            item.turn for item in evidence
            if not prompts.stood_for(item.turn.content, told.get(place_of(item), []), self.analyser.terms)
        ]
        return prompts.memory_prompt(
            [prompts.Item(item.memory.text, item.memory.said_at, state=item.memory.state) for item in memories],
            [prompts.Item(turn.content, turn.said_at, turn.character or turn.role) for turn in unspoken],
            language_of(cue.query), most=cue.most_tokens, tokens=self.analyser.tokens,
        )

    def note(self, attempt: Attempt, recollection: Recollection, *, now: datetime, ids: Callable[[], str]) -> None:
        """One commit: the body where it is new, and what was touched."""
        writes: list[Write] = self.bodies.founding(attempt.places[0], (), now=now)
        if attempt.cue.touching and attempt.cue.until is None:
            by_scope: dict[str, list[str]] = {}
            for item in recollection.memories:
                by_scope.setdefault(item.scope, []).append(item.memory.id)
            expires = int((now + TOUCHES).timestamp())
            for partition, touched in by_scope.items():
                writes += self.touches.noting(scope_named(partition), ids(), touched, now=now, expires=expires)
        if writes:
            self.commit(attempt, writes)

    def commit(self, attempt: Attempt, writes: Sequence[Write]) -> None:
        """Write what is worth writing; a recall does not fail for it."""
        try:
            self.table.commit(writes)
        except RowConflict:
            return  # another request has founded the body in this moment; a lost touch is not worth a second try
        except Unavailable as failure:
            attempt.warnings.append(f"not noted that this was recalled: {failure}")


def known(row: Row, until: datetime | None) -> Memory:
    """The memory in a row, as of *until*."""
    memory = kept(row).memory
    return memory if until is None else memory.as_of(until)


def place_of(item: RecalledTurn) -> tuple[str, str, int]:
    """Where a turn stands: scope, conversation, position."""
    return item.scope, item.turn.conversation, item.turn.position
