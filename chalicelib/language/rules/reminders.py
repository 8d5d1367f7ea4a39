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
AHEAD = re.compile(
    r"\b(?:will|going to|ha(?:s|ve) to|needs? to|must|should|due|supposed to|at \d|by \d)\b|'ll\b"
    r"|(?<![重主])要|必须|应该|得去|打算|准备|别忘|提醒|将|[\d一二三四五六七八九十]点|\d[:：]\d\d",
    re.IGNORECASE,
)
"""What speaks of a thing still to come; a day that has begun names what has been as well."""

OVER = re.compile(
    r"\b(?:(?!need|feed|speed|shed|embed)[a-z]{2,}ed|was|were|had|did|met|went|saw|got|came|bought|said|told|made|took|found|"
    r"lost|left|ate|gave|heard|felt|won|sold|sent|paid|spoke|wrote|read|began|ran|broke|slept|drove|flew|swam)\b|[了过]|刚|已",
    re.IGNORECASE,
)
"""What tells of a thing that has been."""


def expiry(text: str, said_at: datetime) -> datetime | None:
    """The midnight that ends the day *text* names, in the zone of *said_at*; None where nothing is left to come."""
    found = NAMED.search(text)
    if not found:
        return None
    days = DAYS[found.group().lower()]
    if not days and (OVER.search(text) or not AHEAD.search(text)):
        return None
    midnight = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=1 + days)
