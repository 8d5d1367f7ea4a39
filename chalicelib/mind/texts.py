"""What text is: blank or not, cut where a character ends, made inert, and the same as another."""

import hashlib
import re
import unicodedata

JOINER = "\u200d"
FLAG = range(0x1F1E6, 0x1F200)
CLINGING = re.compile("[\u200d\u1160-\u11ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
"""What belongs to the character before it, besides marks: joiners, later parts of Hangul, skin tones, tags."""

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What is drawn as nothing (Unicode's Default_Ignorable_Code_Point), and what breaks lines or turns their direction."""

MARKUP = {
    ord(c): shown
    for lookalikes, shown in (
        ("<＜﹤", "‹"), (">＞﹥", "›"), ("“‟„〝⹂", "‘"), ("”″〞〟", "’"),
        ('"`＂｀\u1fef〃‶‴‷⁗ʺ˝ˮ˵˶\u05f4❝❞❠🙶🙷🙸', "'"),
    )
    for c in lookalikes
}
"""What opens or closes a tag or a quotation, or looks like that, and what is shown in its place."""

SPACES = re.compile(r"\s+")
LOOSE = re.compile(r"""[\s!"'(),.:;?\[\]_`{}¡«»¿‐-‧‹›、。〈-】〔-〟・]+""")
"""Spacing, and marks that only part words and sentences. Symbols stay: C is not C++, -5 not 5, and a smile no tear."""


def blank(text: str) -> bool:
    """True for text that shows nothing: white space, control and format characters only."""
    return all(c.isspace() or unicodedata.category(c) in {"Cc", "Cf"} or c in "\u3164\uffa0\u2800" for c in text)


def broken(text: str) -> bool:
    """True if the text holds half of a character (a lone surrogate), which no store and no wire can take."""
    return any("\ud800" <= c <= "\udfff" for c in text)


def cut(text: str, most: int) -> str:
    """The first *most* code points at the most, never ending inside what a reader sees as one character."""
    if len(text) <= most:
        return text
    end = most
    while end and inside(text, end):
        end -= 1
    return text[:end]


def inside(text: str, at: int) -> bool:
    """True if position *at* splits a base from its marks, a joined emoji, or a flag."""
    after, before = text[at], text[at - 1]
    if unicodedata.category(after).startswith("M") or CLINGING.match(after) or before == JOINER:
        return True
    if ord(after) not in FLAG or ord(before) not in FLAG:
        return False
    first = at
    while first and ord(text[first - 1]) in FLAG:
        first -= 1
    return (at - first) % 2 == 1


def excerpt(text: str, most: int) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= most else cut(text, most - 1) + "…"


def inert(text: str) -> str:
    """The text as data inside a prompt: one line, nothing hidden, no quote or tag that could end its quotation."""
    visible = IGNORABLE.sub("", HIDDEN.sub("", SPACES.sub(" ", text))).translate(MARKUP)
    return f"“{visible.strip()}”"


def normalised(text: str) -> str:
    """What two texts share if they say the same: width, case, spacing and the marks of sentences folded away."""
    return LOOSE.sub(" ", folded(text)).strip()


def folded(text: str) -> str:
    """The text without what is drawn as nothing, its width and case folded (Unicode's NFKC_Casefold)."""
    seen = IGNORABLE.sub("", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFKC", IGNORABLE.sub("", unicodedata.normalize("NFKC", seen.casefold())).casefold())


def digest(*parts: str) -> str:
    """A name for texts that say the same (`normalised`), 32 hexadecimal digits."""
    return hashlib.sha256("\x1f".join(map(normalised, parts)).encode("utf-8", "replace")).hexdigest()[:32]


def canonical(name: str) -> str:
    """The name under which an entity is one: width, case and spacing folded, punctuation kept; up to 200 characters."""
    return cut(SPACES.sub(" ", folded(cut(name, 1000))).strip(), 200).strip()
