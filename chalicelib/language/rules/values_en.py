"""Which English words can be the value of a slot: each function normalises, and refuses with ""."""

import re

from chalicelib.language.rules import lexicon_en as words
from chalicelib.language.rules.slots import plain

MOST_WORDS, MOST_CHARACTERS = 18, 110
POINTING = re.compile(
    (
        r"\b(?:you|your|yours|you're|u|ya|this|that|these|those|it|its|it's|they|them|their|he|she|him|his|"
        r"her|here|there|y'all)\b"
    ),
    re.IGNORECASE,
)
CONTRAST = re.compile(r",? (?:but not|not|and not|rather than|except|apart from)\b", re.IGNORECASE)
NEGATIVE = re.compile(r"\b(?:neither|nor|nothing|nobody|none|no|not|never)\b", re.IGNORECASE)
RELATIVE = re.compile(r"(?<=[a-z]s) that(?= [a-z]+\b)")
"""The "that" of a relative clause after a plural, which points at nothing outside."""
EMPTY_START = re.compile(
    r"^(?:I|I'm|a ton|a bunch|tons|lots|new things|everywhere|somewhere|to$|how|what|when|where|why|"
    r"who|which|all|everything|everyone|anything|something|nothing|one|ones|some|each|both|every|such|"
    r"so|more|"
    r"seeing|hearing|being|having|getting|knowing|feeling|us|our|if|talking|chatting|catching|trying|"
    r"to (?:hear|see|know|think|say|admit|imagine|be|believe|get|have|"
    r"do|try|thank|meet|join|go|share|add|point|ask|give|check|make|help|chat|catch|come|learn|talk|"
    r"keep|show)|the (?:way|idea|fact|look|vibe|name|thought|feeling|concept)|"
    r"for|of|in|at|on|with|by|as|from|about|and|but|or|too|very|not|no|just|forward|working on|better|"
    r"a lot|much|enough|another|mine|myself|me)\b",
    re.IGNORECASE,
)
ONLY_HERE = re.compile(
    r"^the (?!(?:outdoors|beach|ocean|sea|mountains?|countryside|rain|snow|cold|heat|sun|summer|winter|"
    r"city|forest|water|smell of|sound of|taste of|[A-Z]))"
)
CAPITAL_RUN = re.compile(
    r"^(?:the )?([A-Z\u00c0-\u00de][\w.'&-]*(?:,? (?:(?:of|the|de|la|upon|and) )?[A-Z\u00c0-\u00de][\w.'&-]*){0,4})"
)
AFTER_RUN = re.compile(
    r"^$|^[ ,]+(?:with|near|for|and|in|at|on|as|since|now|last|this|back|when|from|after|but|where|to|"
    r"because|a|\d|one|two|three|about|these|right|too|during|over|by|again|recently|currently)\b"
)
NOT_EMPLOYERS = re.compile(
    (
        r"\b(?:home|night|nights|myself|free|fun|hard|weekends?|present|now|it|least|first|me|fitness|"
        r"program(?:me)?|club|group|class|team|gym|challenge|community|course|event|meetup|society|"
        r"association|forum|network|workshop|league|conference|church|choir|band)\b"
    ),
    re.IGNORECASE,
)
MAJOR = re.compile(
    r"^(?:[\w-]+ ){0,3}(?:science|sciences|engineering|physics|chemistry|biology|mathematics|maths?|"
    r"history|literature|law|medicine|nursing|economics|psychology|"
    r"philosophy|sociology|linguistics|art|arts|music|design|architecture|business|finance|accounting|"
    r"marketing|education|journalism|geography|geology|"
    r"anthropology|theology|statistics|politics|studies|management|theatre|theater|dentistry|pharmacy|"
    r"astronomy|robotics)\b",
    re.IGNORECASE,
)
NATIONAL = re.compile(r"(?:ish|an|ese|ic|ch)$")


