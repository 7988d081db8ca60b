"""Spans of runs, apart from what pipelines do in them."""

from __future__ import annotations

import json
import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import SpanKind, StatusCode

from core import telemetry as names
from core.errors import BadReply, SetupError
from core.llm.base import Sampling
from core.telemetry import Telemetry, exporting, step_span
from core.types import Answer, FoundPassage, Status, Step, StepKind, Usage
from tests.spans import Recorder, attributes

SECRET = "Is my grade of 17 points final?"
RUN = {
    "course": "ds101", "pipeline": "fc", "retriever": "tree", "draft_id": "d1",
    "sampling": Sampling(model="small", temperature=0.5, seed=7),
}  # fmt: skip
SEARCHED = Step(
    kind=StepKind.SEARCH,
    started_ms=0,
    ms=1,
    function="qa_retrieval",
    arguments={"query": SECRET},
    retriever="bm25",
    passages=(FoundPassage(block_id="b", document="d.md", heading_path=("Grades",), score=1.0),),
    note=SECRET,
)


def one_run(telemetry: Telemetry) -> None:
    """A run of one search and one answer."""
    with telemetry.run(SECRET, **RUN) as run:
        with step_span(StepKind.SEARCH) as step:
            step.end(SEARCHED, None)
        with step_span(StepKind.WRITE) as step:
            usage = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=0.25)
            written = Answer(status=Status.ANSWERED, markdown=SECRET)
            done = Step(kind=StepKind.WRITE, started_ms=1, ms=1, task="WriteAnswer", prompt_version="3", usage=usage)
            step.end(done.model_copy(update={"model": "small-0613"}), written)
        run.end(usage, written)


def test_a_run_has_a_root_with_its_choices_and_what_it_took() -> None:
    recorder = Recorder()
    one_run(recorder.telemetry)
    root = recorder.root
    assert (root.name, root.kind) == ("invoke_agent edumod", SpanKind.INTERNAL)
    assert attributes(root) == {
        names.OPERATION: "invoke_agent", names.AGENT: "edumod", names.PROVIDER: "openai",
        names.REQUEST_MODEL: "small", names.TEMPERATURE: 0.5, names.SEED: 7,
        names.COURSE: "ds101", names.PIPELINE: "fc", names.RETRIEVER: "tree", names.DRAFT: "d1",
        names.STATUS: "answered", names.INPUT_TOKENS: 100, names.OUTPUT_TOKENS: 10,
        names.MODEL_CALLS: 1, names.CACHED_CALLS: 0, names.COST: 0.25,
    }  # fmt: skip


def test_a_step_that_asks_a_model_is_a_chat_with_it() -> None:
    recorder = Recorder()
    one_run(recorder.telemetry)
    chat = recorder.named("chat small")
    assert chat.kind is SpanKind.CLIENT
    assert attributes(chat) == {
        names.STEP: "write", names.OPERATION: "chat", names.PROVIDER: "openai",
        names.REQUEST_MODEL: "small", names.TEMPERATURE: 0.5, names.SEED: 7, names.RESPONSE_MODEL: "small-0613",
        names.PROMPT_NAME: "WriteAnswer", names.PROMPT_VERSION: "3", names.CACHE_HIT: False,
        names.INPUT_TOKENS: 100, names.OUTPUT_TOKENS: 10, names.MODEL_CALLS: 1, names.CACHED_CALLS: 0,
        names.COST: 0.25,
    }  # fmt: skip


def test_a_run_without_a_model_is_provided_by_edumod_itself() -> None:
    recorder = Recorder()
    with recorder.telemetry.run(SECRET, **{**RUN, "sampling": Sampling(model="offline")}), step_span(StepKind.WRITE):
        pass
    assert [attributes(span)[names.PROVIDER] for span in recorder.spans] == ["edumod", "edumod"]


def test_a_step_that_searches_is_the_execution_of_a_tool() -> None:
    recorder = Recorder()
    one_run(recorder.telemetry)
    tool = recorder.named("execute_tool qa_retrieval")
    assert tool.kind is SpanKind.INTERNAL
    assert attributes(tool) == {
        names.STEP: "search", names.OPERATION: "execute_tool", names.TOOL_TYPE: "datastore",
        names.TOOL_NAME: "qa_retrieval", names.RETRIEVER: "bm25", names.PASSAGES: 1,
    }  # fmt: skip


