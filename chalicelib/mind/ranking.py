"""Ranking: candidates of all channels in, scores with their reasons out. No model, no I/O, no clock.

For each text of the question (the whole, then its sentences):

    similar = clip((cosine - floor) / (ceiling - floor), 0, 1)
    cover   = BM25 (k1 1.2, b .75) divided by what a perfect turn could reach, 0..1
    base    = similar + cover + .25 if exactly one person is named and said it
    near    = .3 base(next turn) + .2 base(the one after)            the previous turn is inside the vector already
    session = .4 share of the question's terms that the conversation's candidates hold + .2 mean of its 3 best bases
    part    = base + near + session

    score   = part of the whole (with sentences: half of it, half of the best sentence) + .3 date + .3 asker

All constants were chosen together by measurement on long chats between persons, between users and assistants, and on
short Chinese notes; eight of them shaken by factors of .6 to 1.6 gain nothing over all. What is missing shifts the
weights (`Shares`):

- *no vector at all* (no embedder): similar is 0, cover weighs 2, and the turns before share as well;
- *no lexical channel* (`statistics` is None): cover weighs 0, terms are weighed by the candidates themselves;
- *a candidate without a vector among others* (a neighbour read by its key, a turn not embedded yet) is as similar as
  the weakest candidate that has one, not 0.

A conversation is one by (scope, id): the same id in two scopes is two. A candidate without a conversation (a memory)
has no neighbours and no session and is ranked by the same formula. Days are days in UTC, since only the instant is
known: elsewhere, near midnight, a turn may count as said a day off, within the three days that are worth the same.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from chalicelib.mind.documents import Hit, Statistics
from chalicelib.mind.questions import Question

K1, B = 1.2, 0.75
SPEAKER, DATE, ASKER, PARTS = 0.25, 0.3, 0.3, 0.5
SESSION_TERMS, SESSION_BEST, BEST = 0.4, 0.2, 3
NEIGHBOURS, AROUND = 20, (-2, -1, 1, 2)
FLOOR = 0.22
"""Below this `relevance` a question is foreign to all that is remembered.

Measured on three sets: 99.9, 100 and 100 % of the questions whose evidence is among the first ten pass, and 14, 7 and
7 % of those that were asked of somebody else's memory are refused. At .25 it would be 99.2, 100, 99.5 and 29, 15, 9 %.
"""
NEAR = 0.1
"""Below this `relevance` a single memory is left out of the answer to a question that is not foreign.

Of the memories drawn from a question's evidence 94 % pass on short Chinese notes and 66 % on English chat (at FLOOR it
would be 79 and 53), and with them 4.3 and 1.1 others a question (2.9 and 0.5): a change of mind is told in other words
than what it changes, and must not be hidden where that is shown.
"""
ALONE = 8.0
"""Weight of cover in `relevance` where there is no vector at all: the floor is then a cover of .0275, hardly a word."""

PRIOR, HAN_STRANGERS = 20, 0.35
"""Documents imagined beside those of a scope when its background is taken, and where between floor and ceiling they lie
for a Chinese question (others: at the floor), since strangers are closer to one another in Chinese.

