"""Times as we keep them: aware datetimes inside, ISO 8601 and epoch milliseconds outside."""

from datetime import datetime, timedelta

from chalicelib.errors import Malformed, OutOfRange


def iso(moment: datetime) -> str:
    """ISO 8601 with offset, milliseconds."""
    return moment.isoformat(timespec="milliseconds")


def parsed(text: str) -> datetime:
    """The time that `iso` wrote."""
    return datetime.fromisoformat(text)


def milliseconds(moment: datetime) -> int:
    """Epoch milliseconds."""
    return round(moment.timestamp() * 1000)


def said(field: str, text: str) -> datetime:
    """A time as a client gives it. Raises Malformed unless ISO 8601, OutOfRange without an offset or a sane year."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Malformed(field, f"{text[:40]!r} is no ISO 8601 time") from None
    offset = moment.utcoffset()
    if offset is None:
        raise OutOfRange(field, "a time needs an offset, such as +08:00 or Z")
    if offset % timedelta(minutes=1):
        raise Malformed(field, "an offset has hours and minutes only")  # as ISO 8601 has it, and JSON keeps it
    if not 1900 < moment.year < 2200:  # noqa: PLR2004 -- so that a shift between zones never leaves what datetime can hold
        raise OutOfRange(field, "the year must be between 1901 and 2199")
    return moment
