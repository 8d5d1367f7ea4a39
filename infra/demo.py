"""The demonstration: two conversations, told to the running server over HTTP, and what it recalls of them.

The messages carry ids, so a second demonstration over the same home tells nothing twice.
"""

import http.client
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

CONVERSATIONS = Path(__file__).resolve().parent / "demo"
LANGUAGES = ("zh", "en")
SECONDS = 60
SHOWN = 3
"""Items of each kind that are printed for a question."""

Data = dict[str, Any]


class DemoError(Exception):
    """The server has refused something; its text is what it said."""


def told(url: str, key: str, path: str, body: Mapping[str, Any]) -> Data:
    """The `data` of the reply to a POST. Raises DemoError."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    try:
        headers = {"Authorization": f"Token {key}", "Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        reply: Data = json.loads(response.read())
    finally:
        connection.close()
    if response.status != http.HTTPStatus.OK:
        raise DemoError(f"{path}: {reply.get('code')} {reply.get('msg')}")
    return dict(reply["data"])


def show(url: str, key: str, stop: Event) -> None:
    """Tell both conversations and print what is recalled; ends early when *stop* is set."""
    try:
        for language in LANGUAGES:
            for line in lines(url, key, json.loads((CONVERSATIONS / f"{language}.json").read_text(encoding="utf-8"))):
                if stop.is_set():
                    return
                print(line, flush=True)
    except (DemoError, OSError, http.client.HTTPException) as error:
        if not stop.is_set():
            print(f"the demonstration has failed: {error}", flush=True)


def lines(url: str, key: str, conversation: Data) -> Iterator[str]:
    """Remember one conversation, then ask its questions; what to print of it."""
    questions, name = conversation.pop("questions"), conversation["memoryAgentName"]
    remembered = told(url, key, "/v1/memories", conversation)
    count = remembered["memoriesInfo"]["newMemoryCount"]
    yield f"\n{'=' * 78}\n{name}: {len(conversation['messages'])} messages told, {count} new memories"
    for question in questions:
        asked = {"memoryAgentName": name, "query": question, "isReturningDetailedMemoryInfo": 1, "limit": SHOWN}
        yield from recalled(question, told(url, key, "/v1/recall", asked))


def recalled(question: str, data: Data) -> Iterator[str]:
    """What to print of a recall."""
    yield f"\n? {question}"
    for item in data["memorySummaryList"][:SHOWN]:
        yield f"  memory   {item['score']:3}  {item['memorySummaryText']}"
    for item in data.get("evidence", [])[:SHOWN]:
        speaker = item["character"] or item["role"]
        yield f"  evidence {round(100 * item['relevance']):3}  {item['time'][:10]} {speaker}: {item['content']}"
    yield "  memoryPrompt:"
    yield from (f"    | {line}" for line in data["memoryPrompt"].splitlines())
