"""English pattern tables: cue, attribute, normaliser. The longest cue comes first."""

import re

from chalicelib.language.rules import lexicon_en as words
from chalicelib.language.rules import slots
from chalicelib.language.rules import values_en as values
from chalicelib.language.rules.findings import Normaliser, Predicate

V = r"(?P<v>.{1,120})$"
BE, HAVE = r"(?:am|is)", r"(?:have got|has got|have|has|got|own|owns|adopted)"
COUNT = r"(?:an?|one|two|three|four|five|six|seven|\d{1,2}|some|no|any|my|my own|another)"
OFTEN = (
    r"(?:every (?:single )?(?:day|morning|evening|night|week|weekend|month|year|summer|winter|other "
    r"day|\w+day)|daily|weekly|each (?:day|morning|week|night)|"
    r"(?:once|twice|three times|\d+ times) a (?:day|week|month|year)|on (?:weekends|\w+days))"
)
DOING = (
    "run|runs|jog|jogs|swim|swims|walk|walks|cycle|cycles|bike|bikes|hike|hikes|read|reads|write|"
    "writes|meditate|meditates|do|does|practice|practise|practices|play|plays|"
    "cook|cooks|drink|drinks|eat|eats|go|goes|train|trains|volunteer|volunteers|paint|paints|journal|"
    "stretch|wake|wakes|exercise|exercises|work out|works out|study|studies|take|takes|visit|visits|"
    "watch|watches|listen|listens|bake|bakes|garden|sing|sings|dance|dances|commute|commutes|fast|fasts"
)


def row(cue: str, attribute: str, value: Normaliser = values.thing, **more: object) -> Predicate:
    """A row whose cue ignores case."""
    return Predicate(re.compile(cue, re.IGNORECASE), attribute, value, **more)  # type: ignore[arg-type]  # fields of Predicate


