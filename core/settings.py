"""Settings of one installation: environment variables `EDUMOD_*`, or a `.env` file in the working directory.

What an instructor decides about a course is in the course file instead.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from core.errors import SetupError

_DATABASE_URL = re.compile(r"(sqlite|postgresql|postgres)(\+\w+)?://")
_HOST_NAME = re.compile(r"(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|[0-9A-Fa-f:]+")


def _host_name(name: str) -> str:
    if not _HOST_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a host; write a name or an address alone, without scheme and port")
    return name


HostName = Annotated[str, AfterValidator(_host_name)]


def _database_url(url: str) -> str:
    if not _DATABASE_URL.match(url):
        raise ValueError(
            "a database's URL starts with sqlite:/// and a path, or with postgresql:// as in "
            "postgresql://user:password@host:5432/name"
        )
    return url


DatabaseUrl = Annotated[str, AfterValidator(_database_url)]


def _metrics(where: str) -> str:
    if where in ("off", "local"):
        return where
    host, colon, port = where.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < 65536 or not _HOST_NAME.fullmatch(host.strip("[]")):
        raise ValueError(f"{where!r} is neither `local` nor `off` nor an address such as 127.0.0.1:9464")
    return where


MetricsAddress = Annotated[str, AfterValidator(_metrics)]


TOKENS_PER_PRICE = 1_000_000


class ModelPrice(BaseModel):
    """Price of one model in US dollars per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


def _set_or_none(text: object) -> object:
    """An empty variable counts as one that is not set."""
    return None if isinstance(text, str) and not text.strip() else text


