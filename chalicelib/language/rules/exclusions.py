"""Sentences that state nothing lasting, with the reason; what an explicit command says is never tested here."""

import re
from collections.abc import Sequence

from chalicelib.language.rules.clauses import ASKS, Sentence

QUESTION = re.compile(
    r"(?:吗|么|没有|不成|你呢)$|(?:什么|怎么|谁|哪|几|多少|为什么|如何).{0,30}呢$|([一-鿿])不\1|有没有|"
    r"^(?:什么|怎么|为什么|为何|谁|哪|几|多少|能不能|请问|可不可以)|你(?:觉得|知道|认为|说).{0,20}(?:什么|怎么|哪)|"
    r"^(?:what|who|whom|when|where|why|how|which|whose)(?:'s| (?:do|does|did|is|are|was|were|can|could|"
    r"will|would|should|have|has|am))\b|"
    r"^(?:do|does|did|is|are|was|were|can|could|would|will|have|has|am|shall|should) (?:you|I|we|they|"
    r"he|she|it|the|my|your|there)\b",
    re.IGNORECASE,
)
ASKED_CHINESE = re.compile("[吗么呢]$|什么|怎么|为什么|谁|哪|几|多少|([一-鿿])不\\1|有没有|记得")
TAG_QUESTION = re.compile("^(?:对|是|没错|不是|你(?:还)?(?:记得|知道))")
LONGEST_TAG = 4
"""Characters of a Chinese tag question; an English question of fewer words is one."""

CONDITION = re.compile("如果|要是|假如|假设|倘若|就算|即使|万一|若是|的话|就好了")
HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|let's say|wish|would|I'd|I would|hypothetically)\b",
    re.IGNORECASE,
)
ROLE_PLAY = re.compile(
    r"扮演|假装|角色扮演|你现在是|翻译|造句|改写|润色|续写|写(?:一|个|篇|首|段)|以下(?:是|内容)|例如|比如|举例|"
    r"\b(?:pretend|act as|role-?play|you are now|translate|rewrite|rephrase|paraphrase|proofread|for "
    r"example|e\.g|for instance|"
    r"write (?:me )?(?:a|an|the|some)|in the style of|example sentence|use .{1,30} in a sentence|lyrics)\b",
    re.IGNORECASE,
)
ERROR_REPORT = re.compile(
    r"报错|出错|失败了?[：:，,]|崩溃|异常|无法启动|堆栈|"
    r"\b(?:traceback|exception|stack ?trace|segfault|crash(?:ed|es)|error \d+|error:|failed with|"
    r"doesn't work|500 error|404)\b|(?:^|\b)报?[Bb]ug\b",
    re.IGNORECASE,
)
NOT_YET = re.compile(
    r"还没|差点|差一点|没有?(?:分手|离婚|搬|换|辞职)|想(?:换|搬|辞)|(?:打算|准备|考虑|计划)(?:换|搬|辞|离)|"
    r"\b(?:almost|nearly|haven't .{1,40}yet|hasn't .{1,40}yet|planning to|thinking (?:of|about)|about to|considering|"
    r"might move|didn't move|(?:I am|I'm|we're|we are) (?:going to|gonna)|gonna)\b",
    re.IGNORECASE,
)
TWISTED = re.compile(
    r"不是不|没有?不|并非不|并不是不|没人不|谁不|不再不|没忘|并非|无不|"
    r"\b(?:not that I|can't not|don't dislike|don't hate|don't mind|not un\w+|couldn't agree more|"
    r"haven't forgotten|not only|never not)\b",
    re.IGNORECASE,
)
ONE_OFF = re.compile(
    r"这次|这回|这个问题|这一次|帮我(?!记)|\b(?:this time|for this one|just once|help me)\b", re.IGNORECASE
)
PASSING = re.compile(
    r"今天|明天|昨天|后天|今晚|昨晚|明晚|刚才|刚刚|这会儿|等下|待会|下午|上午|早上(?=.{0,3}点)|现在有点|"
    r"\b(?:today|tomorrow|tonight|yesterday|right now|at the moment|this (?:morning|afternoon|evening)|"
    r"at \d{1,2} ?[ap]m|"
    r"last night|for now|so far|already)\b",
    re.IGNORECASE,
)
REPORTED = re.compile(
    r"(?:(?<!我)(?:说|表示|告诉我|问我?|觉得|认为|写道|讲))(?:过|道)?$|"
    r"\b(?:said|says|told (?:me|us|him|her)|tells me|asked|replied|thinks|thought|claims|insists|goes|"
    r"wrote|was like|be like)$",
    re.IGNORECASE,
)


def reason(sentence: Sentence) -> str:
    """Why nothing of the whole sentence is to be kept, "" if there is no reason."""
    if sentence.asks or QUESTION.search(sentence.text):
        return "question"
    if ERROR_REPORT.search(sentence.text):
        return "error_report"
    return "hypothetical" if CONDITION.search(sentence.text) else ""


def before_question(clauses: Sequence[str], language: str) -> list[str]:
    """The clauses of an asking sentence that come before its question ("I'm allergic to nuts, what can I eat?").

    None where the question is about them: a tag (…，对吗？), or no clause of its own.
    """
    if language == "zh":
        own = len(clauses) > 1 and len(clauses[-1]) > LONGEST_TAG and not TAG_QUESTION.search(clauses[-1])
        said = list(clauses[:-1]) if own else []
        return [] if any(ASKED_CHINESE.search(clause) for clause in said) else said
    first = next((number for number, clause in enumerate(clauses) if ASKS.match(clause)), 0)
    return [] if first and len(clauses[first].split()) < LONGEST_TAG else list(clauses[:first])


def doubt(clause: str) -> str:
    """Why nothing of this clause is to be kept, "" if there is no reason."""
    reasons = (("hypothetical", HYPOTHETICAL), ("not_yet", NOT_YET), ("negation", TWISTED), ("one_off", ONE_OFF))
    return next((name for name, pattern in reasons if pattern.search(clause)), "")


def plays(text: str) -> bool:
    """True if from here on the author writes as somebody else, or hands over text to be worked on."""
    return ROLE_PLAY.search(text) is not None


def passing(text: str) -> bool:
    """True for a clause about a moment, which tells nothing lasting unless it tells of a change or a date."""
    return PASSING.search(text) is not None


def reports(clause: str) -> bool:
    """True if the clause introduces somebody's words, so that what follows is not the author's."""
    return REPORTED.search(clause) is not None