PREDICATES = (
    row(rf"(?:can't|cannot|can not) (?:stand|bear) {V}", "preference_dislikes"),
    row(rf"(?:can't|cannot|can not) eat {V}", "fact_allergy"),
    row(rf"{BE} (?:\w+ )?allergic to {V}", "fact_allergy"),
    row(rf"{BE} (?:an? )?(?:strict )?(?P<v>{words.DIETS})\b.{{0,40}}$", "identity_diet", slots.plain),
    row(rf"{HAVE} (?:\w+ )?(?P<v>{words.AILMENTS})\b.{{0,60}}$", "fact_health", slots.plain),
    row(rf"(?:was|have been|has been|got) diagnosed with {V}", "fact_health", values.goods, dated=True),
    row(rf"suffers? from {V}", "fact_health"),
    row(rf"{BE} called {V}", "identity_name", values.person),
    row(rf"go(?:es)? by {V}", "identity_name", values.person),
    row(rf"works? as (?:an? |the )?{V}", "identity_job", values.job),
    row(rf"{BE} (?P<v>an? .{{1,80}}) by (?:profession|trade)$", "identity_job"),
    row(rf"(?:was|got) promoted to {V}", "identity_job", values.job, dated=True),
    row(
        rf"(?:works? (?:at|for)|{BE} employed (?:by|at)|{BE} working (?:at|for)) {V}",
        "identity_employer",
        values.employer,
    ),
    row(
        rf"(?:(?:have )?joined|started (?:working )?at|switched jobs to|changed jobs to) {V}",
        "identity_employer",
        values.firm,
        dated=True,
    ),
    row(rf"(?:lives?|resides?|{BE} (?:based|living)) in {V}", "identity_home_city", values.place),
    row(
        rf"(?:have )?(?:just )?(?:moved|relocated) (?:from .{{1,40}}? )?(?:over |back )?to {V}",
        "identity_home_city",
        values.place,
        dated=True,
    ),
    row(
        rf"(?:{BE} (?:originally )?from|comes? from|was born (?:and raised )?in|was raised in|grew up in) {V}",
        "identity_hometown",
        values.place,
    ),
    row(
        r"(?:am|is|turned|just turned) (?P<v>\d{1,3})(?: years old| years of age)?(?: now| today)?$",
        "identity_age",
        slots.years,
        dated=True,
    ),
    row(rf"was born on {V}", "identity_birthday", slots.month_day, dated=True),
    row(
        rf"{BE} (?:now |happily |already )?(?P<v>married|single|divorced|engaged|widowed)(?: now| to \w+)?$",
        "identity_marital",
        slots.plain,
    ),
    row(r"(?:just )?got (?P<v>married|divorced|engaged)\b.{0,40}$", "identity_marital", slots.plain, dated=True),
    row(r"have been (?P<v>married) for .{1,30}$", "identity_marital", slots.plain),
    row(
        (
            r"(?:graduated from|attends?|go(?:es)? to|went to) (?P<v>.{0,40}(?:University|College|School|"
            r"Institute|Academy|MIT)\b.{0,40})$"
        ),
        "identity_school",
        values.school,
        dated=True,
    ),
    row(rf"graduated from {V}", "identity_school", values.school, dated=True),
    row(rf"(?:stud(?:y|ies)|{BE} studying|majors? in|majored in|{BE} majoring in) {V}", "identity_major", values.major),
    row(
        rf"(?:can speak|speaks?|knows?|{BE} fluent in|{BE} learning|{BE} studying) {V}",
        "skill_language",
        values.language,
    ),
    row(rf"{BE} (?:very |pretty )?(?:good|great|skilled|proficient) (?:at|in|with) {V}", "skill_skill"),
    row(rf"{BE} (?:now )?learning (?:how to |to |about )?{V}", "skill_skill"),
    row(
        (
            rf"{HAVE} (?:{COUNT} )(?:[\w-]+ ){{0,3}}?(?P<v>{words.PETS})\b(?! (?:food|person|park|photo|sitter|"
            rf"lover|show|shelter|walk))(?: (?:named|called),? (?P<name>[A-Z]\w+))?.{{0,80}}$"
        ),
        "fact_pet",
        slots.plain,
    ),
    row(
        rf"(?:have|has) (?:never )?had (?:{COUNT} )(?:[\w-]+ ){{0,2}}(?P<v>{words.PETS})\b.{{0,40}}$",
        "fact_pet",
        slots.plain,
    ),
    row(rf"had (?:{COUNT} )(?P<v>{words.PETS})$", "fact_pet", slots.plain, sense="ending"),
    row(
        rf"(?:have|has|have got|has got) (?P<v>{COUNT} (?:[\w-]+ ){{0,2}}(?:{words.FAMILY}))\b(?! of\b).{{0,80}}$",
        "fact_family",
        slots.plain,
    ),
    row(r"drives? (?P<v>(?:an?|my) .{1,60})$", "fact_owns", values.goods),
    row(r"(?:own|owns) (?P<v>(?:an?|two|three|several|my own) .{1,60})$", "fact_owns", values.goods),
    row(
        (
            rf"(?:have|has|have got|has got|bought|purchased|just bought|got) (?:myself )?(?P<v>(?:an?|my first|"
            rf"two|my own) (?:[\w-]+ ){{0,3}}(?:{words.GOODS}))\b(?! (?:class|trip|ride|wash|park|party|show|"
            rf"game|call|accident|tour|lesson|idea|issue|problem|plan|warming|key|wheel|tournament|race|shop))"
            rf".{{0,60}}$"
        ),
        "fact_owns",
        values.goods,
        dated=True,
    ),
    row(
        rf"(?:have (?:been to|visited)|has been to|been to|visited) {V}",
        "fact_visited",
        values.place,
        deniable=True,
        dated=True,
    ),
    row(rf"(?P<v>(?:{DOING})\b.{{0,60}} {OFTEN}).{{0,40}}$", "fact_habit", values.habit, deniable=False),
    row(rf"(?P<v>(?:{DOING}) {OFTEN}).{{0,40}}$", "fact_habit", values.habit, deniable=False),
    row(rf"(?:likes?|loves?|enjoys?|adores?) {V}", "preference_likes", opposite="preference_dislikes"),
    row(
        (
            rf"{BE} (?:(?:really|mostly|so|very|super|pretty|totally|big) )?(?:into|fond of|keen on|passionate "
            rf"about|crazy about) {V}"
        ),
        "preference_likes",
        opposite="preference_dislikes",
    ),
    row(
        rf"{BE} (?:an? )?(?:huge |big |total |great |massive |real )?fan of {V}",
        "preference_likes",
        opposite="preference_dislikes",
    ),
    row(rf"(?:dislikes?|hates?|detests?|loathes?|despises?) {V}", "preference_dislikes", deniable=False),
    row(rf"prefers? {V}", "preference_prefers", values.quantity, deniable=False),
    row(rf"uses? {V}", "preference_uses"),
    row(
        (
            r"(?:(?:have |just )?(?:quit|resigned from|left|lost) my job|resigned|(?:was|got) (?:laid off|"
            r"fired)|retired)(?: (?:last|this|in|from|two|three|a) .{1,40})?$"
        ),
        "identity_employer",
        sense="ending",
        dated=True,
        deniable=False,
    ),
    row(rf"{BE} (?:now )?(?:an? |the ){V}", "identity_job", values.job),
    row(
        r"(?:quit|resigned from|left) (?P<v>[A-Z][\w&.'-]*)(?: (?:last|this|in|for|to|two|three|a) .{1,40})?$",
        "identity_employer",
        values.person,
        sense="ending",
        dated=True,
        deniable=False,
    ),
    row(
        (
            r"(?:broke up|split up|got divorced|separated)(?: (?:with|from) (?:my \w+|(?P<v>[A-Z]\w+)))?(?: "
            r"(?:last|this|in|two|three|a) .{1,40})?$"
        ),
        "identity_partner",
        values.person,
        sense="ending",
        dated=True,
        deniable=False,
    ),
    row(
        (
            r"(?:stopped|gave up|quit|have stopped|have given up) (?P<v>\w+ing\b.{0,60}|coffee|alcohol|sugar|"
            r"meat|smoking)$"
        ),
        "fact_habit",
        values.habit,
        sense="ending",
        dated=True,
        deniable=False,
    ),
)

