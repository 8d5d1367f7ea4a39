"""Slots: what each attribute is, how sure its patterns are, and how values are made comparable.

An attribute is the slot key without its object: `identity_home_city`, `preference_likes`, `project_owner`. The object
of a project or pet is the slot's subject: Slot("支付网关", "project_owner", "王芳"). Values keep their case for show;
compare them case-folded. A value of "" in an ending or denial means whatever value stands.
"""

import re
from dataclasses import dataclass, replace

from chalicelib.mind.statements import Category


@dataclass(frozen=True, slots=True)
class Kind:
    """What statements of an attribute share: category, confidence of a plain sentence, one value at a time or many."""

    category: Category
    confidence: float
    single: bool


PROFILE, POSSESSION, PREFERENCE, STYLE, PROJECT, NOTE = 0.93, 0.90, 0.88, 0.86, 0.80, 0.70
"""Confidence of a plain sentence, by family of patterns."""

THRESHOLDS = {"strict": 0.85, "standard": 0.65, "relaxed": 0.50}
IMPORTANCE: dict[Category, float] = {
    "identity": 0.8,
    "preference": 0.6,
    "fact": 0.6,
    "project": 0.6,
    "skill": 0.5,
    "mistake": 0.6,
    "context": 0.4,
    "note": 0.5,
}
PARTNERS = frozenset(
    {"wife", "husband", "spouse", "partner", "girlfriend", "boyfriend", "fiancé", "fiance", "fiancée", "fiancee"}
)
"""Bonds of which somebody has one at a time."""

VITAL = frozenset({"fact_allergy", "fact_health", "identity_diet"})
MANY = frozenset({"identity_education", "project_stack"})
SINGLE = frozenset({"fact_pet_name", "relation_father", "relation_mother"})


FAMILIES: dict[str, Kind] = {
    "identity": Kind("identity", PROFILE, single=True),
    "preference": Kind("preference", PREFERENCE, single=False),
    "style": Kind("preference", STYLE, single=True),
    "skill": Kind("skill", PROFILE, single=False),
    "project": Kind("project", PROJECT, single=True),
    "event": Kind("fact", PROJECT, single=True),
    "mistake": Kind("mistake", PROJECT, single=False),
    "fact": Kind("fact", POSSESSION, single=False),
    "relation": Kind("fact", POSSESSION, single=False),
}
"""The kind of most attributes, by what their name begins with."""


def kind(attribute: str) -> Kind:
    """The kind of an attribute: its family's, with the exceptions named above."""
    family = FAMILIES[attribute.split("_", 1)[0]]
    if attribute in MANY or attribute in SINGLE or attribute.startswith(("preference_favourite", "preference_tool")):
        family = replace(family, single=attribute not in MANY)
    return replace(family, confidence=PROFILE) if attribute in VITAL else family


def bond_attribute(bond: str) -> str:
    """The attribute of the author that a relative fills; *bond* is English in both languages."""
    return "identity_partner" if bond in PARTNERS else f"relation_{bond.replace('-', '_').replace(' ', '_')}"


def importance(category: Category, attribute: str, *, explicit: bool, hedged: bool) -> float:
    """How much a statement matters, 0..1: by category; health .9; asked for +.2; not vouched for -.2."""
    plain = 0.9 if attribute in VITAL else IMPORTANCE[category]
    return round(min(1.0, plain + 0.2 * explicit - 0.2 * hedged), 2)


CHINESE_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
CHINESE_DAY = re.compile(r"([\d一二三四五六七八九十]{1,3})月([\d一二三四五六七八九十]{1,3})[日号]")
ENGLISH_DAYS = (
    re.compile(rf"\b{MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b", re.IGNORECASE),
    re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{MONTH}", re.IGNORECASE),
)
ISO_DAY = re.compile(r"\b(?:(?:19|20)\d\d[-/.])?(\d{1,2})[-/.](\d{1,2})\b")
ARTICLE = re.compile(r"^(?:(?:a|an|the|my) |一[个只条辆台部本名位套]|这[个只])", re.IGNORECASE)
PARTICLE = re.compile(r"(?:[了吧啊哦啦呀嘛呢的]|一点)+$")
TRAILING = re.compile(
    r"[ ,]+(?:now|these days|nowadays|currently|too|as well|a lot|so much|very much|a bit|though|"
    r"anyway|again|recently|lately|please|"
    r"right now|at the moment|of course|for sure|in general|already|yet|either|also|actually|instead|"
    r"the most|more|best|"
    r"(?:last|this|next) (?:week|month|year|summer|winter|spring|fall|autumn|weekend|\w+day)|(?:\d+|a|"
    r"an|two|three|four|five|a few|a couple of|ten|six) (?:days?|weeks?|months?|years?) ago|"
    r"(?:since|in|for|at the age of) (?:19|20)?\d+(?: years| months)?|for (?:years|a while|ages|a long time))$",
    re.IGNORECASE,
)