Measured on scopes of 1, 3, 10 and 30 turns. English chat: without the prior 83, 39, 11 and 5 % of answerable questions
would be refused (floor .2), with it 11, 7, 4 and 2. Short Chinese notes (floor .22): imagined at the floor, no question
to somebody else is refused; at .81 to .82 some 70, 55, 20 and 40 %, and of answerable ones 2 to 5, 1, 0 and 0.
"""
HAN = re.compile("[\u3400-\u9fff]")

DAY = 86_400_000
EPOCH = date(1970, 1, 1).toordinal()
UNEXPLAINED: Mapping[str, float] = MappingProxyType({})

Place = tuple[str, str, int]
"""(scope, conversation, position): where a turn stands."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What cosines of an embedder mean: unrelated at `floor`, the same at `ceiling`."""

    floor: float
    ceiling: float

    @property
    def span(self) -> float:
        """From floor to ceiling."""
        return self.ceiling - self.floor


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score (4 decimals) and what earned it; `reasons` add up to the score."""

    hit: Hit
    score: float
    reasons: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Shares:
    """What cover weighs, and what a turn gets of those around it: (distance, share)."""

    cover: float
    near: tuple[tuple[int, float], ...]


FULL = Shares(1.0, ((1, 0.3), (2, 0.2)))
WORDS_ALONE = Shares(2.0, ((1, 0.3), (2, 0.2), (-1, 0.3), (-2, 0.15)))
VECTORS_ALONE = Shares(0.0, FULL.near)


@dataclass(frozen=True, slots=True)
class Words:
    """The terms of one text with their weights (idf), and the average length of what is searched."""

    weights: tuple[tuple[str, float], ...]
    total: float
    average: float

    def held(self, hit: Hit) -> tuple[float, int]:
        """The cover of the hit, and which terms it holds at all, as bits in the order of the weights."""
        norm = K1 * (1 - B + B * hit.length / self.average)
        got, bits, bit, counts = 0.0, 0, 1, hit.terms
        for term, weight in self.weights:
            if count := counts.get(term, 0):
                got += weight * count / (count + norm)
                bits |= bit
            bit <<= 1
        return got / self.total, bits

    def share(self, bits: int) -> float:
        """The weight of these terms as a share of all, 0..1."""
        return sum(weight for at, (_, weight) in enumerate(self.weights) if bits >> at & 1) / self.total


@dataclass(frozen=True, slots=True)
class Layout:
    """Which conversation each hit belongs to (-1: none), and for each conversation which hit stands where."""

    sessions: list[int]
    places: list[dict[int, int]]


@dataclass(frozen=True, slots=True)
class Worth:
    """What each hit earns for one text, in the order of the hits; `bits`: the terms it holds."""

    similar: list[float]
    cover: list[float]
    speaker: list[float]
    base: list[float]
    bits: list[int]


@dataclass(frozen=True, slots=True)
class Part:
    """A text's `Worth` with what the hits get from those around them, and the sum of all."""

    worth: Worth
    near: list[float]
    session: list[float]
    total: list[float]


@dataclass(frozen=True, slots=True)
class Scale:
    """What holds for all hits of a question: shares, statistics, calibration."""

    shares: Shares
    statistics: Statistics
    calibration: Calibration

    def words(self, terms: Sequence[str]) -> Words:
        """The terms weighed by idf = ln(1 + (N - df + .5) / (df + .5)); one that nothing holds has df 0 and counts."""
        weights = tuple((term, self.idf(self.statistics.frequency.get(term, 0))) for term in terms)
        return Words(weights, max(sum(weight for _, weight in weights), 1e-9), self.statistics.average_length or 1.0)

    def idf(self, holding: int) -> float:
        """The weight of a term that so many documents hold; statistics that lag behind never make it negative."""
        return math.log(1 + (max(self.statistics.documents - holding, 0) + 0.5) / (holding + 0.5))


def scale_of(hits: Sequence[Hit], statistics: Statistics | None, calibration: Calibration) -> Scale:
    """The scale for what is present: vectors if any hit has one, words if there are *statistics*."""
    if not any(hit.cosines for hit in hits):
        return Scale(WORDS_ALONE, statistics or statistics_of(hits), calibration)
    if statistics is None:
        return Scale(VECTORS_ALONE, statistics_of(hits), calibration)
    return Scale(FULL, statistics, calibration)


def statistics_of(hits: Sequence[Hit]) -> Statistics:
    """Statistics of the candidates themselves, where those of the scopes are not to be had."""
    frequency = Counter(term for hit in hits for term, count in hit.terms.items() if count)
    return Statistics(len(hits), sum(hit.length for hit in hits) / max(len(hits), 1), frequency)


def layout_of(hits: Sequence[Hit]) -> Layout:
    """Where the hits stand."""
    numbers: dict[tuple[str, str], int] = {}
    sessions: list[int] = []
    places: list[dict[int, int]] = []
    for index, hit in enumerate(hits):
        session = numbers.setdefault((hit.scope, hit.conversation), len(numbers)) if hit.conversation else -1
        if session == len(places):
            places.append({})
        if session >= 0:
            places[session][hit.position] = index
        sessions.append(session)
    return Layout(sessions, places)


