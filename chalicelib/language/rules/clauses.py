"""Cut a message down to what its author says in it, then into sentences and clauses.

Code, tagged scaffolding, stack traces, quoted lines and bracketed captions are dropped. Quotations, inline code and
addresses become one private-use character each: they can be the object of a sentence ("I love “Heimat”"), but
no cue ever matches inside them. `restored` puts them back. Every step is one pass: linear in the length.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

SHORTEST, LONGEST = 3, 400
"""Characters of a sentence that is looked at: below says nothing, above is no chat sentence but a dump."""

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ue000-\uf8ff]"
)
PICTURES = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d\u2b50]+")
FOLDED = {
    wide: wide - 0xFEE0 for span in ((0xFF10, 0xFF1A), (0xFF20, 0xFF3B), (0xFF41, 0xFF5B)) for wide in range(*span)
} | {0x2019: "'", 0x2018: "'", 0xA0: " ", 0x3000: " ", 0x2028: "\n", 0x2029: "\n", 0xFF0E: "."}
FIRST_OBJECT, MOST_OBJECTS = 0xE000, 6000
TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,200})?>")
FENCE = "```"
CODE_LINE = re.compile(
    r"(?: {4}|\t|\s{0,3}(?:>|\$ |# |// |/\*|\{|\}|\|)|\s{0,3}(?:(?:def|class|function|const|var|let|"
    r"public|private|static|async)\s+\w+\s*[(:={]|"
    r"import\s+[\w.]+\s*(?:;|$)|from\s+[\w.]+\s+import\b|#include\b|SELECT\s|INSERT\s+INTO\b|UPDATE\s+\w+\s+SET\b|"
    r"CREATE\s+TABLE\b|Traceback\b|File\s+\"|at\s+[\w.$]+\(|[\w.]+\s*=\s*['\"\[{]))"
)
OBJECTS = re.compile(
    '"[^"\n]{1,300}"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|『[^』\n]{1,300}』|`[^`\n]{1,200}`|https?://[^\\s，。；]{1,500}'
)
CAPTION = re.compile(r"\[[^\[\]\n]{1,400}\]|【[^【】\n]{1,400}】")
END = re.compile(r"[。！？!?；;\n…]+|\.{2,}|\.(?=\s|$|[\u4e00-\u9fff])")
NOT_AN_END = re.compile(r"(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|No|etc|e\.g|i\.e|[A-Z]|[A-Z]\.[A-Z])$")
HAN = re.compile("[\u4e00-\u9fff]")
OTHER_SCRIPT = re.compile("[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f]")
LETTER = re.compile("[A-Za-z]")
CHINESE_BREAK = re.compile(r"[，,：()（）—]+|(?<!\d):(?!\d)|(?<![A-Za-z])--")
WHOLE = re.compile(
    r"^[^，]{2,30}(?:主要内容|主题|内容)是|^(?:lessons? learn(?:ed|t)|上次的教训|踩过坑|教训)", re.IGNORECASE
)
"""Begins a sentence whose commas divide one value."""

SUBJECTS = (
    r"I\b|I'|my\b|we\b|we'|our\b|he\b|she\b|it\b|it's\b|they\b|you\b|you're\b|that's\b|there\b|this\b|"
    r"but\b|so\b|which\b|who\b|because\b|though\b|although\b|while\b|especially\b|the (?:[\w-]+ )?[\w-]"
    r"+ (?:is|are|was|were)\b|and (?:I|my|we|he|she|it|they|you|that|the)\b"
)
VERBS = (
    r"(?:love|hate|enjoy|prefer|dislike|adore|work|live|am|own|drive|speak|have|can't stand|"
    r"loves|hates|works|lives|is|owns|has)\b"
)
ASKING = (
    r"(?:(?:can|could|would|will|do|does|did|is|are|should) (?:you|I|we|it|there|the|that|this|my)|"
    r"(?:what|how|why|where|when|which|who)(?:'s| (?:do|does|did|is|are|can|could|should|would|will|"
    r"about|else|kind|much|many)))\b"
)
ASKS = re.compile(rf"^(?:(?:so|and|but) )?{ASKING}", re.IGNORECASE)
ENGLISH_BREAK = re.compile(
    rf",\s+(?=(?:(?:so|and|but) )?{ASKING})|"
    rf",\s+(?={SUBJECTS})|\s+(?:-+|[–—])\s+|[–—]|--+|[()（）:，：]|"
    r"\s+(?=(?:but|because|'cause|cause|cuz|so (?:I|we|my|it|that)|though|although|while|which|whereas|"
    r"unless|even though|even if)\b)|"
    r",?\s+and\s+(?=(?:I|my|we|he|she|it|they|you|it's|that|that's)\b)|,\s*(?:and\s+)?(?=(?:and\s+)"
    r"?(?:work|live|am|own|drive|speak|have|works|lives|is|owns|has)\b)|\s+and\s+(?=" + VERBS + r")|"
    r"\s+(?=(?:since|when|whenever|as|after|before|until|where|if)\s+(?:I|we|he|she|it|they|you|my|the)\b)",
    re.IGNORECASE,
)


JOINT = re.compile(r"^((?:My )?[A-Z]?[\w-]{1,20}) and I\b")
"""A subject of two, which is no new subject after "and"."""


@dataclass(frozen=True, slots=True)
class Prose:
    """What an author wrote, without what is not theirs; *objects* are the quotations taken out, in order."""

    text: str
    objects: tuple[str, ...] = ()

    def restored(self, text: str) -> str:
        """The text with its objects put back."""
        return "".join(self.objects[ord(c) - FIRST_OBJECT] if self.stands_for(c) else c for c in text)

    def stands_for(self, character: str) -> bool:
        """True for the character of an object."""
        return 0 <= ord(character) - FIRST_OBJECT < len(self.objects)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without its end mark; `asks` if it ended in a question mark."""

    text: str
    language: str
    asks: bool = False


