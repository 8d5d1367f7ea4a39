"""Ids that carry their time, and memory ids that carry their place."""

import hashlib
import re

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32, as the ULID specification has it
ULID = re.compile(rf"[0-7][{ALPHABET}]{{25}}")
MEMORY = re.compile(rf"mem_([a-z2-7]{{16}})_([0-7][{ALPHABET}]{{25}})")
TASK = re.compile(rf"task_([0-7][{ALPHABET}]{{25}})([0-9a-f]{{6}})")


def ulid(milliseconds: int, entropy: bytes) -> str:
    """26 characters that sort by time: 48 bits of epoch milliseconds, then the 10 bytes of *entropy*."""
    number = milliseconds << 80 | int.from_bytes(entropy[:10], "big")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def milliseconds_of(text: str) -> int:
    """The epoch milliseconds that a ULID carries."""
    return sum(ALPHABET.index(c) << 5 * (9 - i) for i, c in enumerate(text[:10]))


def memory_id(ref: str, ulid_text: str) -> str:
    """The id of a memory in the scope with this ref."""
    return f"mem_{ref}_{ulid_text}"


def ref_of(memory: str) -> str | None:
    """The ref of the scope a memory id names; None if it is no memory id."""
    found = MEMORY.fullmatch(memory)
    return found and found[1]


def seal(project: str, ulid_text: str) -> str:
    """Six hexadecimal digits that tell an id this project has issued from one that was made up."""
    return hashlib.sha256(f"{project}/{ulid_text}".encode()).hexdigest()[:6]


def task_id(project: str, ulid_text: str) -> str:
    """The id of a task of this project."""
    return f"task_{ulid_text}{seal(project, ulid_text)}"


def task_time(task: str, project: str) -> int | None:
    """When a task of this project was accepted, in epoch milliseconds; None if the id is none of its ids."""
    found = TASK.fullmatch(task)
    return milliseconds_of(found[1]) if found and found[2] == seal(project, found[1]) else None
