"""The MemNetAI interface: remember and recall as memnetai-python-sdk speaks them, and what it lacks to look inside.

Each route is one line that hands over to a function of a Call, which stands below it.
"""

from functools import partial

from chalice.app import Blueprint, Response

from chalicelib.acceptance import Wish
from chalicelib.errors import Missing, NotFound, Retired
from chalicelib.faces import memnet_wire as wire
from chalicelib.faces.calls import Call, Data, answered
from chalicelib.faces.pages import within_reach
from chalicelib.faces.replies import CORS
from chalicelib.faces.requests import checked, path_part
from chalicelib.mind.access import body_of, may_touch, own_scope, reach
from chalicelib.mind.cursors import cursor_of, sort_of
from chalicelib.mind.documents import Filter, Selection
from chalicelib.mind.heat import BASE_HEAT
from chalicelib.mind.ids import task_time
from chalicelib.mind.rows import Key
from chalicelib.mind.scopes import Body, scope_named
from chalicelib.mind.texts import blank
from chalicelib.mind.times import iso, milliseconds, said
from chalicelib.recall import Cue, Recollection
from chalicelib.records import keys
from chalicelib.records.bodies import KnownBody
from chalicelib.records.conversations import turn_of
from chalicelib.records.pending import Outbox
from chalicelib.records.tasks import KEPT, Task

routes = Blueprint(__name__)
ANY = ["*/*"]
"""A body is JSON whatever its content type says: clients of this interface are careless about it."""

SYNCHRONOUS_SECONDS = 24
"""How long a synchronous remember derives before a worker carries on: the gateway ends a call at 29 s."""


@routes.route("/v1/memories", methods=["POST"], content_types=ANY, cors=CORS)
def memories() -> Response:
    """Remember a conversation."""
    return answered(routes.current_request, remember, heat=BASE_HEAT["memories"])


def remember(call: Call) -> Data:
    """POST /v1/memories."""
    request = checked(wire.RememberRequest, call.json)
    body = body_of(call.who, request.namespace, request.memory_agent_name)
    scope = own_scope(call.who, body, request.session_id or "")
    messages = request.said()
    options = {
        "third_person": request.is_third_person, "metadata": request.metadata, "language": request.language,
    }

    def act(name: str, task: str) -> Data:
        conversation = request.conversation_id or wire.CONVERSATION
        wish = Wish(scope, conversation, messages, name, task, options, request.async_mode)
        remembered = call.here.remember(
            wish, clock=call.here.now, ids=call.here.ids, patience=call.here.patience(SYNCHRONOUS_SECONDS)
        )
        return wire.remembered_json(remembered.task) | {
            "repeatedMessageCount": remembered.repeated, "warnings": list(remembered.warnings),
        }

    return call.once(act)


@routes.route("/v1/recall", methods=["POST"], content_types=ANY, cors=CORS)
def recall() -> Response:
    """Recall what bears on a question."""
    return answered(routes.current_request, recalled, heat=BASE_HEAT["recall"])


def recalled(call: Call) -> Data:
    """POST /v1/recall."""
    request = checked(wire.RecallRequest, call.json)
    body = body_of(call.who, request.namespace, request.memory_agent_name)
    cue = Cue(
        reach(call.who, body, request.session_id or ""), request.query, request.limit, request.max_tokens,
        deep=request.recall_deep == 1, associative=request.is_using_associative_thinking,
        until=said("asOf", request.as_of) if request.as_of is not None else None,
        speaking=request.character, touching=not request.explain,
    )
    recollection = call.here.recall(cue, now=call.here.now(), ids=call.here.ids)
    if request.explain:
        call.usage["parts"] = {name: round(spent, 2) for name, spent in recollection.milliseconds.items()}
    return recollection_json(call, request, recollection)


def recollection_json(call: Call, request: wire.RecallRequest, found: Recollection) -> Data:
    """What came back, in this interface's words."""
    now = call.here.now()
    data: Data = {
        "memoryPrompt": found.prompt,
        "memorySummaryList": [
            wire.recalled_json(
                item, item.memory.impression.felt(now), detailed=request.is_returning_detailed_memory_info,
                explain=request.explain,
            )
            for item in found.memories
        ],
        "associativeThinkingList": [wire.association_json(item) for item in found.associations],
        "commonSenseList": [],
        "abstained": found.abstained,
        "warnings": list(found.warnings),
    }
    if request.is_returning_detailed_memory_info or request.explain:
        data["evidence"] = [wire.evidence_json(item, explain=request.explain) for item in found.evidence]
    return data


@routes.route("/v1/memories", methods=["GET"], content_types=ANY, cors=CORS)
def memory_list() -> Response:
    """List memories."""
    return answered(routes.current_request, listed_memories)


