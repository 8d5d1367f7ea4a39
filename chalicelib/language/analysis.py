"""Text to search terms, Chinese and English and whatever lies between, and to an upper bound of its tokens.

    fold          compatibility forms (NFKC), lower case, traditional characters to simplified ones
    split         runs of Han and kana, of hangul, of other letters and digits; all else separates, NUL and halves of
                  surrogate pairs too
    terms         Chinese by dictionary (rjieba; long words also in parts), Japanese and Korean in pairs of characters,
                  plain Latin words stemmed (Snowball English), identifiers whole and in their parts

About 50 µs for a short text, linear in its length. Known limits: negation is lost in English (don't is a stop word),
irregular verbs are not joined (ran, run), a typo is another term, and a Chinese text with kana in it is cut into pairs.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from chalicelib.language.token_bounds import most_tokens
from chalicelib.mind.tongues import HAN

KANA, HANGUL = "\u3041-\u30ff", "\uac00-\ud7a3"
LETTER = f"[^\\W{HAN}{KANA}{HANGUL}]"
RUN = re.compile(
    f"(?P<cjk>[{HAN}{KANA}]+)|(?P<hangul>[{HANGUL}]+)|(?P<word>c\\+\\+|[cf]#|{LETTER}+(?:[-.@/+#']{LETTER}+)*)"
)
KANA_INSIDE, PLAIN = re.compile(f"[{KANA}]"), re.compile(r"[a-z]+")
CLITIC, JOINTS = re.compile(r"(?:n't|'(?:s|m|d|re|ve|ll))$"), re.compile(r"[-@/_+#']+")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

LONGEST = 128
"""Characters of a term; what is longer (a key, a picture in base64) is found by its beginning."""

REMEMBERED = 16_384
"""Words whose stems are kept: Snowball takes 8 µs a word, most of the time that an English text needs."""

PIECE, ENOUGH = re.compile(r"[\s\S]{1,500}(?=\s|\Z)|[\s\S]{1,500}"), 500
"""NFKC takes quadratic time over a run of combining marks (2 s for 50,000), so long texts are folded in pieces."""

EN_STOP = frozenset("""
a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it its
just me my of on or our she so some than that the their them then there these they this to too us was we were what when
where which who why will with would you your about am any being during each has more most no nor not only other own same
such should very ca wo
""".split())  # noqa: SIM905 -- a hundred lines otherwise
ZH_STOP = frozenset("""
的 了 是 在 我 你 他 她 它 们 我们 你们 他们 她们 它们 这 那 这个 那个 这些 那些 和 与 及 或 或者 而 但 但是
也 都 就 还 又 很 吗 呢 吧 啊 呀 哦 嗯 之 其 于 把 被 让 给 对 从 向 到 有 着 过 个 什么 怎么 怎样 哪 哪个 哪里
谁 为什么 因为 所以 如果 的话 以及 一个 一下 请 请问
""".split())  # noqa: SIM905 -- a hundred lines otherwise

BOTH = frozenset("乾麽夥後於")
"""Characters of the old national standard (GB 2312) that are folded all the same: what they are in simplified texts is
rare (乾隆, a surname), what they stand for in traditional ones is not (乾淨, 什麽, 夥伴, 以後, 於是)."""

MORE = (
    "佈布佔占併并兇凶剎刹卹恤吋寸喫吃嚥咽妳你姪侄崑昆巖岩弔吊彊强彫雕恆恒慄栗慾欲揹背採采昇升槓杠樑梁汎泛洩泄溼湿煖暖燄焰"
    "牠它祕秘稜棱籐藤綑捆羣群脣唇菴庵蓆席託托註注譁哗週周鉅巨鉋刨銲焊鍊链鎗枪鎚锤鑑鉴陞升餵喂麪面癒愈痠酸痺痹盃杯瞇眯"
)
"""Traditional and simplified in turn: everyday characters that the table of hanziconv lacks."""


class Analysis:
    """Terms and tokens. Threads may share one object; making it loads the dictionary, .04 to .14 s."""

    def __init__(self) -> None:
        import rjieba  # noqa: PLC0415 -- .1 s, needed by who analyses
        import snowballstemmer  # noqa: PLC0415 -- the same
        from hanziconv import charmap  # type: ignore[import-untyped]  # noqa: PLC0415 -- has no types

        self._cut: Callable[[str], list[str]] = rjieba.cut_for_search
        self._stemmer: Callable[[str], Any] = snowballstemmer.stemmer
        self._simplified = simplified(charmap.traditional_charmap, charmap.simplified_charmap)
        self._local = threading.local()
        self._stem = lru_cache(REMEMBERED)(self._stemmed)

    def tokens(self, text: str) -> int:
        """An upper bound of the tokens a language model would count."""
        return most_tokens(text)

    def terms(self, text: str) -> list[str]:
        """Terms in reading order, repeats kept; the same for index and query.

        If nothing but stop words is left, the stop words themselves.
        """
        folded = self._folded(text)
        found = [term for match in RUN.finditer(folded) for term in self._of(match)]
        return found or [match.group()[:LONGEST] for match in RUN.finditer(folded)]

    def _folded(self, text: str) -> str:
        """The text with what does not matter folded away: width, case, kind of apostrophe, 1,000 for 1000, script."""
        if not text.isascii():
            text = normalised(text).replace("\u2019", "'").translate(self._simplified)
        return THOUSANDS.sub("", text.lower().replace("i\u0307", "i"))

    def _of(self, match: re.Match[str]) -> Iterable[str]:
        """The terms of one run."""
        run = match.group()
        if match["hangul"] or (match["cjk"] and KANA_INSIDE.search(run)):
            return pairs(run)
        if match["cjk"]:
            return [word for word in self._cut(run) if word not in ZH_STOP]
        return self._latin(run)

    def _latin(self, word: str) -> list[str]:
        """A plain word is stemmed; an identifier (v1.5.0, pr-42, a@b.com) is kept whole and followed by its parts."""
        word = CLITIC.sub("", word)
        if PLAIN.fullmatch(word):
            return [] if word in EN_STOP else [self._stem(word[:LONGEST])]
        parts = [part for part in JOINTS.split(word) if part != word and (len(part) > 1 or part.isdigit())]
        return [word[:LONGEST], *(term for part in parts for term in self._latin(part))]

    def _stemmed(self, word: str) -> str:
        """Snowball English; a stemmer keeps state, so each thread has its own."""
        if not hasattr(self._local, "stem"):
            self._local.stem = self._stemmer("english").stemWord
        stem: str = self._local.stem(word)
        return stem


def normalised(text: str) -> str:
    """The text in NFKC."""
    if len(text) <= ENOUGH:
        return unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFKC", piece) for piece in PIECE.findall(text))


def pairs(run: str) -> list[str]:
    """Every two neighbours; of a single character, itself."""
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]


def simplified(old: str, new: str) -> Mapping[int, str]:
    """A table for `str.translate` from the characters *old* to *new*, and `MORE`.

    Characters that are at home in simplified texts too stay as they are, save `BOTH`: the published table takes 呼 for
    唿 and 著 for 着, and would tear 呼吸 and 著名 apart.
    """
    table = {ord(a): b for a, b in zip(old, new, strict=True) if a in BOTH or not at_home(a)}
    return table | {ord(a): b for a, b in zip(MORE[::2], MORE[1::2], strict=True)}


def at_home(character: str) -> bool:
    """True for a character of GB 2312, the set that simplified texts are written in."""
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True
