"""The extractor by rules: turns to statements, without a model, in time linear in the text.

A turn is cut to its author's prose, the prose into sentences; a sentence is a command, a standing wish, excluded,
or read clause by clause with the tables of its language. Only the role `user` states facts. Hedged statements of
single-valued slots pass in every mode: they may put an older memory under suspicion, and the judge decides what they
are worth.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from chalicelib.language.rules import (
    corrections,
    exclusions,
    names,
    phrasing,
    reading_en,
    reading_zh,
    reminders,
    slots,
    standing,
)
from chalicelib.language.rules.clauses import UNSEEN, Prose, Sentence, clauses, prose, sentences
from chalicelib.language.rules.commands import Command, command
from chalicelib.language.rules.findings import Finding, Subject
from chalicelib.language.rules.hedges import LESS, hedged
from chalicelib.language.rules.tagging import Tagger
from chalicelib.mind.statements import Category, Entity, Language, Relation, Slot, Statement
from chalicelib.mind.turns import Turn

Mode = Literal["strict", "standard", "relaxed"]
MOST_STATEMENTS = 60
"""Statements of one turn; a turn that would give more is a dump, and stays as evidence whole."""

MOST_TAGGED = 8
"""Sentences of one turn that are tagged (about 1 ms each)."""

QUOTES = frozenset('"“”「」『』`')
CORRECTED = 0.99
LEAST_NOTE = 4
"""Words of an English note."""

ADVICE = re.compile(r"\b(?:you|your|you're|yourself|you'll)\b", re.IGNORECASE)
UNRELATED = frozenset(
    {
        "identity_phone",
        "identity_email",
        "identity_age",
        "identity_birthday",
        "identity_marital",
        "identity_height",
        "identity_weight",
    }
)
"""Attributes whose value is no thing that others relate to."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn being read: whose, and what was found so far under which circumstances."""

    turn: Turn
    prose: Prose
    tagger: Tagger | None
    statements: dict[str, Statement] = field(default_factory=dict)
    tagged: list[str] = field(default_factory=list)

    def author(self, language: str) -> str:
        """How the speaker is called in statements of a language."""
        return " ".join(UNSEEN.sub(" ", self.turn.speaker).split()) or phrasing.UNNAMED[language]


@dataclass(frozen=True, slots=True)
class RuleExtractor:
    """Statements by rules. *tagger* finds Chinese names; *mode* is the confidence that a statement needs."""

    tagger: Tagger | None = None
    mode: Mode = "standard"

    def extract(self, turns: Sequence[Turn]) -> list[Statement]:
        """What the turns state, in reading order; each statement names its turn."""
        return [statement for turn in turns if turn.role == "user" for statement in self.of(turn)]

    def of(self, turn: Turn) -> list[Statement]:
        """What one turn states."""
        reading = Reading(turn, prose(turn.content), self.tagger)
        seen: set[str] = set()
        corrected = False
        for sentence in sentences(reading.prose.text):
            if exclusions.plays(sentence.text) and not command(sentence.text):
                break
            if sentence.text in seen:
                continue
            seen.add(sentence.text)
            corrected = read_sentence(reading, sentence, corrected=corrected)
            if len(reading.statements) >= MOST_STATEMENTS:
                break
        return [statement for statement in reading.statements.values() if self.passes(statement)]

    def passes(self, statement: Statement) -> bool:
        """True if the mode takes the statement."""
        single = statement.slot is not None and statement.slot.single
        return statement.confidence >= slots.THRESHOLDS[self.mode] or (statement.hedged and single)


def read_sentence(reading: Reading, sentence: Sentence, *, corrected: bool) -> bool:
    """Add what the sentence states; True if it announces that the next one corrects something."""
    if ordered := command(sentence.text, asks=sentence.asks):
        if ordered.order == "remember":
            read_command(reading, sentence, ordered)
        return False
    author = reading.author(sentence.language)
    if not sentence.asks and (wish := standing.wished(sentence.text, author, sentence.language)):
        add(reading, wish, sentence, confidence=slots.STYLE)
        return False
    reason = exclusions.reason(sentence)
    if reason and reason != "question":
        return False
    said = clauses(sentence) if not reason else exclusions.before_question(clauses(sentence), sentence.language)
    found = list(found_in(said, sentence.language, author, corrected=corrected))
    for finding, confidence, doubt in found:
        add(reading, finding, sentence, confidence=confidence, doubt=doubt)
    return not found and any(corrections.corrects(clause, sentence.language) for clause in said)


def found_in(
    said: Sequence[str], language: str, author: str, *, corrected: bool
) -> Iterator[tuple[Finding, float, bool]]:
    """(finding, confidence, hedged) of each clause, in reading order, until one turns the rest hypothetical."""
    carried: Subject | None = None
    before: Finding | None = None
    reader = reading_zh if language == "zh" else reading_en
    for clause in said:
        if exclusions.reports(clause):
            return
        corrected = corrected or corrections.corrects(clause, language)
        doubt = exclusions.doubt(clause)
        if doubt == "hypothetical":
            return
        if doubt:
            continue
        if before is not None and before.sense == "denial" and (other := reader.instead(clause, before)):
            yield other, CORRECTED if corrected else slots.kind(other.attribute).confidence, False
            continue
        findings, carried = reader.read(corrections.rest(clause), author, carried)
        for finding in findings:
            if exclusions.passing(clause) and not finding.dated:
                continue
            yield from weighed(finding, clause, language, before, corrected=corrected)
            before = finding


