"""Explicit commands: remember this, forget that, don't store this. They win over exclusions, except quotes and code."""

import re
from dataclasses import dataclass
from typing import Literal

Order = Literal["remember", "forget", "ignore"]
CONFIDENCE, WEAKER = 0.99, 0.90
"""Of what the user asked to remember, and of what only was said "for the record"."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is ordered, and the words it is about (to remember: a sentence; to forget: a description)."""

    order: Order
    about: str
    confidence: float = CONFIDENCE


LEAD = (
    r"(?:(?:ok|okay|hey|hi|oh|so|and|also|please|well|btw|by the way|can you|could you|好的?|"
    r"对了|另外|还有|嗯|那|请|麻烦)[\s,，、!！]{0,3}){0,3}"
)
REST = r"[\s,，:：]{0,4}(?P<about>.+)"
IGNORED = re.compile(
    rf"^{LEAD}(?:不用记|不要记住|别记|别存|不要存|这个不要存|这(?:个|件事)?(?:不用|不要|别)(?:记|存)|"
    r"(?:do not|don't) (?:remember|store|save|note|record) |off the record)|\b(?:off the record)\b",
    re.IGNORECASE,
)
NO_COMMAND = re.compile(
    r"^(?:我(?:还)?(?:记得|忘)|你?还?记得(?:.{0,40})吗|记得吗|忘记密码|忘了带|I (?:still )?remember|remember "
    r"(?:me|when|how|the time|the day|what|who|where|us)\b|"
    r"remember,? (?:[A-Z]\w+,|you're|you are|you can|you've|your|we|it's|that you|to\b)|do you "
    r"remember|forget it\b|never mind|算了)",
    re.IGNORECASE,
)
REMEMBER = re.compile(
    rf"^{LEAD}(?:(?:帮我|给我|你?要|一定要|务必|千万)?(?:记住|记下来?|记一下|记录一下|牢记)|备忘(?=[:：])"
    rf"|(?:保存|存|写|加入?|添加)(?:到|进|入)?记忆[里中]?|"
    r"(?:千万)?(?:别|不要|勿)忘(?:了|记|掉)?|你要知道|以后都要记得|记得(?!.{0,40}吗)|"
    r"(?:always )?remember(?: this| that)?\b(?! to\b)|note(?: down)?(?: that| this)?\b(?=[: ])|make a "
    r"note(?: of| that)?\b|take note(?: that)?\b|jot down\b|"
    r"write down(?: that)?\b|(?:save|add|store|commit)(?: this| it)? (?:to|in) (?:your |the )?memory\b(?: that)?|"
    r"put (?:this|it) in (?:your |the )?memory\b|(?:don't|do not|never) forget(?: that)?\b(?! to\b))" + REST,
    re.IGNORECASE,
)
WEAK_REMEMBER = re.compile(
    rf"^{LEAD}(?:keep in mind|bear in mind|for future reference|for the record|fyi)\b(?: that)?" + REST,
    re.IGNORECASE,
)
FORGET = re.compile(
    rf"^{LEAD}(?:(?:忘掉|忘记|忘了)(?!带|密码|拿|关)(?:之前)?|删除(?:记忆)?(?=[:：]|关于|我)|"
    rf"删掉(?=关于|我)|移除|清除|从记忆中删除|不要再记|别再记|"
    r"forget(?: about| that)?\b|stop remembering\b|erase\b|wipe\b|clear your memory of\b)" + REST,
    re.IGNORECASE,
)
FORGET_OBJECT = re.compile(
    (
        rf"^{LEAD}(?:把(?P<zh>.+)(?:忘了|忘掉|删掉|删除)吧?|(?:delete|remove|erase|wipe)(?P<en>\s.+) from "
        rf"(?:your |the )?memory)$"
    ),
    re.IGNORECASE,
)
POLITE = re.compile(
    r"^(?:能|可以|可不可以|请|麻烦|帮)|(?:可以|好|行)吗$|\b(?:can|could|would|will) you\b|\bplease\b", re.IGNORECASE
)
PARTICLES = re.compile(r"(?:就行|吧|哦|啊|哈|, please| please)$", re.IGNORECASE)


def command(text: str, *, asks: bool = False) -> Command | None:
    """The command a sentence (without its end mark) gives, None if it gives none; a question must be a polite one."""
    if IGNORED.search(text):
        return Command("ignore", "")
    if NO_COMMAND.search(text) or (asks and not POLITE.search(text)):
        return None
    for order, pattern, confidence in (
        ("forget", FORGET_OBJECT, CONFIDENCE),
        ("remember", REMEMBER, CONFIDENCE),
        ("remember", WEAK_REMEMBER, WEAKER),
        ("forget", FORGET, CONFIDENCE),
    ):
        if found := pattern.match(text):
            about = next(part for part in found.groupdict().values() if part)
            return Command(order, PARTICLES.sub("", about).strip(" ,，、"), confidence)  # type: ignore[arg-type]  # from the tuple above
    return None
