"""Spans kept in memory, apart from the process's own tracer."""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from core.telemetry import Telemetry


class Recorder:
    """A telemetry that keeps its spans."""

    def __init__(self, *, content: bool = False) -> None:
        provider = TracerProvider(shutdown_on_exit=False)
        self._exporter = InMemorySpanExporter()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.telemetry = Telemetry(provider, content, close=provider.shutdown)

    @property
    def spans(self) -> list[ReadableSpan]:
        """In the order in which they began."""
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    @property
    def root(self) -> ReadableSpan:
        (root,) = (span for span in self.spans if span.parent is None)
        return root

    def children(self) -> list[ReadableSpan]:
        """The spans right under the root."""
        root = self.root.context.span_id
        return [span for span in self.spans if span.parent and span.parent.span_id == root]

    def named(self, name: str) -> ReadableSpan:
        (span,) = (span for span in self.spans if span.name == name)
        return span

    def text(self) -> str:
        """Everything that leaves the process, as one text."""
        return "".join(span.to_json() for span in self.spans)


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})
