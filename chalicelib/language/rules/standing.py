"""Standing wishes about how to answer: "from now on …", 以后请…; without such a word a wish is for one answer only."""

import re

from chalicelib.language.rules.findings import Finding, Subject
from chalicelib.language.rules.lexicon_en import LANGUAGES

LASTING_CHINESE = re.compile(
    "^(?:(?:以后|今后|从现在起|从今以后|从今天起|请始终|始终|请总是|总是|每次)(?:都|请|要|你|跟我|和我|的|也)*)"
    "(?=[^我])(?P<wish>.{2,80})$"
)
LASTING_ENGLISH = re.compile(
    r"^(?:(?:ok|okay|and|also|so|please),? )?(?:(?:from now on|going forward|in (?:the )?future|each "
    r"time|whenever you (?:answer|reply|respond|write)),? (?:please )?(?:always )?|(?:please )?always )"
    r"(?P<wish>(?!(?:I|we|it|he|she|they|the|my|so|a|an|love|loved|here|there|nice|good|great|fun|"
    r"happy|remember|know|wanted|been|have|had|was|is|are|got|believe|enjoy|glad|up|down|keep (?:going|"
    r"smiling|moving))\b)[a-z].{2,200})$",
    re.IGNORECASE,
)
VERB = re.compile(
    r"^(?:don't |do not |never |please )?(?:use|answer|reply|respond|write|keep|be|include|provide|"
    r"give|format|show|explain|call|address|speak|avoid|add|mention|prioriti[sz]e|"
    r"tailor|ask|start|end|put|make|cite|summari[sz]e|translate|highlight|check|list|suggest|recommend|"
    r"present|structure|focus|confirm|double-check|break|state|return|"
    r"apologi[sz]e|refer|offer|compare|send|describe|quote|specify|convert|round|label|emphasi[sz]e|tell|help)\b",
    re.IGNORECASE,
)
CHINESE_LANGUAGE = re.compile("(?:用|说|讲)(中文|英文|英语|法语|日语|日文|德语|韩语|西班牙语|粤语|汉语)")
ENGLISH_LANGUAGE = re.compile(rf"\b(?:in|speak|use) ({LANGUAGES})\b", re.IGNORECASE)
STYLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "style_address",
        re.compile(r"(?:叫我|称呼我为?|\b(?:call|address) me (?:as )?)(?P<v>[^，,]{1,30})", re.IGNORECASE),
    ),
    (
        "style_length",
        re.compile(
            r"(?P<v>简短|简洁|精简|简明|详细|啰嗦|废话|\b(?:short|concise|brief|detailed|verbose|fluff|succinct)\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "style_format",
        re.compile(
            (
                r"(?P<v>表情|列表|表格|代码块|分点|\b(?:emojis?|bullet points|bullets|markdown|tables?|json|numbered "
                r"lists?|headings)\b)"
            ),
            re.IGNORECASE,
        ),
    ),
    (
        "style_tone",
        re.compile(
            (
                r"(?P<v>正式|幽默|轻松|随意|温柔|口语化|礼貌|\b(?:formal|casual|friendly|informal|polite|apologi[sz]e|"
                r"humou?r|professional)\b)"
            ),
            re.IGNORECASE,
        ),
    ),
)
REFUSED = re.compile(r"不要|别|不用|\b(?:don't|do not|never|no|avoid)\b", re.IGNORECASE)
ADDRESS_CHINESE = re.compile("^(?:请|你)?(?:可以)?称呼我为?(?P<wish>[^，,]{1,12})$")


def wished(sentence: str, author: str, language: str) -> Finding | None:
    """The standing wish of a sentence; its attribute is "" where it fits no style slot."""
    found = (LASTING_CHINESE if language == "zh" else LASTING_ENGLISH).match(sentence)
    if language == "zh" and (address := ADDRESS_CHINESE.match(sentence)):
        return Finding(f"{author}希望被称呼为{address['wish']}", me(author), "style_address", address["wish"])
    if not found or (language == "en" and not VERB.match(found["wish"])):
        return None
    wish = found["wish"].strip()
    attribute, value = style(wish)
    if language == "zh" and not attribute and not re.match("请|不要|别|用|把|先|回答|给|在回答|每个", sentence[2:]):
        return None
    text = (
        f"{author}要求：“{sentence}”"
        if language == "zh"
        else f'{author} asks: "{sentence[:1].upper()}{sentence[1:].rstrip(" .")}."'
    )
    return Finding(text, me(author), attribute, value, dated=True)


def style(wish: str) -> tuple[str, str]:
    """The style slot a wish fills and its value; what is not wanted is "no …"."""
    for pattern in (CHINESE_LANGUAGE, ENGLISH_LANGUAGE):
        if found := pattern.search(wish):
            return "style_language", found[1]
    for attribute, pattern in STYLES:
        if found := pattern.search(wish):
            refused = REFUSED.search(wish, 0, found.start()) is not None
            return attribute, f"no {found['v'].lower()}" if refused and found[
                "v"
            ].isascii() else f"不要{found['v']}" if refused else cleaned(attribute, found["v"])
    return "", ""


def cleaned(attribute: str, value: str) -> str:
    """A value in lower case, names excepted."""
    return value.strip() if attribute == "style_address" else value.lower()


def me(author: str) -> Subject:
    """The author as a subject."""
    return Subject(author, author, self_=True)
