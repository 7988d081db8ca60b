"""Figures about the service for Prometheus.

Labels are names that the installation knows (routes, aliases of models, courses, pipelines), never what a client sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from app.jobs.kind import Lane, LaneState
from app.operation.measures import Measures
from core.llm.breaker import Breaker
from core.types import Step, StepKind, Usage

METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
OTHER = "other"
"""Label of a method that HTTP does not define, and of an address that does not exist."""
FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds that work on this machine takes."""
SLOW = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)
"""Seconds that a model takes, or an answer."""


class Metrics(Measures):
    """The figures of one process, in a registry of their own.

    Several processes share theirs by files (`app.operation.exposition`): gauges then add up over living processes, but
    for the breakers', which are 1 where one process has it open.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = self._counter("http_requests", "Requests.", "method", "route", "status")
        self._request_seconds = self._histogram("http_request_seconds", "Time for a request.", FAST, "route")
        self._refused = self._counter("refused_requests", "Requests refused with 503 for want of a permit.")
        self._under_way = self._gauge("answers_under_way", "Answers being worked on.")
        self._waiting = self._gauge("requests_waiting", "Requests waiting for their turn.")
        self._unstored = self._gauge("unstored_drafts", "Drafts in memory, since the database cannot be written.")
        of_all = "livemostrecent"  # Every process counts the jobs of all.
        self._jobs_waiting = self._gauge("jobs_waiting", "Jobs that wait.", "queue", mode=of_all)
        self._jobs_running = self._gauge("jobs_running", "Jobs under way.", "queue", mode=of_all)
        self._jobs_oldest = self._gauge("jobs_oldest_seconds", "Time the oldest job is due for.", "queue", mode=of_all)
        self._jobs_failed = self._gauge("jobs_failed", "Jobs that failed and were not retried.", mode=of_all)
        self._answers = self._counter("answers", "Runs, by outcome.", "course", "pipeline", "outcome")
        self._answer_seconds = self._histogram("answer_seconds", "Time for a run.", SLOW, "pipeline")
        self._calls = self._counter("model_calls", "Tasks given to a model.", "model", "outcome")
        self._sent = self._counter("model_requests", "Requests to a model's endpoint, with retries.", "model")
        self._call_seconds = self._histogram("model_seconds", "Time of a model for one task.", SLOW, "model")
        self._tokens = self._counter("model_tokens", "Tokens, by kind.", "model", "kind")
        self._dollars = self._counter("model_cost_dollars", "US dollars spent.", "model")
        self._unpriced = self._counter("model_unpriced_calls", "Tasks whose cost is unknown.", "model")
        self._open = self._gauge("model_breaker_open", "1 while requests to the model fail.", "model", mode="livemax")
        self._retrieval = self._histogram("retrieval_seconds", "Time for a search.", FAST, "retriever")
        self._models_steps = {
            StepKind.CHOOSE: self._histogram("choosing_seconds", "Time to choose functions.", SLOW, "model"),
            StepKind.WRITE: self._histogram("writing_seconds", "Time to write an answer.", SLOW, "model"),
        }

    def requested(self, method: str, route: str | None, status: int, seconds: float) -> None:
        route = route or OTHER
        self._requests.labels(method if method in METHODS else OTHER, route, str(status)).inc()
        self._request_seconds.labels(route).observe(seconds)

    def load(self, under_way: int, waiting: int) -> None:
        self._under_way.set(under_way)
        self._waiting.set(waiting)

    def refused(self) -> None:
        self._refused.inc()

    def called(self, model: str, usage: Usage, outcome: str, breaker: Breaker | None) -> None:
        self._calls.labels(model, outcome).inc()
        if usage.calls:
            self._sent.labels(model).inc(usage.calls)
            self._call_seconds.labels(model).observe(usage.model_ms / 1000)
        if usage.prompt_tokens or usage.completion_tokens:
            self._tokens.labels(model, "prompt").inc(usage.prompt_tokens)
            self._tokens.labels(model, "completion").inc(usage.completion_tokens)
        if usage.cost_usd is None:
            self._unpriced.labels(model).inc()
        elif usage.cost_usd:
            self._dollars.labels(model).inc(usage.cost_usd)
        if breaker is not None:
            # It changes its state only by calls, so that this is always the present one.
            self._open.labels(model).set(breaker.state != "closed")

    def stepped(self, step: Step) -> None:
        if step.kind is StepKind.SEARCH:
            self._retrieval.labels(step.retriever or OTHER).observe(step.ms / 1000)
        elif (histogram := self._models_steps.get(step.kind)) is not None:
            histogram.labels(step.model or OTHER).observe(step.ms / 1000)

    def answered(self, course: str, pipeline: str, outcome: str, seconds: float) -> None:
        self._answers.labels(course, pipeline, outcome).inc()
        self._answer_seconds.labels(pipeline).observe(seconds)

    def unstored(self, drafts: int) -> None:
        self._unstored.set(drafts)

    def jobs(self, lanes: Sequence[LaneState], failed: int) -> None:
        states = {lane.lane: lane for lane in lanes}
        for name in Lane:
            state = states.get(name, LaneState(name))
            self._jobs_waiting.labels(name).set(state.waiting)
            self._jobs_running.labels(name).set(state.running)
            self._jobs_oldest.labels(name).set(state.oldest_seconds)
        self._jobs_failed.set(failed)

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(f"edumod_{name}", what, labels, registry=self.registry)

    def _histogram(self, name: str, what: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"edumod_{name}", what, labels, buckets=buckets, registry=self.registry)

    def _gauge(self, name: str, what: str, *labels: str, mode: str = "livesum") -> Gauge:
        return Gauge(f"edumod_{name}", what, labels, registry=self.registry, multiprocess_mode=mode)  # type: ignore[arg-type]
