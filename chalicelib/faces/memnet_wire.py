"""The shapes of the MemNetAI interface: requests checked, replies built."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from chalicelib.errors import OutOfRange
from chalicelib.faces.requests import MOST_NAME, Flag, Identifier, Name, Number, Wire, clean, short, shown, slim
from chalicelib.mind.memories import Change, Memory, Source
from chalicelib.mind.rows import Row
from chalicelib.mind.times import iso, said
from chalicelib.mind.turns import Said, Turn
from chalicelib.recall import Association, RecalledMemory, RecalledTurn
from chalicelib.records.tasks import Task

MOST_MESSAGES, MOST_CONTENT, MOST_QUERY, MOST_METADATA, MOST_CHARACTER = 2000, 50_000, 8_000, 4_096, 64
CONVERSATION = "default"
"""The conversation of messages that name none."""

CONTEXT = {"told": 1, "merged": 1, "thought": 2, "dreamt": 3, "written": 4}
"""contextType by origin."""


def inhabited(namespace: str) -> str:
    """A namespace; the empty one is the default one."""
    return namespace or "default"


Namespace = Annotated[
    str, AfterValidator(inhabited), AfterValidator(shown), AfterValidator(clean), short(MOST_NAME), AfterValidator(slim)
]
Character = Annotated[str, AfterValidator(clean), short(MOST_CHARACTER)]


def unsupported(_value: Any) -> Any:
    """Refuse a field that would narrow an answer rather than drop it in silence: this version does without it."""
    raise PydanticCustomError("unsupported", "is not supported by this version")


class WireMessage(Wire):
    """One message of a conversation."""

    role: Literal["user", "assistant", "system", "tool"]
    content: Annotated[str, Field(max_length=MOST_CONTENT), AfterValidator(shown)]
    character: Character = "用户"
    id: Identifier | None = None
    time: str | None = None

    def said(self, index: int) -> Said:
        """The message as the product takes it. 用户 says nothing about who speaks, least of all on another role."""
        character = "" if self.character == "用户" and self.role != "user" else self.character
        time = said(f"messages[{index}].time", self.time) if self.time is not None else None
        return Said(self.role, character, self.content, time, self.id)


class RememberRequest(Wire):
    """POST /v1/memories."""

    memory_agent_name: Name
    namespace: Namespace = "default"
    messages: Annotated[list[WireMessage], Field(min_length=1, max_length=MOST_MESSAGES)]
    language: Annotated[str, short(35)] = "zh-CN"
    is_third_person: Flag = False
    metadata: Annotated[str, Field(max_length=MOST_METADATA)] = ""
    async_mode: Flag = False
    conversation_id: Identifier | None = None
    session_id: Identifier | None = None

    def said(self) -> tuple[Said, ...]:
        """Its messages. Raises Malformed or OutOfRange for a time that can't be taken."""
        return tuple(message.said(index) for index, message in enumerate(self.messages))


class RecallRequest(Wire):
    """POST /v1/recall."""

    memory_agent_name: Name
    query: Annotated[str, Field(max_length=MOST_QUERY), AfterValidator(shown)]
    namespace: Namespace = "default"
    character: Character = "用户"
    recall_deep: Literal[0, 1] = 1
    is_include_linked_new_memories_from_invalid: Flag = False
    is_using_associative_thinking: Flag = True
    is_using_common_sense_database: Flag = True
    is_using_global_common_sense_database: Flag = True
    is_using_memory_agent_common_sense_database: Flag = False
    common_sense_database_id_list: Annotated[list[Identifier], Field(default_factory=list)]
    is_returning_detailed_memory_info: Flag = False
    session_id: Identifier | None = None
    as_of: str | None = None
    max_tokens: Annotated[int, Field(ge=50, le=32_000)] = 1800
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    explain: Flag = False
    filter: Annotated[Any, AfterValidator(unsupported)] = None


class Reading(Wire):
    """What looks at things as they are; a question about the past is refused rather than answered from the present."""

    as_of: Annotated[Any, AfterValidator(unsupported)] = None


class BodyQuery(Reading):
    """Which body, and which part of a list."""

    memory_agent_name: Name
    namespace: Namespace = "default"
    limit: Annotated[Number, Field(ge=1, le=200)] = 50
    cursor: str | None = None


class MemoriesQuery(BodyQuery):
    """GET /v1/memories."""

    status: str = "1,2,3,4"

    def states(self) -> frozenset[int]:
        """The states asked for. Raises OutOfRange."""
        parts = [part.strip() for part in self.status.split(",")]
        if not all(part in {"1", "2", "3", "4"} for part in parts):
            raise OutOfRange("status", "must be 1 to 4, or several of them separated by commas")
        return frozenset(map(int, parts))


class TurnsQuery(BodyQuery):
    """GET /v1/turns."""

    conversation_id: Identifier | None = None


class BodiesQuery(Reading):
    """GET /v1/memory-bodies."""

    namespace: Namespace | None = None
    limit: Annotated[Number, Field(ge=1, le=200)] = 50
    cursor: str | None = None


class TasksQuery(Wire):
    """GET /memories/task/all."""

    limit: Annotated[Number, Field(ge=1, le=200)] = 100
    cursor: str | None = None


class TaskQuery(Wire):
    """The other task routes."""

    task_id: Identifier


def relevance(score: float) -> float:
    """A score of the ranking, 0 and up, as 0..1: 1 - exp(-score). Monotonic, so that order and ties stay."""
    return round(1 - math.exp(-max(score, 0.0)), 4)