def read_settings() -> Settings:
    """The settings from the environment. Raises `SetupError` naming each invalid variable."""
    try:
        return Settings()
    except (ValidationError, SettingsError) as error:
        problems = (
            [f"EDUMOD_{'__'.join(map(str, problem['loc'])).upper()}: {problem['msg']}" for problem in error.errors()]
            if isinstance(error, ValidationError)
            else [str(error)]
        )
        raise SetupError(f"The settings are not valid. {'; '.join(problems)}. See docs/settings.md.") from error


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="EDUMOD_",
        env_file=".env",
        env_nested_delimiter="__",
        extra="ignore",
        hide_input_in_errors=True,
    )

    home: Path = Field(default=Path(".edumod"), description="Folder of the database and of all caches.")
    database_url: DatabaseUrl | None = Field(
        default=None,
        repr=False,
        description="URL of the database: `postgresql://user:password@host:5432/name` (needs `pip install "
        "edumod[postgresql]`) or `sqlite:///path/to/edumod.db`; without it, SQLite in `home`.",
    )
    database_direct_url: DatabaseUrl | None = Field(
        default=None,
        repr=False,
        description="URL past the pooler, where `EDUMOD_DATABASE_URL` leads to PgBouncer in transaction mode: for "
        "messages, jobs and vectors, which need a connection of their own.",
    )
    database_busy_seconds: float = Field(
        default=15.0,
        gt=0,
        description="How long a write waits for another process that is writing to a SQLite file, or to the same rows "
        "of PostgreSQL.",
    )
    database_statement_seconds: float = Field(
        default=60.0, gt=0, description="How long PostgreSQL may work on one statement; then it is ended."
    )
    vectors: Literal["auto", "memory", "pgvector"] = Field(
        default="auto",
        description="Where queries are compared with a course's vectors: in each process's `memory`, or by `pgvector` "
        "in PostgreSQL; `auto` means pgvector where the server has it. With `pgvector`, a start without it is refused.",
    )
    index_memory_mb: int = Field(
        default=64, ge=16, description="About how much memory the indexes of courses may take in one process, in MiB."
    )
    interrupted: Literal["fail", "retry"] = Field(
        default="fail",
        description="What happens to drafts whose process died: `fail` keeps the question in a failed draft, `retry` "
        "answers it again, once.",
    )

    background: Literal["here", "workers"] = Field(
        default="here",
        description="Who sends webhooks, judges drafts, works on forums and deletes what is kept for a limited "
        "time: the service itself, or `edumod worker` alone.",
    )

    models_file: Path | None = Field(
        default=None, description="File of several models with an alias each, see docs/models.md; read again on SIGHUP."
    )
    llm_base_url: Annotated[str | None, BeforeValidator(_set_or_none)] = Field(
        default=None,
        description="URL of an OpenAI-compatible endpoint, ending in /v1. Without it, or if it is empty, EduMod runs "
        "offline.",
    )
    llm_api_key: SecretStr = Field(default=SecretStr("none"), description="Key of that endpoint.")
    llm_model: str = Field(default="gpt-4.1-mini", description="Model used if a request names none.")
    llm_models: tuple[str, ...] = Field(
        default=(), description="Further models a request may name, as a JSON list. Others are refused."
    )
    llm_deadline_seconds: float = Field(
        default=60.0, gt=0, description="Time for one model call, its retries included."
    )
    llm_max_retries: int = Field(default=3, ge=0, description="Retries of one model call within its deadline.")
    llm_concurrency: int = Field(default=64, ge=1, description="Model calls under way at once, over all requests.")
    llm_total_concurrency: int | None = Field(
        default=None,
        ge=1,
        description="The same over all processes that share the database, which divide it equally among them: what an "
        "endpoint allows.",
    )
    llm_max_reply_bytes: int = Field(
        default=4 * 2**20, ge=1024, description="Largest reply of the model, decompressed; a larger one is refused."
    )
    llm_cache: bool = Field(default=True, description="Keep model replies on disk, so that no call is paid for twice.")
    llm_record: Path | None = Field(
        default=None,
        description="File to which every exchange with a model is appended, prompts included, so that evaluations can "
        "be run again without the model, see docs/models.md. The cache is not used meanwhile.",
    )
    llm_record_origin: str = Field(
        default="", description="Who gives the recorded replies, in words for reports; written when the file is new."
    )
    llm_replay: Path | None = Field(
        default=None,
        description="Recording, `.jsonl` or `.jsonl.gz`, whose models take the place of all others: no model is asked, "
        "and what is not in it fails. `--replay` of a command does the same.",
    )
    llm_vision: bool = Field(
        default=False,
        description="The model accepts images: it reads those of questions instead of tesseract. It is sent them as "
        "they are, with the names in them.",
    )
    llm_prices: dict[str, ModelPrice] = Field(
        default_factory=dict,
        description='Prices in US dollars per million tokens, as JSON: {"MODEL": {"input": 0.4, "output": 1.6}}.',
    )

    deadline_seconds: float = Field(
        default=120.0, gt=0, description="Time for a whole answer: choosing, searching and writing."
    )
    prompt_chars: int = Field(
        default=40_000,
        ge=4_000,
        description="Maximum characters of question, passages and earlier results in one prompt; lower it for a model "
        "with a small context.",
    )

    embedding: str = Field(
        default="minilm",
        min_length=1,
        description="What texts are embedded with: `minilm` (built in, English), a folder or the installed name of a "
        "sentence-transformers model, or an embedding model of the models file. See `edumod course embed`.",
    )
    embedding_query_prefix: str | None = Field(
        default=None,
        description="Put in front of queries for a local embedding model, such as `query: `; without it, as its own "
        "files say.",
    )
    embedding_passage_prefix: str | None = Field(
        default=None, description="Put in front of course material likewise, such as `passage: `."
    )
    embedding_threads: int | None = Field(
        default=None,
        ge=1,
        description="Texts embedded at once; without it, one in the service and all cores elsewhere.",
    )

    max_request_bytes: int = Field(
        default=8 * 2**20, ge=1024, description="Largest request body, checked before it is parsed."
    )
    max_upload_bytes: int = Field(
        default=64 * 2**20, ge=1024, description="Largest request with files of a course, which instructors send."
    )
    header_seconds: float = Field(
        default=10.0, gt=0, description="Time for a client to send the header of a request, from its first byte."
    )
    body_seconds: float = Field(default=30.0, gt=0, description="Time for a client to send the body of a request.")
    send_seconds: float = Field(
        default=30.0,
        gt=0,
        description="Time for a client to read data that waits to be sent; then the connection is closed.",
    )
    max_connections: int = Field(
        default=1024,
        ge=1,
        description="Open connections of one process. One more takes the place of an idle or slow one of the address "
        "that has most; if all are in use, it is refused.",
    )
    max_answers: int = Field(default=64, ge=1, description="Answers under way at once in one process.")
    max_queue: int = Field(
        default=64, ge=0, description="Requests of one process that wait for their turn; more are refused with 503."
    )
    queue_seconds: float = Field(
        default=10.0, gt=0, description="Time for a request to wait for its turn; then it is refused with 503."
    )
    allowed_hosts: tuple[HostName, ...] = Field(
        default=(),
        description='Hosts that requests may name beside this machine\'s, as a JSON list: `["api", "*.example.edu"]`. '
        "Others are refused with 421.",
    )
    oidc_issuer: str | None = Field(
        default=None,
        description="Issuer of an OpenID Connect provider, such as `https://login.example.edu`, at which people "
        "sign in (needs `pip install edumod[oidc]`). Its client is allowed the address `/sign-in/oidc/callback`.",
    )
    oidc_client_id: str | None = Field(default=None, description="Id of the client that it knows this service by.")
    oidc_client_secret: SecretStr = Field(
        default=SecretStr(""), description="Secret of that client; a public client has none."
    )
    webhook_hosts: tuple[HostName, ...] = Field(
        default=(),
        description='Hosts that webhooks and callbacks may be sent to, as a JSON list: `["forum.example.edu"]`. A '
        "private address is reached only where the list names that very address, such as `127.0.0.1`.",
    )
    forum_hosts: tuple[HostName, ...] = Field(
        default=(),
        description='Hosts of forums that courses may be connected to, as a JSON list: `["forum.example.edu"]`. '
        "Private addresses as in `webhook_hosts`.",
    )
    smtp_host: str | None = Field(
        default=None,
        description="Mail server that instructors' weekly summaries are sent by; without one, no e-mail is sent.",
    )
    smtp_port: int = Field(
        default=587, ge=1, le=65535, description="Its port: TLS from the beginning on 465, else by STARTTLS."
    )
    smtp_user: str = Field(default="", description="User name at that server; without one, nobody logs in there.")
    smtp_password: SecretStr = Field(default=SecretStr(""), description="Password of that user.")
    smtp_from: str = Field(default="", description="Address that writes, such as `edumod@example.edu`.")
    address: Annotated[str | None, BeforeValidator(_set_or_none)] = Field(
        default=None,
        pattern=r"^https?://[^\s/]+(/[^\s]*)?$",
        description="Address of this service for links in e-mails, such as `https://edumod.example.edu`.",
    )
    max_question_chars: int = Field(default=20_000, ge=1, description="Longest question body, code or thread message.")

    log_format: Literal["text", "json"] = Field(
        default="text", description="Format of the service's log on stderr: lines of text, or of JSON."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level of the service's log. Each request is logged at `info`."
    )
    metrics: MetricsAddress = Field(
        default="local",
        description="Where Prometheus finds the metrics: `local` is `/metrics` of the service, for clients on the same "
        "machine alone; `HOST:PORT` is an address of their own; `off`.",
    )
    shutdown_seconds: float = Field(
        default=30.0,
        gt=0,
        description="Time for answers under way to be completed when the service stops; then they are interrupted.",
    )
    otel: bool = Field(
        default=False,
        description="Export a span of every run and step by OTLP; the standard OTEL_* variables say where to. Needs "
        "`pip install edumod[otel]`.",
    )
    otel_content: bool = Field(
        default=False, description="Put questions, arguments and replies into spans, staff-only text included."
    )

    max_image_bytes: int = Field(
        default=5 * 2**20, ge=1024, description="Largest image of a question; in a request it takes a third more."
    )
    max_image_pixels: int = Field(
        default=25_000_000, ge=1, description="Maximum pixels of a question's image; larger ones are not opened."
    )
    ocr_seconds: float = Field(default=20.0, gt=0, description="Time for tesseract to read one image.")

    work_processes: int | None = Field(
        default=None,
        ge=1,
        description="Processes that read and check files and texts of strangers; without it, 2 to 4 in the service, as "
        "the machine has cores, and one per core in a command.",
    )
    parse_seconds: float = Field(default=120.0, gt=0, description="Time limit for parsing one file that is ingested.")
    parse_memory_mb: int = Field(
        default=2048, ge=256, description="Memory limit for parsing one file that is ingested, in MiB."
    )
    submission_seconds: float = Field(
        default=20.0, gt=0, description="Time limit for parsing one file that a student hands in."
    )
    submission_memory_mb: int = Field(
        default=512, ge=256, description="Memory limit for parsing one file that a student hands in, in MiB."
    )
    max_file_mb: int = Field(default=100, ge=1, description="Largest file that is ingested, in MiB.")
    max_document_chars: int = Field(
        default=10_000_000,
        ge=1,
        description="Maximum characters of text in one ingested file, without markup and images; a line counts as at "
        "least 20. A book of 1,000 pages has about 3 million.",
    )
    max_document_blocks: int = Field(
        default=20_000,
        ge=1,
        description="Maximum blocks (sections, questions, threads) of one ingested file. Each is embedded separately.",
    )
    max_course_chars: int = Field(
        default=200_000_000, ge=1, description="Maximum characters of text in all documents of a course together."
    )

    @property
    def whereabouts(self) -> str:
        """Where the courses are, in words for the terminal."""
        if self.database_url is not None:
            return "the database that EDUMOD_DATABASE_URL names"
        return f"the home {self.home.resolve()} (EDUMOD_HOME names another one)"

    @property
    def metrics_address(self) -> tuple[str, int] | None:
        """Host and port that the metrics have for themselves; None where they have none."""
        host, colon, port = self.metrics.rpartition(":")
        return (host.strip("[]"), int(port)) if colon else None

    @property
    def url(self) -> str:
        """The URL of the database. It may hold a password: `core.store.engine.urls.display_url` is for people."""
        if self.database_url is None:
            return f"sqlite:///{self.home.resolve() / 'edumod.db'}"
        return self.database_url