LISTS = frozenset({"preference_likes", "preference_dislikes", "skill_language", "fact_allergy"})
"""Attributes whose value may be a list, each item of which is a value of its own."""

ENGLISH_ITEM = re.compile(r",\s*(?:and |or )?")
CHINESE_ITEM = re.compile("、|和|以及")
LONGEST_ITEM = {"zh": 6, "en": 24}


def items(attribute: str, value: str, language: str) -> list[str]:
    """The values of a simple list ("hiking, cooking, and jazz", 爬山和摄影); one value where it is none."""
    if attribute not in LISTS or (language == "zh" and re.match("[和跟与在给为把陪]", value)):
        return [value]
    if language == "zh":
        parts = CHINESE_ITEM.split(value)
    elif attribute == "skill_language" or "," not in value:
        parts = re.split(r",\s*(?:and )?| and ", value) if attribute == "skill_language" else [value]
    else:
        parts = [part for piece in ENGLISH_ITEM.split(value) for part in re.split("^and |^or ", piece) if part]
        last = re.match(r"([\w-]+) and ([\w-]+)$", parts[-1])
        parts = [*parts[:-1], *last.groups()] if last else parts
    return parts if all(0 < len(part.strip()) <= LONGEST_ITEM[language] for part in parts) else [value]


def number(text: str) -> int | None:
    """A number in digits or Chinese numerals below a hundred, None for anything else."""
    if text.isascii() and text.isdigit():
        return int(text)
    if "十" in text:
        tens, ones = text.split("十", 1)
        if (tens and tens not in CHINESE_DIGITS) or (ones and ones not in CHINESE_DIGITS):
            return None
        return CHINESE_DIGITS.get(tens, 1) * 10 + CHINESE_DIGITS.get(ones, 0)
    return CHINESE_DIGITS.get(text)


def month_day(text: str) -> str:
    """The day of the year a text names as MM-DD, "" if it names none."""
    if found := CHINESE_DAY.search(text):
        return day(number(found[1]), number(found[2]))
    if found := ENGLISH_DAYS[0].search(text):
        return day(MONTHS.index(found[1].lower()) + 1, int(found[2]))
    if found := ENGLISH_DAYS[1].search(text):
        return day(MONTHS.index(found[2].lower()) + 1, int(found[1]))
    found = ISO_DAY.search(text)
    return day(int(found[1]), int(found[2])) if found else ""


def day(month: int | None, number_of_day: int | None) -> str:
    """MM-DD if there can be such a day."""
    if month and number_of_day and month <= 12 and number_of_day <= 31:  # noqa: PLR2004  # the calendar's
        return f"{month:02}-{number_of_day:02}"
    return ""


def years(text: str) -> str:
    """An age in digits, "" if it is none a person has."""
    found = number(re.sub(r"(?: years old|岁|周岁).*$", "", text).strip())
    return str(found) if found is not None and 0 < found < 130 else ""  # noqa: PLR2004  # nobody is older


def digits(text: str) -> str:
    """A telephone number by its digits, "" if there are too few or too many."""
    found = re.sub(r"\D", "", text)
    return found if 5 <= len(found) <= 15 and len(text) <= 2 * len(found) else ""  # noqa: PLR2004  # E.164: 15


def email(text: str) -> str:
    """The address in the text, "" if there is none."""
    found = re.search(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", text)
    return found.group() if found else ""


def plain(text: str) -> str:
    """A value without article, particles and adverbials that say nothing about it."""
    value = text.strip(" \t'\"“”「」《》,，。.~-")
    for _ in range(3):
        value = TRAILING.sub("", value)
    return PARTICLE.sub("", ARTICLE.sub("", value)).strip()


def city(text: str) -> str:
    """A place without what is only its rank."""
    value = plain(text)
    return value[:-1] if len(value) > 2 and value.endswith("市") else value  # noqa: PLR2004  # a name keeps two characters
