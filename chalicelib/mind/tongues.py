"""Which of the two languages a text is in."""

import re

from chalicelib.mind.statements import Language

HAN = "\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han characters as the inside of a pattern's class: the iteration mark, zero, and all blocks of ideographs."""

WORD = re.compile(f"(?P<han>[{HAN}])|[^\\W\\d_{HAN}]+")
SHARE = 0.6
"""A Chinese sentence may hold a few foreign words: 我用 Python 写代码 is Chinese, `We met at 外滩 in May` English."""


def language_of(text: str) -> Language:
    """Chinese where over `SHARE` of its words are Han characters, each counted as a word; else English."""
    han = words = 0
    for match in WORD.finditer(text):
        words += 1
        han += match["han"] is not None
    return "zh" if han > SHARE * words else "en"
