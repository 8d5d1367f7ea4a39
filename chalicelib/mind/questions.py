"""Reading a question: whom it names, which texts to search for, when and by whom the answer may have been said.

The name of the person asked about is deleted before the text is embedded: it stands in half of all turns, or is how
the others address that person, and drags the vector there (the largest single find of the measurements behind
`ranking`). Who said it comes back there as a plain bonus.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from chalicelib.mind.documents import Asked, Vector
from chalicelib.mind.turns import Role, named

MOST_PARTS = 8
"""Sentences of a question that are searched for by themselves, the last ones: each costs an embedding and a search."""

SENTENCE = re.compile(r"(?<=[。！？!?；;])\s*|(?<=[a-z]{3}\.)\s+|(?=另外[，,])")
PUNCTUATION = " 。！？!?；;，,."
ASKED_ASSISTANT = re.compile(
    r"\bdid you (?:\w+ )?"
    r"(?:say|suggest|recommend|tell|advise|mention|give|provide|list|explain|propose|outline|describe)\b"
    r"|\byou (?:had |have |\w+ly )?"
    r"(?:said|suggested|recommended|told|advised|mentioned|gave|explained|proposed|outlined)\b"
    r"|\byour (?:suggestion|recommendation|advice|explanation)s?\b"
    r"|你(?:之前|上次|曾经?|刚才)?(?:说过|建议过|推荐过|提到过?|告诉过)",
    re.IGNORECASE,
)
FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself)\b|我(?!们)|咱(?!们)")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)
DATED = re.compile(
    rf"(?:(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({'|'.join(MONTHS)})\b"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s*(\d{4}))?"
)
MAY_DATE = re.compile(r"\b(?:in|of|since|until|by|during|last|this) May\b")
LONGEST_MONTH, SAFE_DAY = 31, 28

Analyse = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class AskedDate:
    """A date that stands in a question: always a month, perhaps a day or a year."""

    month: int
    day: int | None = None
    year: int | None = None

    def match(self, said: date) -> float:
        """1 when said within 3 days of it (in its month), .6 within 10 (.4 the month after), .3 within 31, else 0."""
        return self._month_match(said) if self.day is None else self._day_match(said, self.day)

    def _month_match(self, said: date) -> float:
        years = (self.year,) if self.year else (said.year - 1, said.year)
        months = [(said.year - year) * 12 + said.month - self.month for year in years]
        return 1.0 if 0 in months else 0.4 if 1 in months else 0.0

    def _day_match(self, said: date, day: int) -> float:
        years = (self.year,) if self.year else (said.year - 1, said.year, said.year + 1)
        # 29 to 31 count as 28, so that the date exists in every year: three days are within the nearest step anyway
        gap = min(abs((said - date(year, self.month, min(day, SAFE_DAY))).days) for year in years)
        return next((worth for days, worth in ((3, 1.0), (10, 0.6), (31, 0.3)) if gap <= days), 0.0)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was read.

    `named`: the characters it is about. `texts`: the whole question, then its sentences if there are two or more, the
    names deleted. `terms`: the distinct terms of each text. `date`: the first date in it. `asker`: the role whose turns
    are favoured, the assistant's for "what did you recommend", the user's for everything else.
    """

    text: str
    named: frozenset[str]
    texts: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    date: AskedDate | None
    asker: Role

    @classmethod
    def read(cls, text: str, characters: Iterable[str], analyse: Analyse, speaking: str = "") -> "Question":
        """Read *text*; *characters* are those of the scopes searched, *analyse* is the Analyser's `terms`.

        *speaking*: who asks, if that is known by name: of a question that names nobody and says "I", the person meant.
        """
        persons = sorted((c for c in set(characters) if named(c) and names(text, c)), key=lambda c: (-len(c), c))
        unwanted = {term for person in persons for term in analyse(person)}
        texts, terms = [], []
        for part in (text, *sentences(text)):
            distinct = tuple(dict.fromkeys(analyse(part)))
            kept = tuple(term for term in distinct if term not in unwanted)
            texts.append(without(part, persons) if kept else part)  # nothing left: the name is what is asked for
            terms.append(kept or distinct)
        asker: Role = "assistant" if ASKED_ASSISTANT.search(text) else "user"
        meant = persons or ([speaking] if named(speaking) and FIRST_PERSON.search(text) else [])
        return cls(text, frozenset(meant), tuple(texts), tuple(terms), date_in(text), asker)

    def asked(self, vectors: "Sequence[Vector[float] | None]") -> tuple[Asked, ...]:
        """The texts as an index is asked for them; *vectors* one for each, None where there is no embedder."""
        return tuple(Asked(terms, vector) for terms, vector in zip(self.terms, vectors, strict=True))


def sentences(text: str) -> list[str]:
    """The distinct sentences, the last `MOST_PARTS`, if there are two or more; also cut before 另外 (besides)."""
    parts = [part.strip() for part in SENTENCE.split(text) if part.strip(PUNCTUATION)]
    return list(dict.fromkeys(parts))[-MOST_PARTS:] if len(parts) > 1 else []


def whole(name: str) -> str:
    """A pattern of the name as a whole word; Chinese has no word boundaries to ask for."""
    return rf"\b{re.escape(name)}\b" if name.isascii() else re.escape(name)


def names(text: str, person: str) -> bool:
    """True if the person's name stands in the text."""
    return person in text and re.search(whole(person), text) is not None


def without(text: str, persons: Sequence[str]) -> str:
    """The text with the names deleted, also in the genitive."""
    for person in persons:
        text = re.sub(whole(person) + "(?:['’]s)?", "", text)
    return re.sub(r"\s+", " ", text).strip()


def date_in(text: str) -> AskedDate | None:
    """The first English date in the text; "May" alone is a date only after a word that makes it one."""
    found = DATED.search(text)
    if found is None:
        return None
    day, year = int(found[1] or found[3] or 0), int(found[4] or 0)
    if found[2] == "May" and not (day or year or MAY_DATE.search(text)):
        return None
    return AskedDate(MONTHS.index(found[2]) + 1, day if 1 <= day <= LONGEST_MONTH else None, year or None)