ATTRIBUTES: tuple[tuple[str, str, Normaliser], ...] = (
    ("(?:full |first |last )?name", "identity_name", values.person),
    ("birthday", "identity_birthday", slots.month_day),
    ("age", "identity_age", slots.years),
    ("job|profession|occupation", "identity_job", values.job),
    ("employer", "identity_employer", values.employer),
    ("(?:phone|mobile|cell|telephone)(?: number)?|number", "identity_phone", slots.digits),
    ("e-?mail(?: address)?", "identity_email", slots.email),
    ("home ?town", "identity_hometown", values.place),
    ("home(?= is in)", "identity_home_city", values.place),
    ("major", "identity_major", values.thing),
    ("height", "identity_height", values.project_value),
    ("(?:native|first) language|mother tongue", "skill_language", values.language),
    ("hobby|hobbies", "preference_likes", values.thing),
    (
        "car|laptop|phone|computer|bike",
        "fact_owns",
        lambda text: values.goods(text) if re.match(r"an? |[A-Z]", text) else "",
    ),
)
FAVOURITE = re.compile(
    (
        r"^(?:all-time )?favou?rite (?P<a>(?!(?:one|ones|part|thing|things|memory|memories|way|moment|"
        r"place to)\b)[a-z][\w -]{1,30}?) (?:is|are|was|has always been|would be) "
    )
    + V,
    re.IGNORECASE,
)
GO_TO = re.compile(r"^go-to (?P<a>[a-z][\w -]{1,20}?) (?:is|are) " + V, re.IGNORECASE)
