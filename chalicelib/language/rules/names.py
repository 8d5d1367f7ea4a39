"""Names of people, places and organisations in a sentence: tagged for Chinese, by capitals for English."""

import re
from collections.abc import Iterable, Sequence

from chalicelib.mind.statements import Entity

MOST = 16
"""Entities of one statement."""

TYPES = {"PER": "person", "LOC": "place", "ORG": "organisation", "nz": ""}
ORGANISATION_ENDS = ("公司", "集团", "银行", "大学", "学院", "中学", "小学", "医院", "研究院", "委员会")
PLACE_ENDS = ("省", "市", "区", "县", "镇", "路", "街", "湖", "山", "公园", "机场", "车站")
WORK = re.compile("《([^《》]{1,40})》")
TITLED = re.compile(
    "([小老阿][赵钱孙李周吴郑王冯陈杨朱秦许何吕张孔曹金魏姜谢范彭马方任袁柳唐罗薛贺邱高夏蔡田樊胡林钟徐]|"
    "[赵钱孙李周吴郑王冯陈杨朱秦许何吕张孔曹金魏姜谢范彭马方任袁柳唐罗薛贺邱高夏蔡田樊胡林钟徐])"
    "(老师|先生|女士|教授|医生|经理|总|哥|姐|阿姨|叔叔)"
)
CAPITALS = re.compile(r"\b[A-Z][\w'&.-]{0,30}(?: (?:(?:of the|of|the|de|van|von|la) )?[A-Z][\w'&.-]{0,30}){0,4}")
NOT_NAMES = frozenset(
    [
        "I",
        "A",
        "An",
        "The",
        "My",
        "Our",
        "Your",
        "His",
        "Her",
        "Their",
        "It",
        "Its",
        "This",
        "That",
        "These",
        "Those",
        "He",
        "She",
        "We",
        "They",
        "You",
        "There",
        "Here",
        "And",
        "But",
        "So",
        "Or",
        "If",
        "When",
        "While",
        "User",
        "Who",
        "What",
        "Where",
        "Why",
        "How",
        "Yes",
        "No",
        "Not",
        "Also",
        "Just",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
        "Mom",
        "Dad",
        "Mum",
        "Christmas",
    ]  # one word list
)
ORGANISATION = re.compile(r"\b(?:Inc|Ltd|LLC|Corp|University|College|School|Hospital|Bank|Institute|Company|Agency)\b")
PLACE = re.compile(r"\b(?:Street|Lake|Park|Mount|Mountains|River|Beach|Island|City|County|Avenue|Road)\b|\bAlps\b")
BEFORE_PLACE = re.compile(r"\b(?:in|to|from|near|at) $")


def chinese(text: str, words: Sequence[tuple[str, str]]) -> list[Entity]:
    """Names in a Chinese sentence whose tagged words are *words*: tags, joined up to what ends a name."""
    found = [Entity(name, TYPES[tag]) for name, tag in joined(words) if tag in TYPES and len(name) > 1]
    found += [Entity(match[1], "") for match in WORK.finditer(text)]
    found += [Entity(match[0], "person") for match in TITLED.finditer(text)]
    return distinct(found)


def joined(words: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Words where a place or name and the nouns after it make one name (北京 大学 -> 北京大学)."""
    result: list[tuple[str, str]] = []
    for word, tag in words:
        before = result[-1] if result else ("", "")
        if before[1] in {"LOC", "ORG", "nz"} and tag == "n" and word.endswith(ORGANISATION_ENDS):
            result[-1] = (before[0] + word, "ORG")
        elif before[1] == "LOC" and tag != "LOC" and word in PLACE_ENDS:
            result[-1] = (before[0] + word, "LOC")
        else:
            result.append((word, tag))
    return result


def english(text: str, known: str = "") -> list[Entity]:
    """Names in an English sentence: runs of capitalised words without what only begins a sentence, unless *known*."""
    found = []
    for match in CAPITALS.finditer(text):
        words = match.group().removesuffix("'s").split(" ")
        while words and words[0].removesuffix("'s") in NOT_NAMES:
            words = words[1:]
        name = " ".join(words).removesuffix("'s").rstrip(".'-")
        opens = text[max(0, match.start() - 1) : match.start()] in {"", '"'} and " " not in name and name != known
        if len(name) > 1 and name not in NOT_NAMES and not opens:
            found.append(Entity(name, english_type(name, text[max(0, match.start() - 6) : match.start()])))
    return distinct(found)


def english_type(name: str, before: str) -> str:
    """The type a name shows by its words or by the preposition before it, "" if it shows none."""
    if ORGANISATION.search(name):
        return "organisation"
    return "place" if PLACE.search(name) or BEFORE_PLACE.search(before) else ""


def distinct(entities: Iterable[Entity]) -> list[Entity]:
    """Each name once, with its first type that is known; at most `MOST`."""
    types: dict[str, str] = {}
    for entity in entities:
        types[entity.name] = types.get(entity.name) or entity.type
    return [Entity(name, type_) for name, type_ in types.items()][:MOST]