def thing(text: str) -> str:
    """Whatever can be liked, used or avoided, unless it points at something outside the sentence."""
    value = plain(CONTRAST.split(re.sub(r", [A-Z]\w{1,15}$", "", text).removeprefix("to "), maxsplit=1)[0])
    if NEGATIVE.search(value):
        return ""
    if (
        not value
        or len(value) > MOST_CHARACTERS
        or len(value.split()) > MOST_WORDS
        or not re.search(r"\w", value.replace("_", ""))
    ):
        return value if len(value) == 1 and ord(value) >= 0xE000 else ""  # noqa: PLR2004  # a quotation's character
    return (
        ""
        if POINTING.search(RELATIVE.sub("", value)) or EMPTY_START.match(text.strip()) or ONLY_HERE.match(text.strip())
        else value
    )


def quantity(text: str) -> str:
    """A thing that is preferred, without what it is preferred to."""
    value = re.split(r" (?:over|rather than|instead of|than) ", text, maxsplit=1)[0]
    return thing(
        re.sub(r"^((?:[\w'-]+ ){1,4}?)to (?:[\w'-]+ ?){1,3}$", r"\1", value) if not value.startswith("to ") else value
    )


def place(text: str) -> str:
    """The name a text begins with, in capitals."""
    found = CAPITAL_RUN.match(plain(text))
    if not found or not AFTER_RUN.match(plain(text)[found.end() :]):
        return ""
    return found[1].rstrip(".,'")


def employer(text: str) -> str:
    """A named employer, or a kind of one ("a bank")."""
    if named := place(text):
        return "" if NOT_EMPLOYERS.search(named) else named
    value = thing(text)
    return value if re.match(r"(?:an?) ", text) and not NOT_EMPLOYERS.search(value) and len(value.split()) <= 5 else ""  # noqa: PLR2004  # longer is a story


def firm(text: str) -> str:
    """An employer by name only: "joined" and "started at" are said of clubs too."""
    return employer(text) if CAPITAL_RUN.match(text) and not NOT_EMPLOYERS.search(text) else ""


def job(text: str) -> str:
    """An occupation."""
    value = plain(text)
    return (
        re.split(r" (?:at|for|in|with|by|from|and|who|on) ", value)[0]
        if words.JOB.match(value) and not words.NO_JOB.search(value) and not POINTING.search(value)
        else ""
    )


def person(text: str) -> str:
    """A name: one to four capitalised words."""
    value = text.strip(" ,.'\"")
    return (
        value
        if re.fullmatch(r"[A-Z\u00c0-\u00de][\w'-]{0,20}\.?(?: [A-Z\u00c0-\u00de][\w'-]{0,20}\.?){0,3}", value)
        else ""
    )


def spouse(text: str) -> str:
    """A name that is no nationality."""
    value = person(text)
    return "" if NATIONAL.search(value) else value


def language(text: str) -> str:
    """A language, or several, as said."""
    found = re.match(
        (
            rf"(?:fluent |some |a little |basic )?((?:{words.LANGUAGES})(?:(?:, and |, | and )"
            rf"(?:{words.LANGUAGES})){{0,5}})"
            r"(?=$|,? (?:and|at|with|fluently|well|very|too|now|since|for|as|from|but|in)\b)"
        ),
        text,
        re.IGNORECASE,
    )
    return found[1] if found else ""


def major(text: str) -> str:
    """A field of study."""
    found = MAJOR.match(text)
    return found.group() if found else ""


def school(text: str) -> str:
    """A school by its name."""
    return place(text)


def goods(text: str) -> str:
    """A thing somebody owns for years, or a make of one."""
    value = plain(re.split(r" (?:and|with|for|from|in|at|which|that|to|on) ", text, maxsplit=1)[0])
    return value if 0 < len(value.split()) <= 5 and not POINTING.search(value) else ""  # noqa: PLR2004  # longer is a story


def habit(text: str) -> str:
    """What somebody does as a rule."""
    return "" if POINTING.search(text) or len(text.split()) > MOST_WORDS else plain(text)


def project_value(text: str) -> str:
    """A status, date or name inside a project."""
    value = plain(text)
    return "" if POINTING.search(value) or len(value.split()) > 6 else value  # noqa: PLR2004  # longer is a story


def version(text: str) -> str:
    """A version: digits with dots."""
    found = re.match(r"v?(\d{1,4}(?:\.\d{1,5}){1,3}[\w-]{0,10}|\d{1,4})$", plain(text))
    return found[1] if found else ""
