"""Spans from a question to a collector."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from app.wiring import build_telemetry
from tests.app.live import live, settings_in

QUESTION = {"course": "small", "question": {"body": "When is homework 3 due?"}}


class Collector:
    """A local OTLP collector that keeps the spans it is sent."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        keep = self.spans.extend

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["content-length"])))
                keep(span for one in body.resource_spans for scope in one.scope_spans for span in scope.spans)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    yield collector
    collector.server.shutdown()
    collector.server.server_close()


def test_the_spans_of_an_answer_have_reached_the_collector_when_the_service_has_ended(
    home: Path, collector: Collector
) -> None:
    with live(settings_in(home, otel=True)) as client:
        draft = client.post("/answer?pipeline=fc_forced", json=QUESTION).json()["draft_id"]
    (root,) = (span for span in collector.spans if not span.parent_span_id)
    told = {one.key: one.value.string_value for one in root.attributes}
    assert (root.name, told["edumod.draft.id"], told["gen_ai.provider.name"]) == (
        "invoke_agent edumod",
        draft,
        "edumod",
    )
    children = [span for span in collector.spans if span.parent_span_id == root.span_id]
    assert len(children) == len(collector.spans) - 1 >= 3
    assert not any("homework" in span.SerializeToString().decode("utf-8", "replace") for span in collector.spans)


def test_spans_go_nowhere_unless_they_are_asked_for(home: Path, collector: Collector) -> None:
    with live(settings_in(home)) as client:
        client.post("/answer", json=QUESTION)
    assert collector.spans == []


def test_content_is_in_spans_where_the_setting_says_so(tmp_path: Path) -> None:
    telemetry = build_telemetry(settings_in(tmp_path, otel_content=True))
    assert (telemetry.content, telemetry.provider) == (True, None)
