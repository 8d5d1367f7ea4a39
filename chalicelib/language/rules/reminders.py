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


def expiry(text: str, said_at: datetime) -> datetime | None:
    """The midnight that ends the day *text* names, in the zone of *said_at*; None if it names none."""
    found = NAMED.search(text)
    if not found:
        return None
    midnight = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=1 + DAYS[found.group().lower()])