def listed_memories(call: Call) -> Data:
    """GET /v1/memories: of the caller's own scope in the body, newest first."""
    request = checked(wire.MemoriesQuery, call.query)
    scope = own_scope(call.who, body_of(call.who, request.namespace, request.memory_agent_name))
    now = call.here.now()
    chosen = Filter(states=request.states(), at=milliseconds(now))
    page = call.here.index.select(
        [scope.partition], Selection("memory", chosen, request.limit, sort_of(request.cursor, ""))
    )
    ids = list(map(keys.memory_id, page.ids))
    found = call.here.memories.get(scope, ids)
    items = [
        wire.memory_json(found[name].memory, found[name].memory.impression.felt(now)) for name in ids if name in found
    ]
    return {"list": items, "total": page.total, "nextCursor": cursor_of(page.cursor)}


@routes.route("/v1/memories/{memory}", methods=["GET"], content_types=ANY, cors=CORS)
def memory_one(memory: str) -> Response:
    """One memory with its revisions."""
    return answered(routes.current_request, lambda call: one_memory(call, path_part("memoryId", memory)))


def one_memory(call: Call, name: str) -> Data:
    """GET /v1/memories/{id}. Raises NotFound alike for what does not exist and what is another's."""
    checked(wire.Reading, call.query)
    scope = call.here.bodies.scope_of(call.who.project, name)
    found = call.here.memories.get(scope, [name]) if scope and may_touch(call.who, scope) else {}
    if scope is None or name not in found:
        raise NotFound("no such memory")
    memory, now = found[name].memory, call.here.now()
    revisions = [wire.revision_json(row) for row in call.here.memories.revisions(scope, name)]
    return wire.memory_json(memory, memory.impression.felt(now)) | {"revisions": revisions}


@routes.route("/v1/turns", methods=["GET"], content_types=ANY, cors=CORS)
def turn_list() -> Response:
    """List turns."""
    return answered(routes.current_request, listed_turns)


def listed_turns(call: Call) -> Data:
    """GET /v1/turns: in order, of one conversation or of all in the caller's own scope in the body."""
    request = checked(wire.TurnsQuery, call.query)
    scope = own_scope(call.who, body_of(call.who, request.namespace, request.memory_agent_name))
    conversation = request.conversation_id or ""
    after = sort_of(request.cursor, keys.turns(conversation))
    turns, cursor = call.here.conversations.page(scope, conversation, after=after, limit=request.limit)
    data: Data = {"list": [wire.turn_json(turn) for turn in turns], "nextCursor": cursor_of(cursor)}
    if conversation:
        return data | {"total": call.here.conversations.length(scope, conversation)}
    behind = Outbox(call.here.table).newest(scope, 1)[0]  # the index then counts too few, and no total is better
    return data if behind else data | {"total": call.here.index.facets([scope.partition], "turn").get("total", 0)}


@routes.route("/v1/memory-bodies", methods=["GET"], content_types=ANY, cors=CORS)
def body_list() -> Response:
    """List memory bodies."""
    return answered(routes.current_request, listed_bodies)


def listed_bodies(call: Call) -> Data:
    """GET /v1/memory-bodies: those of the project, of a user those in which that user owns something; a mind's own."""
    request = checked(wire.BodiesQuery, call.query)
    if call.who.credential.kind == "mind":
        return own_body(call, request)
    namespace, user = request.namespace, call.who.bound_to
    bodies, cursor = within_reach(
        partial(call.here.bodies.page, call.who.project, namespace, user),
        lambda known: visible(call, known.body), lambda known: keys.body(known.body, user).sort,
        after=sort_of(request.cursor, keys.bodies(namespace, user)), limit=request.limit,
    )
    items = [body_json(call, known) for known in bodies]
    return {"list": items, "nextCursor": cursor_of(cursor)} | totalled(call, namespace)


def own_body(call: Call, request: wire.BodiesQuery) -> Data:
    """The list of a mind: its body, if that has been used and is asked for."""
    own = call.who.credential
    after = sort_of(request.cursor, keys.bodies(request.namespace))
    known = call.here.bodies.body(Body(own.project, own.namespace, own.name))
    asked = after is None and request.namespace in {None, own.namespace}
    shown = [body_json(call, known)] if asked and known and visible(call, known.body) else []
    return {"list": shown, "nextCursor": None}


def totalled(call: Call, namespace: str | None) -> Data:
    """The total, where every body of the project exists for the caller and there are not too many to count."""
    count = None if call.who.user else call.here.bodies.total(call.who.project, namespace)
    return {} if count is None else {"total": count}


@routes.route("/v1/memory-bodies/{namespace}/{name}", methods=["GET"], content_types=ANY, cors=CORS)
def body_one(namespace: str, name: str) -> Response:
    """One memory body."""
    return answered(routes.current_request, lambda call: one_body(
        call, path_part("namespace", namespace), path_part("memoryAgentName", name)
    ))


