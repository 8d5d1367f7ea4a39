"""How much of the evidence recall brings back, on conversations with questions whose evidence is known.

    bash infra/bench recall --set locomo|beam|memdaily --data DIR [--out FILE] [--url URL --key KEY]

DIR holds `<set>-dev.conversations.jsonl`, `<set>-dev.questions.jsonl`, for memdaily its `.noise.json`, and `score.py`,
whose table is printed. Everything goes through HTTP: each turn, with its time, through POST /v1/memories, then each
question through POST /v1/recall, of whose `evidence` the message ids are scored. Results are written where `--out` says,
one line a question: `{"conversation", "question", "ranked"}`.

- locomo, beam: one body a conversation, its sessions as conversations, 16 messages a request;
- memdaily, pooled and flat: one body a question, holding its own conversation and the distractors listed for it, each
  message a conversation of its own, hence one message a request; every fourth question unless `--every` says otherwise.
"""

import argparse
import importlib.util
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from serving import Client, Data, RequestError, percentile, run_name, say, served

MESSAGES, LIMIT, LONGEST = 16, 20, 50_000
CLIENTS = {"locomo": 1, "beam": 1, "memdaily": 2}
EVERY = {"locomo": 1, "beam": 1, "memdaily": 4}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """What one body is told, request by request as (conversation id, messages), and what it is asked."""

    body: str
    requests: list[tuple[str, list[Data]]]
    questions: list[Row]


@dataclass(slots=True)
class Tally:
    """What came of a run."""

    results: list[Row] = field(default_factory=list)
    turns: int = 0
    telling: float = 0.0
    recalls: list[float] = field(default_factory=list)
    abstained: int = 0
    failed: list[str] = field(default_factory=list)
    warned: set[str] = field(default_factory=set)


def lines(path: Path) -> list[Row]:
    """The rows of a JSON-lines file."""
    with path.open(encoding="utf-8") as text:
        return [json.loads(line) for line in text if line.strip()]


def scorer(data: Path) -> ModuleType:
    """The set's own scorer."""
    spec = importlib.util.spec_from_file_location("score", data / "score.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def message(turn: Row, session: Row, name: str) -> Data:
    """A turn as it goes over the wire, its text cut at what a message may have.

    One without a time has its session's, if that has one.
    """
    told = {"id": name, "role": turn["role"], "character": turn["character"], "content": turn["content"][:LONGEST]}
    at = turn["at"] or session["at"]
    return told | ({"time": at} if at else {})


def whole_conversations(conversations: Sequence[Row], questions: Sequence[Row]) -> Iterator[Trial]:
    """A body for each conversation that something is asked about."""
    for row in conversations:
        asked = [question for question in questions if question["conversation"] == row["conversation"]]
        requests = []
        for session in row["sessions"]:
            told = [message(turn, session, turn["id"]) for turn in session["turns"]]
            requests += [(session["session"], told[at:at + MESSAGES]) for at in range(0, len(told), MESSAGES)]
        if asked:
            yield Trial(row["conversation"], requests, asked)


def flat_pools(
    conversations: Sequence[Row], questions: Sequence[Row], noise: dict[str, list[list[str]]]
) -> Iterator[Trial]:
    """A body for each question: single messages, the conversation's own under their ids, others as conversation/id."""
    places = {
        (row["conversation"], turn["id"]): (turn, session)
        for row in conversations for session in row["sessions"] for turn in session["turns"]
    }
    own = {row["conversation"]: [t["id"] for s in row["sessions"] for t in s["turns"]] for row in conversations}
    for question in questions:
        name = question["conversation"]
        told = [message(*places[name, turn], turn) for turn in own[name]]
        told += [message(*places[other, turn], f"{other}/{turn}") for other, turn in noise[name]]
        yield Trial(name, [(f"flat-{at}", [one]) for at, one in enumerate(told)], [question])


def trials(options: argparse.Namespace) -> tuple[list[Row], Iterator[Trial]]:
    """The questions that are asked, and the bodies they are asked."""
    stem = options.data / f"{options.set}-dev"
    conversations, every = lines(Path(f"{stem}.conversations.jsonl")), options.every or EVERY[options.set]
    questions = lines(Path(f"{stem}.questions.jsonl"))[options.questions_from::every][:options.limit_questions]
    if options.set != "memdaily":
        return questions, whole_conversations(conversations, questions)
    noise = json.loads(Path(f"{stem}.noise.json").read_text("utf-8"))
    return questions, flat_pools(conversations, questions, noise)


def tell(trial: Trial, namespace: str, clients: Sequence[Client], tally: Tally) -> None:
    """Remember all of a trial, shared out among the clients; within one client the requests keep their order."""

    def told(number: int) -> None:
        for conversation, messages in islice(trial.requests, number, None, len(clients)):
            clients[number].post("/v1/memories", {
                "namespace": namespace, "memoryAgentName": trial.body, "conversationId": conversation, "messages": messages,
            })

    begun = time.perf_counter()
    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(told, range(len(clients))))
    tally.telling += time.perf_counter() - begun
    tally.turns += sum(len(messages) for _, messages in trial.requests)


