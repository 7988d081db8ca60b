"""Everything the app can do. Adding a feature is one line in `FEATURES`."""

from __future__ import annotations

from app.feature import Feature, Link, Start
from core.access import Permission

FEATURES: tuple[Feature, ...] = (
    Feature(
        "answers",
        routes=("app.routes.answer", "app.routes.answers", "app.routes.votes"),
        commands=("ask",),
        starts_runs=(Start("POST", r"/answer"),),
    ),
    Feature(
        "feedback",
        routes=("app.routes.feedback", "app.routes.feedback_pages"),
        commands=("feedback",),
        starts_runs=(
            Start("POST", r"/feedback"),
            Start("POST", r"/homework"),
        ),
    ),
    Feature(
        "asking page",
        routes=("app.routes.pages",),
        navigation=(Link("Ask", "/", "a"), Link("My questions", "/questions", "m", Permission.ANSWER)),
        starts_runs=(Start("POST", r"/"),),
    ),
    Feature(
        "drafts",
        routes=("app.routes.drafts", "app.routes.decisions"),
        commands=("drafts",),
        starts_runs=(Start("POST", r"/drafts/[^/]+/retry"),),
    ),
    Feature(
        "review",
        routes=(
            "app.routes.own_review",
            "app.routes.inserting",
            "app.routes.workbench",
            "app.routes.review",
            "app.routes.learning",
        ),
        navigation=(Link("Review", "/review", "r", Permission.DRAFTS_READ),),
        starts_runs=(Start("POST", r"/review/[^/]+/alternative"),),
    ),
    Feature(
        "courses",
        routes=(
            "app.routes.catalog",
            "app.routes.new_courses",
            "app.routes.material",
            "app.routes.files",
            "app.routes.ingest",
            "app.routes.solutions",
            "app.routes.course_settings",
            "app.routes.course_calendar",
            "app.routes.course_tree",
        ),
        navigation=(Link("Courses", "/courses", "c", Permission.ANSWER),),
        commands=("course", "ingest", "search", "tree"),
        starts_runs=(Start("GET", r"/courses/[^/]+", query="q"),),
    ),
    Feature(
        "openai door",
        routes=("app.routes.openai",),
        starts_runs=(Start("POST", r"/openai/v1/(?:chat/completions|responses)"),),
    ),
    Feature(
        "MCP door",
        routes=("app.routes.mcp",),
        commands=("mcp",),
        starts_runs=(Start("POST", r"/mcp"),),
    ),
    Feature(
        "LTI door",
        routes=("app.routes.lti",),
        commands=("lti",),
        forms_from_elsewhere=("/lti/login", "/lti/launch", "/lti/choose"),
    ),
    Feature("widget", routes=("app.routes.widget",), starts_runs=(Start("POST", r"/widget/[^/]+"),)),
    Feature("muEd door", routes=("app.routes.mued",), starts_runs=(Start("POST", r"/mued/[^/]+/chat"),)),
    Feature("quizzes", routes=("app.routes.quizzes", "app.routes.quiz_pages"), commands=("quiz",)),
    Feature("webhooks", routes=("app.routes.webhooks",)),
    Feature("forums", routes=("app.routes.forums",), commands=("forum",)),
    Feature("traces", routes=("app.routes.traces",), commands=("trace",)),
    Feature(
        "evaluation",
        routes=("app.routes.evaluations",),
        navigation=(Link("Evaluations", "/evaluations", "v", Permission.EVAL),),
        commands=("eval", "report", "label"),
    ),
    Feature("scenarios", commands=("elmes",)),
    Feature("sensemaking", commands=("sensemaking",)),
    Feature(
        "people",
        routes=("app.routes.people", "app.routes.course_people", "app.routes.settings"),
        navigation=(Link("Settings", "/settings", "s", Permission.COURSE_ADMIN),),
        commands=("keys", "people", "privacy"),
    ),
    Feature("assets", routes=("app.routes.assets",)),
    Feature("description", routes=("app.routes.description",)),
    Feature("operation", routes=("app.routes.health", "app.routes.metrics"), commands=("serve", "doctor")),
    Feature("sandbox", commands=("sandbox",)),
    Feature("database", commands=("db", "backup", "restore")),
    Feature("jobs", routes=("app.routes.jobs",), commands=("worker", "jobs")),
)
"""Commands and navigation entries are shown in this order."""