def similarities(hits: Sequence[Hit], text: int, scale: Scale) -> list[float]:
    """How similar each hit is to the text, 0..1; one without a vector is as similar as the weakest that has one."""
    floor, span = scale.calibration.floor, scale.calibration.span
    raw = [(hit.cosines[text] - floor) / span if hit.cosines else None for hit in hits]
    least = min(max(min((value for value in raw if value is not None), default=0.0), 0.0), 1.0)
    return [least if value is None else 0.0 if value < 0.0 else min(value, 1.0) for value in raw]


def worth_of(question: Question, hits: Sequence[Hit], text: int, words: Words, scale: Scale) -> Worth:
    """What each hit earns by itself."""
    similar = similarities(hits, text, scale)
    held = [words.held(hit) for hit in hits]
    cover = [scale.shares.cover * share for share, _ in held]
    person = next(iter(question.named)) if len(question.named) == 1 else None
    speaker = [SPEAKER if hit.speaker == person else 0.0 for hit in hits]
    base = [a + b + c for a, b, c in zip(similar, cover, speaker, strict=True)]
    return Worth(similar, cover, speaker, base, [bits for _, bits in held])


def near_of(base: Sequence[float], hits: Sequence[Hit], layout: Layout, shares: Shares) -> list[float]:
    """What each hit gets of the turns around it."""
    near = []
    for hit, session in zip(hits, layout.sessions, strict=True):
        if session < 0:
            near.append(0.0)
            continue
        places, position = layout.places[session], hit.position
        others = ((places.get(position + distance), share) for distance, share in shares.near)
        near.append(sum(share * base[other] for other, share in others if other is not None))
    return near


def session_of(worth: Worth, layout: Layout, words: Words) -> list[float]:
    """What each hit gets of its conversation: the terms found in any candidate of it, and its best bases."""
    earned = []
    for places in layout.places:
        bits = 0
        for index in places.values():
            bits |= worth.bits[index]
        best = sorted([worth.base[index] for index in places.values()], reverse=True)[:BEST]
        earned.append(SESSION_TERMS * words.share(bits) + SESSION_BEST * sum(best) / BEST)
    return [earned[session] if session >= 0 else 0.0 for session in layout.sessions]


def part_of(question: Question, hits: Sequence[Hit], text: int, scale: Scale, layout: Layout) -> Part:
    """What each hit earns for one text of the question."""
    words = scale.words(question.terms[text])
    worth = worth_of(question, hits, text, words, scale)
    near = near_of(worth.base, hits, layout, scale.shares)
    session = session_of(worth, layout, words)
    return Part(worth, near, session, [a + b + c for a, b, c in zip(worth.base, near, session, strict=True)])


def blended(columns: Sequence[Sequence[float]]) -> list[float]:
    """What the sentences change, hit by hit. The first column is the whole question's, the others its sentences'."""
    if len(columns) == 1:
        return [0.0] * len(columns[0])
    return [PARTS * (max(parts) - whole) for whole, *parts in zip(*columns, strict=True)]