def ask(trial: Trial, namespace: str, client: Client, tally: Tally) -> None:
    """Recall for each question of a trial."""
    for row in trial.questions:
        try:
            data, spent = client.post("/v1/recall", {
                "namespace": namespace, "memoryAgentName": trial.body, "query": row["question"],
                "isReturningDetailedMemoryInfo": 1, "limit": LIMIT,
            })
        except RequestError as error:
            tally.failed.append(str(error))
            continue
        tally.recalls.append(spent)
        tally.abstained += bool(data["abstained"])
        tally.warned.update(data["warnings"])
        names = [found["messageId"] for found in data["evidence"]]
        tally.results.append({"conversation": row["conversation"], "question": row["question"], "ranked": names})


def summary(name: str, questions: Sequence[Row], tally: Tally, score: ModuleType) -> Iterator[str]:
    """What matters of the table, and how fast it was."""
    ranked = {score.key(row): row["ranked"] for row in tally.results}
    rows = [
        (row["category"], dict(zip(heads(score), score.measure(row["evidence"], ranked.get(score.key(row), [])), strict=True)))
        for row in questions if row["evidence"]
    ]
    depths = ("any@10", "frac@10", "frac@5") if name == "memdaily" else ("any@10", "frac@10")
    figures = [f"{head} {mean([found[head] for _, found in rows]):.1f}" for head in depths]
    if hops := [found["frac@10"] for category, found in rows if category == "multi_hop"]:
        figures.append(f"multi-hop frac@10 {mean(hops):.1f}")
    yield f"{name}: " + ", ".join(figures)
    yield (
        f"ingest {tally.turns} turns in {tally.telling:.1f} s = {tally.turns / max(tally.telling, 1e-9):.1f} turns/s; "
        f"recall p50 {percentile(tally.recalls, .5):.1f} ms, p95 {percentile(tally.recalls, .95):.1f} ms; "
        f"{tally.abstained} abstained, {len(tally.failed)} failed"
    )
    yield from (f"failed: {error}" for error in tally.failed[:3])
    yield from (f"warned: {warning}" for warning in sorted(tally.warned)[:3])


def heads(score: ModuleType) -> list[str]:
    """The names of the columns that the scorer measures."""
    return [f"{name}@{depth}" for name in ("any", "frac") for depth in score.DEPTHS]


def mean(values: Sequence[float]) -> float:
    """The mean in percent, 0 of none."""
    return 100 * sum(values) / len(values) if values else 0.0


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="infra/bench recall", description=__doc__.splitlines()[0])
    parser.add_argument("--set", choices=tuple(EVERY), required=True)
    parser.add_argument("--data", type=Path, required=True, help="directory of the set and its score.py")
    parser.add_argument("--out", type=Path, help="where the results go, as JSON lines")
    parser.add_argument("--url", help="a server that runs already; without it one is started, and ended")
    parser.add_argument("--key", help="its key")
    parser.add_argument("--every", type=int, help="ask every so manieth question (memdaily: 4, others: 1)")
    parser.add_argument("--questions-from", type=int, default=0, help="pass over so many questions")
    parser.add_argument("--limit-questions", type=int, help="ask at most so many")
    parser.add_argument("--clients", type=int, help="connections that remember at once (memdaily: 2, others: 1)")
    return parser.parse_args()


def main() -> None:
    """Tell, ask, score."""
    chosen = options()
    score = scorer(chosen.data)
    questions, bodies = trials(chosen)
    tally, namespace = Tally(), run_name()
    with served(chosen.url, chosen.key) as client:
        clients = [Client(client.url, client.key) for _ in range(chosen.clients or CLIENTS[chosen.set])]
        for trial in bodies:
            tell(trial, namespace, clients, tally)
            ask(trial, namespace, client, tally)
            say(f"{trial.body}: {tally.turns} turns told, {len(tally.results)} of {len(questions)} questions asked")
    if chosen.out:
        chosen.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in tally.results), "utf-8")
    for line in (*score.report(questions, tally.results), "", *summary(chosen.set, questions, tally, score)):
        say(line)


if __name__ == "__main__":
    main()
