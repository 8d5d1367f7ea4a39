"""Turn what somebody said of themselves into a sentence about them that stands alone.

What can't be turned safely is kept as said, under its speaker's name: `Ann said: "We ..."`, `用户说：“……”`.
"""

import re

from chalicelib.language.rules.lexicon_zh import KIN_ALTERNATIVES

UNNAMED = {"zh": "用户", "en": "User"}
"""Subject of a speaker whose name is not known, by language."""

CONTRACTIONS = {
    "i'm": "I am",
    "i've": "I have",
    "i'll": "I will",
    "im": "I am",
    "ive": "I have",
    "we're": "we are",
    "we've": "we have",
    "it's": "it is",
    "name's": "name is",
    "what's": "what is",
    "that's": "that is",
    "dont": "don't",
    "cant": "can't",
}
CONTRACTION = re.compile(rf"\b(?:{'|'.join(CONTRACTIONS)})\b", re.IGNORECASE)
ADVERBS = (
    "really|also|just|absolutely|usually|always|never|still|totally|mostly|actually|especially|often|"
    "sometimes|only|currently|both|truly|"
    "definitely|now|recently|secretly|kinda|generally|normally|typically|mainly|primarily|probably|"
    "possibly|maybe|perhaps|certainly|"
    "honestly|personally|particularly|regularly|rarely|hardly|barely|once|finally|simply|even|already|"
    "no longer|at least|sort of|kind of|"
    "strongly|very much|apparently|supposedly|completely|genuinely|sincerely|firmly"
)
FIRST = re.compile(
    rf"\bI (?P<adverbs>(?:(?:{ADVERBS}) ){{0,4}})(?P<verb>[a-z]+(?:'t)?)\b(?P<second> and [a-z]+\b)?", re.IGNORECASE
)
IRREGULAR = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "haven't": "hasn't",
    "go": "goes",
    "aren't": "isn't",
}
UNCHANGED = frozenset(
    [
        "is",
        "was",
        "wasn't",
        "can",
        "can't",
        "cannot",
        "could",
        "couldn't",
        "will",
        "won't",
        "might",
        "may",
        "must",
        "should",
        "shouldn't",
        "would",
        "wouldn't",
        "did",
        "didn't",
        "had",
        "hadn't",
        "went",
        "got",
        "bought",
        "grew",
        "left",
        "lost",
        "met",
        "made",
        "broke",
        "became",
        "began",
        "took",
        "gave",
        "found",
        "ran",
        "said",
        "told",
        "saw",
        "came",
        "won",
        "quit",
        "taught",
        "knew",
        "thought",
        "kept",
        "felt",
        "sold",
        "built",
        "chose",
        "drove",
        "spoke",
        "wrote",
        "ate",
        "drank",
        "slept",
        "read",
        "put",
        "spent",
        "used",
        "switched",
        "moved",
    ]  # a word list
)
PRESENT = frozenset(
    [
        "live",
        "work",
        "love",
        "like",
        "hate",
        "enjoy",
        "prefer",
        "adore",
        "dislike",
        "own",
        "drive",
        "use",
        "study",
        "speak",
        "know",
        "teach",
        "play",
        "run",
        "come",
        "eat",
        "drink",
        "believe",
        "think",
        "want",
        "need",
        "cook",
        "swim",
        "bike",
        "cycle",
        "hike",
        "jog",
        "paint",
        "read",
        "write",
        "train",
        "practice",
        "practise",
        "volunteer",
        "collect",
        "suffer",
        "take",
        "make",
        "keep",
        "detest",
        "despise",
        "favor",
        "favour",
        "favourite",
        "stay",
        "sing",
        "dance",
        "garden",
        "bake",
        "knit",
        "walk",
        "meditate",
        "watch",
        "listen",
        "feel",
        "guess",
        "suppose",
        "reside",
        "hail",
        "wear",
        "ride",
        "lead",
        "manage",
        "try",
        "attend",
        "loathe",
        "cherish",
        "treasure",
        "raise",
        "commute",
        "travel",
        "wake",
        "get",
        "avoid",
        "tend",
        "find",
        "see",
        "code",
        "sleep",
        "exercise",
        "surf",
        "ski",
        "climb",
        "draw",
        "sketch",
        "visit",
        "heard",
        "assume",
        "design",
        "develop",
        "sell",
        "tutor",
        "coach",
        "mentor",
        "freelance",
        "specialize",
        "specialise",
        "spend",
        "help",
        "go",
    ]  # a word list
)
WE = re.compile(r"\b(?:we|us|our|ours|we're|ourselves|I'd|I'll|myself|mine)\b", re.IGNORECASE)
MINE = re.compile(r"\bmy(?=\s)", re.IGNORECASE)
LEFT_OVER = re.compile(r"\b(?:I|my|me)\b", re.IGNORECASE)
OBJECT = re.compile(r"\bme\b")
WE_CHINESE = re.compile("我们|咱|我俩|我家里人")
RELATIVE = re.compile(f"我的?(?:一个)?(?P<kin>{KIN_ALTERNATIVES})[他她]?(?![们心])")
SELF_CHINESE = re.compile("我自己|我")


def expanded(clause: str) -> str:
    """The clause without the contractions that hide a verb."""
    return CONTRACTION.sub(lambda match: CONTRACTIONS[match[0].lower()], clause)


def third_person(clause: str, author: str) -> str:
    """An English clause with *author* instead of I, my and me; quoted under their name if that can't be done safely."""
    if WE.search(clause):
        return quoted(clause, author, "en")
    text = turned(clause, author)
    if "\0" in text or LEFT_OVER.search(text.replace(author, "")):
        return quoted(clause, author, "en")
    return finished(text)


def turned(words: str, author: str) -> str:
    """The words with *author* in place of I, my and me; a NUL stands where a verb is not known."""
    text = FIRST.sub(
        lambda match: f"{author} {match['adverbs']}{conjugated(match['verb'])}{second(match['second'])}", words
    )
    return OBJECT.sub(lambda _: author, MINE.sub(lambda _: possessive(author), text))


def second(joined: str | None) -> str:
    """The verb joined to the first one by "and", conjugated if it is one."""
    verb = (joined or "").removeprefix(" and ")
    return f" and {conjugated(verb)}" if verb in PRESENT else joined or ""


def conjugated(verb: str) -> str:
    """The verb as it stands after he or she; a NUL for one that is not known."""
    verb = verb.lower()
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if verb in UNCHANGED or (verb.endswith("ed") and verb not in {"need", "feed", "breed"}):
        return verb
    if verb not in PRESENT:
        return "\0"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"


def possessive(name: str) -> str:
    """Ann -> Ann's."""
    return f"{name}'s"


def chinese(clause: str, author: str) -> str:
    """A Chinese clause with *author* instead of 我; quoted under their name if it speaks of 我们."""
    if WE_CHINESE.search(clause):
        return quoted(clause, author, "zh")
    return SELF_CHINESE.sub(lambda _: author, RELATIVE.sub(lambda kin: f"{author}的{kin['kin']}", clause))


def quoted(clause: str, author: str, language: str) -> str:
    """The clause as it was said, and by whom."""
    if language == "zh":
        return f"{author}说：“{clause}”"
    return f'{author} said: "{clause[:1].upper()}{clause[1:]}."'


def finished(text: str) -> str:
    """An English sentence with its capital and its full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip(' .')}."