def dates_of(question: Question, hits: Sequence[Hit]) -> list[float]:
    """What each hit gets for having been said about the date that stands in the question."""
    if (asked := question.date) is None:
        return [0.0] * len(hits)
    days = [hit.said_at // DAY for hit in hits]
    worth = {day: DATE * asked.match(date.fromordinal(EPOCH + day)) for day in set(days)}
    return [worth[day] for day in days]


def bases(
    question: Question, hits: Sequence[Hit], statistics: Statistics | None, calibration: Calibration
) -> list[float]:
    """What each hit earns by itself over all texts of the question, in the order of the hits."""
    if not hits:
        return []
    scale = scale_of(hits, statistics, calibration)
    columns = [
        worth_of(question, hits, text, scale.words(terms), scale).base for text, terms in enumerate(question.terms)
    ]
    return [base + part for base, part in zip(columns[0], blended(columns), strict=True)]


def neighbours_wanted(
    question: Question, hits: Sequence[Hit], statistics: Statistics | None, calibration: Calibration
) -> list[Place]:
    """Where the neighbours of the best `NEIGHBOURS` by base stand that are not among the hits, to be read by key.

    They are passed to `ranked` with `cosines` None. Some of the places may not exist.
    """
    base = bases(question, hits, statistics, calibration)
    talked = (index for index, hit in enumerate(hits) if hit.conversation)
    best = sorted(talked, key=lambda index: (-base[index], hits[index].id, hits[index].scope))[:NEIGHBOURS]
    known = {(hit.scope, hit.conversation, hit.position) for hit in hits}
    around = (
        (hits[index].scope, hits[index].conversation, hits[index].position + distance)
        for index in best for distance in AROUND
    )
    return list(dict.fromkeys(place for place in around if place[2] >= 0 and place not in known))


def ranked(
    question: Question, hits: Sequence[Hit], statistics: Statistics | None, calibration: Calibration,
    *, explained: int = 100,
) -> tuple[Ranked, ...]:
    """The hits, each once among them, best first, ties by id (then scope); the first *explained* with their reasons.

    *statistics* of exactly the scopes searched, None without a lexical channel. Reasons: similar, terms, speaker, near,
    session, date, asker, part (what the best sentence adds to, or takes from, the whole).
    """
    if not hits:
        return ()
    scale, layout = scale_of(hits, statistics, calibration), layout_of(hits)
    parts = [part_of(question, hits, text, scale, layout) for text in range(len(question.texts))]
    whole, worth = parts[0], parts[0].worth
    asker = [ASKER if hit.role == question.asker else 0.0 for hit in hits]
    dated, sentence = dates_of(question, hits), blended([part.total for part in parts])
    sums = zip(whole.total, dated, asker, sentence, strict=True)
    score = [round(a + b + c + d, 4) for a, b, c, d in sums]
    order = sorted(range(len(hits)), key=lambda index: (-score[index], hits[index].id, hits[index].scope))

    def reasons(index: int) -> Mapping[str, float]:
        return {
            "similar": worth.similar[index], "terms": worth.cover[index], "speaker": worth.speaker[index],
            "near": whole.near[index], "session": whole.session[index],
            "date": dated[index], "asker": asker[index], "part": sentence[index],
        }

    return tuple(
        Ranked(hits[index], score[index], reasons(index) if rank < explained else UNEXPLAINED)
        for rank, index in enumerate(order)
    )


def settled(
    background: Sequence[float] | None, documents: int, calibration: Calibration, question: Question | None = None
) -> tuple[float, ...] | None:
    """The background of a small scope, drawn towards what strangers have in common in the question's script.

    The mean of a few vectors says nothing of how close strangers are: of one turn it is that turn, and nothing would
    ever be closer than it. So `PRIOR` imagined documents are averaged in.
    """
    if background is None:
        return None
    han = question is not None and HAN.search(question.text) is not None
    stranger = calibration.floor + (HAN_STRANGERS * calibration.span if han else 0.0)
    return tuple((value * documents + stranger * PRIOR) / (documents + PRIOR) for value in background)


def relevances(
    question: Question, hits: Sequence[Hit], statistics: Statistics | None,
    background: Sequence[float] | None, calibration: Calibration,
) -> list[float]:
    """How much closer each hit is to the question than all that is remembered: compare it with `FLOOR`.

    The best over the texts of (cosine - *background*) / (ceiling - floor) + cover; *background* is the cosine of each
    text to all of the scopes, on average: its product with their mean vector as it is. (Not with the mean made a unit
    vector: the mean is shorter than 1, .93 measured, and the floor would then refuse a quarter of what is known.)
    See `settled`.
    A hit without a vector counts by its words; if none has one, by `ALONE` times its cover.
    No threshold on it, nor on any other score, tells a question about something never said from one that was answered
    (near chance, measured); it refuses questions that are foreign to the whole memory.
    """
    scale = scale_of(hits, statistics, calibration)
    closeness = [
        nearness(question, hits, text, background[text] if background else None, scale)
        for text in range(len(question.texts))
    ]
    return [max(values) for values in zip(*closeness, strict=True)]


def nearness(
    question: Question, hits: Sequence[Hit], text: int, background: float | None, scale: Scale
) -> list[float]:
    """The relevance of each hit to one text."""
    words, span = scale.words(question.terms[text]), scale.calibration.span
    weight = ALONE if scale.shares is WORDS_ALONE else scale.shares.cover
    return [
        ((hit.cosines[text] - background) / span if hit.cosines and background is not None else 0.0)
        + weight * words.held(hit)[0]
        for hit in hits
    ]
