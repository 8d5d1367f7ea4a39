"""When what the user asked to be reminded of is over: at the end of the day it names."""

import re
from datetime import datetime, timedelta

DAYS = {
    "今天": 0,
    "今晚": 0,
    "今早": 0,
    "明天": 1,
    "明早": 1,
    "明晚": 1,
    "后天": 2,
    "大后天": 3,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
NAMED = re.compile("|".join(sorted(DAYS, key=len, reverse=True)), re.IGNORECASE)
BEGINNING = re.compile(
    r"\b(?:from|since|as of|starting|beginning) (?:today|tonight|tomorrow)\b"
    r"|从(?:今|明|后)天|[今明后]天(?:起(?![床飞])|开始)",
    re.IGNORECASE,
)
"""Makes the day the first of many."""

AHEAD = re.compile(
    r"\b(?:will|going to|ha(?:s|ve) to|needs? to|must|should|due(?! to)|supposed to|(?:at|by) \d{1,2}(?:[ap]m)?"
    r"|(?:coming|leaving|arriving|meeting|visiting|flying|having (?:lunch|dinner|supper|guests|friends)))\b|'ll\b"
    r"|(?<![重主])要|必须|应该|得去|打算|准备|别忘|(?<!麻)将(?!军)"
    r"|(?:(?:十|[午晚上晨])一|[\d二两三四五六七八九十])点|\d[:：]\d\d",
    re.IGNORECASE,
)
"""What speaks of a thing still to come; a day that has begun names what has been as well."""

ERRAND = re.compile(
    r"^(?:please )?(?:ask|book|bring|buy|call|cancel|check|clean|collect|cook|drop|e-?mail|feed|fetch|finish|get|mail"
    r"|meet|order|pay|pick|post|renew|return|ring|send|submit|take|tell|text|visit|walk|wash|water|write)\b"
    r"|^(?:今天|今晚|今早)(?:[上中下]午|早上|晚上|下班后?|睡前)?"
    r"(?:去|买|交|带|取|拿|寄|还|给|打|接|送|付|约|订|洗|喂|倒|关|联系|回复)",
    re.IGNORECASE,
)
"""Begins a thing to do: a verb that nobody is the subject of."""

OVER = re.compile(
    r"(?<!\bbe )\b(?!need|feed|speed|shed|embed)[a-z]{2,}ed\b"
    r"|(?<!to )(?<!will )(?<!must )(?<!should )(?<!'ll )\b(?:read|put|cut|hit|set|let|hurt|quit)\b"
    r"|\b(?:was|were|had|did|met|went|saw|got|came|bought|said|told|made|took|found|lost|left|ate|gave|heard|felt|won"
    r"|sold|sent|paid|spoke|wrote|began|ran|broke|slept|drove|flew|swam)\b"
    r"|(?<!忘)了|过(?![期敏年节])|刚|已",
    re.IGNORECASE,
)
"""What tells of a thing that has been."""

TOLD = re.compile("说|告诉|决定|答应|承诺|宣布|提出|提醒|建议|发现|得知")
"""Before what is to come: it has been told today, and that stays true."""


def expiry(text: str, said_at: datetime) -> datetime | None:
    """The midnight that ends the day *text* names, in the zone of *said_at*; None where nothing is over by then."""
    found = NAMED.search(text)
    if not found or BEGINNING.search(text):
        return None
    days = DAYS[found.group().lower()]
    if not days and not to_come(text):
        return None
    midnight = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=1 + days)


def to_come(text: str) -> bool:
    """True if the text surely speaks of what is left of its day; in doubt it is a fact, which must not be lost."""
    if OVER.search(text):
        return False
    ahead = ERRAND.search(text) or AHEAD.search(text)
    return ahead is not None and TOLD.search(text, 0, ahead.start()) is None
