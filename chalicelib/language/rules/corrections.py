"""Corrections: "I was wrong, …", 不对，…: what follows is sure, and what was said before was never true."""

import re

from chalicelib.language.rules.findings import Finding
from chalicelib.language.rules.patterns_zh import LABELS

CHINESE = re.compile(
    "^(?:其实)?(?:我)?(?:刚才|之前|上次)?(?:说错|记错|搞错|弄错|讲错)了|^口误|^说反了|^不对$|"
    "^更正|^纠正|^修正|^准确地说|^你(?:记|弄|搞)错了|^这条记忆是错的|^不是这样的|^不是的$"
)
ENGLISH = re.compile(
    r"^(?:(?:sorry|oops|actually|wait|no),? )?(?:I was wrong|I misspoke|my mistake|my bad|correction|"
    r"let me correct|to correct myself|I made a mistake|I got that wrong|I said that by mistake|"
    r"that's (?:not right|wrong|incorrect|false|not true)|that is (?:not right|wrong|incorrect|false|"
    r"not true)|you're mistaken|you've got it wrong|that memory is wrong)\b",
    re.IGNORECASE,
)
LEADING = re.compile(r"^(?:no, (?=my |I |it)|更正一下|纠正一下|准确地说(?:是)?|更正|修正)", re.IGNORECASE)


def corrects(clause: str, language: str) -> bool:
    """True if the clause says that something said before was wrong."""
    return (CHINESE if language == "zh" else ENGLISH).search(clause) is not None or LEADING.match(clause) is not None


def rest(clause: str) -> str:
    """What the clause says besides."""
    return LEADING.sub("", clause)


def withdrawn(finding: Finding, language: str) -> Finding:
    """The denial of whatever was said before for the slot that *finding* corrects."""
    who = finding.subject.shown
    if language == "zh":
        label = LABELS.get(finding.attribute, finding.attribute.split("_", 1)[-1])
        text = f"{who}更正：之前说的{label}不对"
    else:
        text = (
            f"{who} takes back what was said before about the {finding.attribute.split('_', 1)[-1].replace('_', ' ')}."
        )
    return Finding(text, finding.subject, finding.attribute, "", "denial", dated=True)