def weighed(
    finding: Finding, clause: str, language: str, before: Finding | None, *, corrected: bool
) -> Iterator[tuple[Finding, float, bool]]:
    """The finding with its confidence; in a correction, after the denial of what stood in its slot."""
    kind, doubt = slots.kind(finding.attribute), hedged(clause, language)
    denied = before is not None and before.sense == "denial" and before.attribute == finding.attribute
    if corrected and kind.single and not doubt and finding.sense == "assertion" and not denied:
        yield corrections.withdrawn(finding, language), CORRECTED, False
    sure = CORRECTED if corrected else kind.confidence
    if doubt and finding.sense != "assertion":
        return
    yield finding, round(sure - LESS * doubt, 2), doubt


def read_command(reading: Reading, sentence: Sentence, ordered: Command) -> None:
    """Add what the user asked to remember: by the tables, and as a note where a clause fits none."""
    about = replace(sentence, text=ordered.about)
    author = reading.author(sentence.language)
    wish = standing.wished(about.text, author, sentence.language)
    found = [(wish, 0.0, False)] if wish else list(found_in(clauses(about), about.language, author, corrected=False))
    for finding, _, _ in found:
        add(reading, finding, sentence, confidence=ordered.confidence, explicit=True)
    if len(found) < len(clauses(about)) and not wish and not advice(about):
        add(reading, note(about, author), sentence, confidence=ordered.confidence, explicit=True)


def advice(about: Sentence) -> bool:
    """True for a pep talk rather than something to keep: it speaks of "you", or says next to nothing."""
    return about.language == "en" and (ADVICE.search(about.text) is not None or len(about.text.split()) < LEAST_NOTE)


def note(about: Sentence, author: str) -> Finding:
    """The words to remember as they stand, in the third person."""
    me = Subject(author, author, self_=True)
    if about.language == "zh":
        return Finding(phrasing.chinese(about.text, author), me, "", about.text)
    return Finding(phrasing.third_person(phrasing.expanded(about.text), author), me, "", about.text)


def add(
    reading: Reading,
    finding: Finding,
    sentence: Sentence,
    *,
    confidence: float,
    doubt: bool = False,
    explicit: bool = False,
) -> None:
    """Add the statement of a finding to the reading, unless its text is there already or says nothing."""
    text = " ".join(reading.prose.restored(finding.text).split())
    value = unquoted(" ".join(reading.prose.restored(finding.value).split()))
    if (not value and finding.sense == "assertion" and finding.attribute) or not any(map(str.isalnum, text)):
        return
    for item in slots.items(finding.attribute, value, sentence.language):
        single = replace(finding, text=text.replace(value, item) if value else text, value=item.strip())
        if single.text not in reading.statements:
            stated = statement(reading, single, sentence, confidence=confidence, doubt=doubt, explicit=explicit)
            reading.statements[single.text] = stated


def unquoted(value: str) -> str:
    """The value without the quotation marks around all of it."""
    inner = value[1:-1]
    return inner if value[:1] in QUOTES and value[-1:] in QUOTES and not QUOTES & set(inner) else value


def statement(
    reading: Reading, finding: Finding, sentence: Sentence, *, confidence: float, doubt: bool, explicit: bool
) -> Statement:
    """The statement of a finding."""
    kind = slots.kind(finding.attribute) if finding.attribute else None
    expires = reminders.expiry(finding.value or finding.text, reading.turn.said_at) if explicit and not kind else None
    category: Category = kind.category if kind else "context" if expires else "note" if explicit else "preference"
    language: Language = "zh" if sentence.language == "zh" else "en"
    entities = named(reading, finding, language)
    return Statement(
        text=finding.text,
        turns=(reading.turn.id,),
        category=category,
        language=language,
        subject=finding.subject.name,
        confidence=confidence,
        importance=slots.importance(category, finding.attribute, explicit=explicit, hedged=doubt),
        slot=Slot(finding.subject.name, finding.attribute, finding.value, kind.single) if kind else None,
        sense=finding.sense,
        hedged=doubt,
        explicit=explicit,
        entities=entities,
        relations=related(finding),
        expires_at=expires,
    )


def named(reading: Reading, finding: Finding, language: Language) -> tuple[Entity, ...]:
    """The names in a statement; Chinese ones by the tagger, for the first few sentences of a turn."""
    if language == "en":
        return tuple(entity for entity in names.english(finding.text, opening(finding)) if entity.name != "User")
    words: Sequence[tuple[str, str]] = ()
    if reading.tagger is not None and len(reading.tagged) < MOST_TAGGED:
        reading.tagged.append(finding.text)
        words = reading.tagger.tagged(finding.text)
    return tuple(entity for entity in names.chinese(finding.text, words) if entity.name != phrasing.UNNAMED["zh"])


def opening(finding: Finding) -> str:
    """The name a statement begins with: its subject's, or that of the relative it introduces."""
    return finding.value if finding.text.startswith(finding.value) else finding.subject.name


def related(finding: Finding) -> tuple[Relation, ...]:
    """The edges a statement gives the graph: subject -attribute-> value, where the value is a thing."""
    family = finding.attribute.split("_", 1)[0]
    if (
        finding.sense != "assertion"
        or not finding.value
        or not finding.attribute
        or family == "style"
        or finding.attribute in UNRELATED
    ):
        return ()
    relation = finding.attribute.split("_", 1)[-1]
    return (Relation(finding.subject.name, relation, finding.value),)
