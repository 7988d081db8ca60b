"""Everything the app can do. Adding a feature is one line in `FEATURES`."""

from __future__ import annotations

from app.feature import Feature, Link

FEATURES: tuple[Feature, ...] = (
    Feature(
        "courses",
        routes=("app.routes.catalog",),
        commands=("course", "ingest", "search", "tree"),
    ),
    Feature(
        "answers",
        routes=("app.routes.answer", "app.routes.answers"),
        commands=("ask",),
        starts_runs=(("POST", r"/answer"),),
    ),
    Feature(
        "asking page",
        routes=("app.routes.pages",),
        navigation=(Link("Ask a question", "/"),),
        starts_runs=(("POST", r"/"),),
    ),
    Feature(
        "drafts",
        routes=("app.routes.drafts",),
        commands=("drafts",),
        starts_runs=(("POST", r"/drafts/[^/]+/retry"),),
    ),
    Feature("traces", routes=("app.routes.traces",), commands=("trace",)),
    Feature("evaluation", commands=("eval", "report", "label")),
    Feature("people", routes=("app.routes.people",), commands=("keys", "people")),
    Feature("description", routes=("app.routes.description",)),
    Feature("operation", routes=("app.routes.health", "app.routes.metrics"), commands=("serve", "doctor")),
    Feature("database", commands=("db", "backup", "restore")),
)
"""Commands and navigation entries are shown in this order."""