def one_body(call: Call, namespace: str, name: str) -> Data:
    """GET /v1/memory-bodies/{namespace}/{name}."""
    checked(wire.Reading, call.query)
    known = call.here.bodies.body(Body(call.who.project, namespace, name), call.who.bound_to)
    if known is None or not visible(call, known.body):
        raise NotFound("no such memory body")
    return body_json(call, known)


def visible(call: Call, body: Body) -> bool:
    """True if any scope of the body that has been used exists for this caller."""
    return any(may_touch(call.who, scope) for scope in call.here.bodies.scopes(body, call.who.user))


def body_json(call: Call, known: KnownBody) -> Data:
    """A body with what it holds, counted over the scopes that exist for the caller."""
    body = known.body
    known_scopes = call.here.bodies.scopes(body, call.who.user)
    scopes = [scope.partition for scope in known_scopes if may_touch(call.who, scope)]
    memories = call.here.index.facets(scopes, "memory")
    turns = call.here.index.facets(scopes, "turn")
    newest = call.here.index.select(scopes, Selection("turn", limit=1)).ids
    found = call.here.table.get([Key(scope, name) for scope in scopes for name in newest]).values()
    updated = max((turn_of(row).recorded_at for row in found), default=known.created_at)
    return {
        "namespace": body.namespace, "memoryAgentName": body.name, "memoryCount": memories.get("total", 0),
        "statusCounts": {str(state): memories.get(f"state:{state}", 0) for state in (1, 2, 3, 4)},
        "turnCount": turns.get("total", 0), "active": True, "autoThinkCount": 0, "autoDreamCount": 0,
        "createTime": iso(known.created_at), "updateTime": iso(updated),
    }


@routes.route("/memories/task/detail", methods=["GET"], content_types=ANY, cors=CORS)
@routes.route("/v1/memories/task/detail", methods=["GET"], content_types=ANY, cors=CORS)
def task_detail() -> Response:
    """One task."""
    return answered(routes.current_request, lambda call: wire.task_json(the_task(call)))


@routes.route("/memories/task/progress", methods=["GET"], content_types=ANY, cors=CORS)
@routes.route("/v1/memories/task/progress", methods=["GET"], content_types=ANY, cors=CORS)
def task_progress() -> Response:
    """How far a task has come."""
    return answered(routes.current_request, progress)


@routes.route("/memories/task/all", methods=["GET"], content_types=ANY, cors=CORS)
@routes.route("/v1/memories/task/all", methods=["GET"], content_types=ANY, cors=CORS)
def task_all() -> Response:
    """All tasks."""
    return answered(routes.current_request, listed_tasks)


@routes.route("/memories/task/delete", methods=["DELETE"], content_types=ANY, cors=CORS)
@routes.route("/v1/memories/task/delete", methods=["DELETE"], content_types=ANY, cors=CORS)
def task_delete() -> Response:
    """Delete a task's record."""
    return answered(routes.current_request, delete)


def task_name(call: Call) -> str:
    """The id of the task a request names. Raises Missing for an empty one: it never means all."""
    text = call.query.get("taskId", "")
    if blank(text):
        raise Missing("taskId", "is required")
    return checked(wire.TaskQuery, {"taskId": text}).task_id


def the_task(call: Call) -> Task:
    """The task a request names. Raises Retired for one that ended long ago, NotFound for one that never was."""
    name = task_name(call)
    if found := call.here.tasks.find(call.who.project, name):
        if may_touch(call.who, scope_named(found[0].scope)):
            return found[0]
        raise NotFound("no such task")
    born = task_time(name, call.who.project)
    if born is not None and born < (call.here.now() - KEPT).timestamp() * 1000:
        raise Retired("this task ended more than 7 days ago and is no longer kept")
    raise NotFound("no such task")


def progress(call: Call) -> Data:
    """GET /memories/task/progress."""
    task = the_task(call)
    return {"taskId": task.id, "status": task.status, "progress": task.progress}


def listed_tasks(call: Call) -> Data:
    """GET /memories/task/all: newest first."""
    request = checked(wire.TasksQuery, call.query)
    tasks, cursor = within_reach(
        partial(call.here.tasks.page, call.who.project, call.who.bound_to),
        lambda task: may_touch(call.who, scope_named(task.scope)), lambda task: task.id,
        after=sort_of(request.cursor, keys.TASKS), limit=request.limit,
    )
    items = [wire.task_json(task) for task in tasks]
    count = None if call.who.user or call.who.credential.kind == "mind" else call.here.tasks.total(call.who.project)
    return {"list": items, "nextCursor": cursor_of(cursor)} | ({} if count is None else {"total": count})


def delete(call: Call) -> Data:
    """DELETE /memories/task/delete: the record goes, and with it what is still to be done; turns and memories stay."""
    task_name(call)

    def act(_name: str, _task: str) -> Data:
        task = the_task(call)
        call.here.tasks.delete(task, now=call.here.now())
        return {"taskId": task.id, "deleted": True}

    return call.once(act)