def prose(content: str) -> Prose:
    """The message as its author's own words."""
    text = UNSEEN.sub(" ", content.replace("\r\n", "\n").translate(FOLDED))
    text = without_fences(without_tagged(text))
    text = "\n".join("" if CODE_LINE.match(line) else line for line in text.split("\n"))
    objects: list[str] = []
    text = OBJECTS.sub(lambda match: kept(match.group(), objects), CAPTION.sub(" ", text))
    return Prose(PICTURES.sub(" ", text), tuple(objects))


def kept(found: str, objects: list[str]) -> str:
    """The character that stands for *found*, which joins *objects*; beyond the most there can be, a break."""
    if len(objects) >= MOST_OBJECTS:
        return "\n"
    objects.append(found)
    return chr(FIRST_OBJECT + len(objects) - 1)


def without_fences(text: str) -> str:
    """The text outside fenced code; a fence that is never closed reaches to the end."""
    return "\n".join(text.split(FENCE)[::2])


def without_tagged(text: str) -> str:
    """The text outside paired tags, which are scaffolding of a program and not the author's.

    A tag with a dash or underscore in its name (`<system-reminder>`) that is never closed reaches to the end.
    """
    tags = list(TAG.finditer(text))
    last = {tag[2].lower(): number for number, tag in enumerate(tags) if tag[1]}
    parts, at, number = [], 0, 0
    while number < len(tags):
        tag = tags[number]
        parts.append(text[at : tag.start()])
        if tag[1] or last.get(tag[2].lower(), -1) < number:
            if not tag[1] and re.search("[-_]", tag[2]):
                return "\n".join(parts)
        else:
            number = closing(tags, number, last[tag[2].lower()])
        at, number = tags[number].end(), number + 1
    return "\n".join([*parts, text[at:]])


def closing(tags: list[re.Match[str]], opening: int, last: int) -> int:
    """Number of the tag that closes tag *opening*, counting those of its name inside; at the most *last*."""
    name, depth = tags[opening][2].lower(), 0
    for number in range(opening, last):
        if tags[number][2].lower() == name:
            depth += -1 if tags[number][1] else 1
        if depth == 0:
            return number
    return last


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences that may say something, in reading order."""
    start = 0
    for end in END.finditer(text):
        if end.group() == "." and NOT_AN_END.search(text, max(start, end.start() - 8), end.start()):
            continue
        yield from sentence(text[start : end.start()], end.group())
        start = end.end()
    yield from sentence(text[start:], "")


def sentence(text: str, mark: str) -> Iterator[Sentence]:
    """The sentence if its length and script are ours."""
    stripped = text.strip(" \t-*•·,，、")
    if SHORTEST <= len(stripped) <= LONGEST and (spoken := language(stripped)):
        yield Sentence(stripped, spoken, "?" in mark or "？" in mark)


def language(text: str) -> str:
    """`zh` if at least a fifth of the letters are Han, `en` for Latin ones, "" for what we can't read."""
    if OTHER_SCRIPT.search(text):
        return ""
    han, latin = len(HAN.findall(text)), len(LETTER.findall(text))
    if han * 5 >= han + latin and han:
        return "zh"
    return "en" if latin else ""


def clauses(sentence: Sentence) -> list[str]:
    """The clauses of a sentence: a comma ends a Chinese one, in English only before a new subject or verb."""
    if WHOLE.match(sentence.text):
        return [sentence.text.strip()]
    text = JOINT.sub(r"\1 & I", sentence.text)
    parts = (CHINESE_BREAK if sentence.language == "zh" else ENGLISH_BREAK).split(text)
    return [part.strip(" \t,，、'*_~") for part in parts if part and part.strip(" \t,，、'*_~")]