def source_json(source: Source) -> dict[str, Any]:
    """Where a memory comes from."""
    return {
        "conversationId": source.conversation, "messageId": source.message, "position": source.position,
        "time": iso(source.said_at),
    }


def change_json(change: Change) -> dict[str, Any]:
    """One entry of the change log."""
    who = change.who
    return {
        "seq": change.seq, "at": iso(change.said_at), "recordedAt": iso(change.recorded_at), "fromStatus": change.old,
        "toStatus": change.new, "why": change.why, "part": change.part,
        "who": {
            "kind": who.kind, "conversationId": who.conversation, "messageIds": list(who.turns),
            "character": who.character,
        },
        "linkedNewMemorySummaryId": change.newer,
    }


def change_line(change: Change) -> str:
    """One entry as a line: when, from -> to, why, which part, who, newer memory."""
    parts = (
        iso(change.said_at), f"{change.old or '-'}→{change.new}", change.why, change.part,
        change.who.character or change.who.kind, change.newer,
    )
    return " ".join(filter(None, parts))


def brief_json(memory: Memory) -> dict[str, Any]:
    """A memory as recall gives it unless details are asked for."""
    return {
        "memorySummaryId": memory.id, "memorySummaryText": memory.text, "memoryStatus": memory.state,
        "createTime": iso(memory.recorded_at), "updateTime": iso(memory.updated_at),
        "sources": [source_json(source) for source in memory.sources],
    }


def memory_json(memory: Memory, impression: float) -> dict[str, Any]:
    """A memory in full; *impression* is what is left of it now, 0..1."""
    newest_first = sorted(memory.changes, key=lambda change: -change.seq)
    return brief_json(memory) | {
        "maxImpression": round(100 * impression), "charactersInMemory": ",".join(memory.persons),
        "memnetaiContextId": memory.sources[0].conversation if memory.sources else "",
        "contextType": CONTEXT[memory.origin],
        "linkedNewMemorySummaryId": newest_first[0].newer if newest_first else "",
        "memoryChangeLog": "\n".join(map(change_line, newest_first)), "metaData": memory.metadata,
        "changeLog": [change_json(change) for change in memory.changes],
        "eventTime": iso(memory.event.start) if memory.event else "", "revision": memory.revision,
        "category": memory.category, "origin": memory.origin, "confidence": memory.confidence,
        "verified": memory.verified, "tags": list(memory.tags), "priority": memory.priority,
    }


def revision_json(row: Row) -> dict[str, Any]:
    """An earlier text of a memory, or the present one."""
    number = int(row.key.sort.rpartition("/")[2])
    return {"revision": number, "memorySummaryText": row.data["text"], "time": row.data["at"]}


def recalled_json(item: RecalledMemory, impression: float, *, detailed: bool, explain: bool) -> dict[str, Any]:
    """A memory that a recall brought back."""
    value = relevance(item.score)
    data = memory_json(item.memory, impression) if detailed else brief_json(item.memory)
    data |= {"score": round(100 * value), "relevance": value}
    return data | ({"explanation": rounded(item.reasons)} if explain else {})


def rounded(reasons: Mapping[str, float]) -> dict[str, float]:
    """The parts of a score, to 4 decimals."""
    return {name: round(worth, 4) for name, worth in reasons.items()}


def evidence_json(item: RecalledTurn, *, explain: bool) -> dict[str, Any]:
    """A turn that a recall brought back."""
    data = turn_json(item.turn) | {"relevance": relevance(item.score)}
    return data | ({"explanation": rounded(item.reasons)} if explain else {})


def turn_json(turn: Turn) -> dict[str, Any]:
    """A turn."""
    return {
        "conversationId": turn.conversation, "messageId": turn.message, "position": turn.position,
        "role": turn.role, "character": turn.character, "content": turn.content, "time": iso(turn.said_at),
    }


def association_json(item: Association) -> dict[str, Any]:
    """An edge that a recall was led to."""
    step, memory = item.step, item.memory
    return {
        "text": memory.text, "source": step.source, "relationship": step.relation, "target": step.target,
        "hops": step.hops, "score": round(100 / 2**step.hops), "memorySummaryIds": [memory.id],
        "sources": [source_json(source) for source in memory.sources],
    }


def task_json(task: Task) -> dict[str, Any]:
    """A task."""
    return {
        "taskId": task.id, "type": task.type, "status": task.status, "progress": task.progress,
        "memoryAgentName": task.name, "namespace": task.namespace, "createTime": iso(task.created_at),
        "updateTime": iso(task.updated_at), "result": remembered_json(task) if task.finished and task.result else None,
        "error": task.error,
    }


def remembered_json(task: Task) -> dict[str, Any]:
    """What remembering brought: the part of the reply that a task's result repeats."""
    result = task.result or {}
    summaries = list(result.get("summarys", []))
    return {
        "tip": tip(task), "taskId": task.id,
        "memoriesInfo": {
            "newMemoryCount": result.get("count", len(summaries)), "summarys": summaries,
            "memorySummaryIds": list(result.get("ids", [])),
        },
    }


def tip(task: Task) -> str:
    """A word to the caller, in the language it asked for."""
    zh = str(task.options.get("language", "zh")).casefold().startswith("zh")
    if task.status == "failed":
        return "已收到，未能生成记忆" if zh else "accepted; no memories could be drawn"
    if task.finished:
        return "记忆已完成" if zh else "remembered"
    return "已收到，记忆正在后台生成" if zh else "accepted; memories are being drawn in the background"