def test_no_content_leaves_unless_it_is_asked_for() -> None:
    recorder = Recorder()
    one_run(recorder.telemetry)
    assert "17 points" not in recorder.text()
    assert not [name for span in recorder.spans for name in names.CONTENT if name in attributes(span)]


def test_content_that_is_asked_for_is_question_answer_arguments_results_and_replies() -> None:
    recorder = Recorder(content=True)
    one_run(recorder.telemetry)
    asked = json.loads(attributes(recorder.root)[names.INPUT])
    answered = json.loads(attributes(recorder.root)[names.OUTPUT])
    tool = attributes(recorder.named("execute_tool qa_retrieval"))
    assert asked == [{"role": "user", "parts": [{"type": "text", "content": SECRET}]}]
    assert answered == [{"role": "assistant", "parts": [{"type": "text", "content": SECRET}], "finish_reason": "stop"}]
    assert json.loads(tool[names.ARGUMENTS]) == {"query": SECRET}
    assert json.loads(tool[names.RESULT])[0]["block_id"] == "b"
    assert tool[names.NOTE] == SECRET
    assert SECRET in attributes(recorder.named("chat small"))[names.OUTPUT]


def test_a_cached_reply_is_distinguished_from_a_paid_one() -> None:
    recorder = Recorder()
    with recorder.telemetry.run(SECRET, **RUN), step_span(StepKind.REVIEW) as step:
        reviewed = Step(kind=StepKind.REVIEW, started_ms=0, ms=1, task="ReviewDraft", usage=Usage(cached_calls=1))
        step.end(reviewed, None)
    assert attributes(recorder.named("chat small"))[names.CACHE_HIT] is True


def test_a_cost_that_is_not_known_is_left_out() -> None:
    recorder = Recorder()
    with recorder.telemetry.run(SECRET, **RUN) as run:
        run.end(Usage(calls=1, cost_usd=None), None)
    assert names.COST not in attributes(recorder.root)


@pytest.mark.parametrize(("content", "described"), [(False, None), (True, SECRET)])
def test_an_error_is_named_and_its_message_is_content(content: bool, described: str | None) -> None:
    recorder = Recorder(content=content)
    with pytest.raises(BadReply), recorder.telemetry.run(SECRET, **RUN):
        raise BadReply(SECRET)
    assert attributes(recorder.root)[names.ERROR_TYPE] == "bad-reply"
    assert recorder.root.status.status_code is StatusCode.ERROR
    assert recorder.root.status.description == described
    assert not recorder.root.events


def test_an_unexpected_error_is_named_by_its_class() -> None:
    recorder = Recorder()
    with pytest.raises(TimeoutError), recorder.telemetry.run(SECRET, **RUN):
        raise TimeoutError
    assert attributes(recorder.root)[names.ERROR_TYPE] == "TimeoutError"


def test_a_step_that_failed_without_an_exception_is_an_error_without_a_name() -> None:
    recorder = Recorder()
    with recorder.telemetry.run(SECRET, **RUN), step_span(StepKind.READ) as step:
        step.end(Step(kind=StepKind.READ, started_ms=0, ms=1, error=SECRET), None)
    read = recorder.named("read_image")
    assert (read.status.status_code, read.status.description) == (StatusCode.ERROR, None)
    assert attributes(read) == {names.STEP: "read", names.ERROR_TYPE: "_OTHER"}


def test_a_step_outside_of_a_run_is_not_recorded() -> None:
    with step_span(StepKind.SEARCH) as step:
        step.end(SEARCHED, None)
    assert not step.span.is_recording()


def test_a_run_leaves_nothing_behind_for_the_next() -> None:
    recorder = Recorder()
    one_run(recorder.telemetry)
    one_run(recorder.telemetry)
    assert sorted(span.parent is None for span in recorder.spans) == [False] * 4 + [True] * 2


def test_without_a_provider_spans_are_dropped() -> None:
    with Telemetry().run(SECRET, **RUN) as run:
        assert not run.span.is_recording()
    one_run(Telemetry(content=True))


def test_exporting_names_the_service_unless_the_environment_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"):
        monkeypatch.delenv(variable, raising=False)
    assert _service() == "edumod"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "edumod-of-biology")
    assert _service() == "edumod-of-biology"


def test_exporting_without_the_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(SetupError, match=r"pip install edumod\[otel\]"):
        exporting(content=False)


def _service() -> object:
    telemetry = exporting(content=False)
    try:
        assert isinstance(telemetry.provider, TracerProvider)
        return telemetry.provider.resource.attributes["service.name"]
    finally:
        telemetry.close()
