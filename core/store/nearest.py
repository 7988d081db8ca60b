"""Vectors in the database itself, compared with a query there (pgvector, PostgreSQL only).

The table `chunk_vector` is derived from `embedding`, as an index is: half the bytes, made when a course is first
searched, not copied, and not needed by a process that does not know it. Inside one course every vector is compared;
from `HNSW_FROM` vectors on, `index_course` builds a graph of that course alone (decision 0090).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, TextClause, text
from sqlalchemy.exc import DBAPIError

from core.concurrency import in_thread
from core.store.engine.database import Database
from core.store.engine.outages import storage_errors
from core.store.engine.postgresql import lock, take_time
from core.store.engine.topic import Topic

Vector = NDArray[np.float32]

HNSW_FROM = 2_000
"""Vectors of a course from which its graph is built: with fewer, to compare them all takes less time than it saves
(`python -m benchmarks.nearest`)."""
EF_SEARCH = 100
"""Candidates that a search in a graph keeps: the trade between time and recall."""
SEARCHES = 4
"""Connections of one process for comparisons."""
FILL_ROWS = 500
MAX_HALF = 65_504.0
GONE = -1
"""In place of the revision of a course that there is no more."""
TIE = 1e-4
"""Similarities that are nearer to each other count as equal."""
LOADED = {"hnsw.ef_search": EF_SEARCH, "hnsw.iterative_scan": "strict_order", "plan_cache_mode": "force_custom_plan",
          "jit": "off"}  # fmt: skip
"""Settings of those connections. A plan for any value of a parameter could not use the graph of one course."""

_TABLE = (
    "CREATE TABLE IF NOT EXISTS chunk_vector (id bigint GENERATED ALWAYS AS IDENTITY, "
    "node_id text NOT NULL REFERENCES node (id) ON DELETE CASCADE, ordinal integer NOT NULL, course_id text NOT NULL, "
    "source text NOT NULL, model text NOT NULL, vector halfvec NOT NULL, PRIMARY KEY (node_id, ordinal, model))",
    "ALTER TABLE chunk_vector ALTER COLUMN vector SET STORAGE PLAIN",
    "CREATE INDEX IF NOT EXISTS ix_chunk_vector_course ON chunk_vector (course_id, model, source)",
)
_WITHOUT = (
    "FROM embedding e JOIN node n ON n.id = e.node_id JOIN document d ON d.id = n.document_id "
    "WHERE e.course_id = :course AND e.model = :model AND NOT EXISTS (SELECT FROM chunk_vector v "
    "WHERE v.node_id = e.node_id AND v.ordinal = e.ordinal AND v.model = e.model)"
)
_MISSING = text(f"SELECT e.node_id, e.ordinal, d.source, e.vector {_WITHOUT} ORDER BY d.id, n.ordinal, e.ordinal")
_INSERT = text(
    "INSERT INTO chunk_vector (node_id, ordinal, course_id, source, model, vector) VALUES (:node_id, :ordinal, "
    ":course, :source, :model, CAST(:vector AS halfvec)) ON CONFLICT DO NOTHING"
)
_CHUNKS = (
    "FROM chunk_vector WHERE course_id = :course AND model = :model "
    "AND (CAST(:source AS text) IS NULL OR source = :source)"
)  # fmt: skip
_ROWS = text(
    f"SELECT c.revision, (SELECT array_agg(node_id ORDER BY id) {_CHUNKS}), to_regclass(:graph) IS NOT NULL "  # noqa: S608
    "FROM course c WHERE c.id = :course"
)
_SIMILARITIES = text(
    "SELECT c.revision, (SELECT string_agg(float4send((vector <#> CAST(:query AS halfvec))::float4), ''::bytea "  # noqa: S608
    f"ORDER BY id) {_CHUNKS}) FROM course c WHERE c.id = :course"
)
"""One value of four bytes a vector, rather than a row for each."""
_SAMPLES = text(f"SELECT vector::text {_CHUNKS} ORDER BY hashint8(id) LIMIT :samples")
_OTHERS = text("DELETE FROM chunk_vector WHERE course_id = :course AND model <> :model")


@dataclass(frozen=True, slots=True)
class VectorRows:
    """The blocks of a course's vectors, in the order in which similarities are given, at one revision."""

    revision: int
    block_ids: tuple[str, ...]
    has_graph: bool


class NearestChunks(Topic):
    """Compares queries with the vectors of one course, embedding and, unless it is None, kind of material."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.problem: str | None = "SQLite has no vectors"
        """Why vectors cannot be compared in the database; None where they can."""

    async def prepare(self) -> str | None:
        """Create extension and table where that is possible; `problem`."""
        if self._database.url.get_backend_name() == "postgresql":
            try:
                self.problem = await self._transact(_prepare)
            except DBAPIError as error:
                self.problem = f"the extension vector cannot be created: {error.orig}".strip()
        return self.problem

    async def rows(self, course_id: str, model: str, source: str | None) -> VectorRows:
        """The vectors there are; those that are missing are made first."""
        which: dict[str, Any] = {"course": course_id, "model": model}
        if await self._rows(text(f"SELECT 1 {_WITHOUT} LIMIT 1"), which):
            await self._transact(_fill, which)
        values = {**which, "source": source, "graph": graph_name(course_id, model)}
        found = await self._rows(_ROWS, values)
        revision, ids, has_graph = found[0] if found else (GONE, (), False)
        return VectorRows(revision, tuple(ids or ()), has_graph)

    def similarities(
        self, course_id: str, model: str, source: str | None, query: Vector
    ) -> tuple[int, NDArray[np.float32]]:
        """The course's revision, and the inner products with all vectors, in the order of `rows`. Blocks."""
        values = {"course": course_id, "model": model, "source": source, "query": _literal(query)}
        with storage_errors(), self._searching.connect() as connection:
            row = connection.execute(_SIMILARITIES, values).one_or_none()
        if row is None:
            return GONE, np.zeros(0, dtype=np.float32)
        return row[0], -np.frombuffer(row[1] or b"", dtype=">f4").astype(np.float32)

    def nearest(
        self, course_id: str, model: str, source: str | None, query: Vector, count: int
    ) -> list[tuple[str, float]]:
        """The blocks of the nearest vectors with their inner products, by the course's graph if it has one. Blocks."""
        values = {"course": course_id, "model": model, "source": source, "query": _literal(query), "count": count}
        with storage_errors(), self._searching.connect() as connection:
            rows = connection.execute(_nearest_of(len(query)), values).all()
        return [(row[0], float(row[1])) for row in rows]

    async def index_course(self, course_id: str, model: str, dimension: int, *, smallest: int = HNSW_FROM) -> bool:
        """Make missing vectors and, from `smallest` vectors on, the course's graph; whether it has one.

        Vectors of other embeddings are deleted. May take minutes; the course is searched meanwhile.
        """
        rows = await self.rows(course_id, model, None)
        await self._change(_OTHERS, {"course": course_id, "model": model})
        if len(rows.block_ids) < smallest or rows.has_graph:
            return rows.has_graph
        await self._transact(_create_graph, course_id, model, dimension)
        return True

    async def graph_recall(self, course_id: str, model: str, *, samples: int = 50, at: int = 10) -> float | None:
        """The share of the nearest `at` vectors that the course's graph finds, over some of its own vectors as queries;
        None where it has no graph."""
        if not (await self.rows(course_id, model, None)).has_graph:
            return None
        which = {"course": course_id, "model": model, "source": None, "samples": samples}
        vectors = [np.array(json.loads(row[0]), dtype=np.float32) for row in await self._rows(_SAMPLES, which)]
        return await in_thread(lambda: float(np.mean([self._overlap(course_id, model, one, at) for one in vectors])))

    def _overlap(self, course_id: str, model: str, query: Vector, at: int) -> float:
        _, similarities = self.similarities(course_id, model, None, query)
        least = np.sort(similarities)[-at:][0] - TIE
        found = self.nearest(course_id, model, None, query, at)
        return float(sum(similarity >= least for _, similarity in found) / min(at, len(similarities)))

    @cached_property
    def _searching(self) -> Engine:
        return self._database.open_searching(SEARCHES, LOADED)


def graph_name(course_id: str, model: str) -> str:
    """The name of a course's graph."""
    digest = hashlib.sha256(f"{course_id}\0{model}".encode()).hexdigest()
    return f"ix_graph_{digest[:24]}"


def _prepare(connection: Connection) -> str | None:
    if connection.execute(text("SELECT to_regclass('chunk_vector') IS NOT NULL")).scalar():
        return None
    lock(connection, "vectors")
    if not connection.execute(text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")).scalar():
        return "the server lacks the extension vector (pgvector)"
    connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    for statement in _TABLE:
        connection.execute(text(statement))
    return None


def _fill(connection: Connection, which: dict[str, Any]) -> None:
    take_time(connection)
    lock(connection, f"vectors {which['course']}")
    rows = connection.execute(_MISSING, which).all()
    for start in range(0, len(rows), FILL_ROWS):
        batch = [
            {"node_id": row.node_id, "ordinal": row.ordinal, "source": row.source, **which,
             "vector": _literal(np.frombuffer(row.vector, dtype="<f4"))}
            for row in rows[start : start + FILL_ROWS]
        ]  # fmt: skip
        connection.execute(_INSERT, batch)


def _create_graph(connection: Connection, course_id: str, model: str, dimension: int) -> None:
    take_time(connection)
    connection.execute(text("SET LOCAL maintenance_work_mem = '256MB'"))
    course, of = (str(text(":v").bindparams(v=v).compile(compile_kwargs={"literal_binds": True}))
                  for v in (course_id, model))  # fmt: skip
    connection.execute(
        text(
            f"CREATE INDEX IF NOT EXISTS {graph_name(course_id, model)} ON chunk_vector USING hnsw "
            f"((vector::halfvec({dimension})) halfvec_ip_ops) WHERE course_id = {course} AND model = {of}"
        )
    )


@cache
def _nearest_of(dimension: int) -> TextClause:
    """The statement whose distance is spelt as that of a graph."""
    distance = f"vector::halfvec({dimension}) <#> CAST(:query AS halfvec({dimension}))"
    return text(f"SELECT node_id, -({distance}) {_CHUNKS} ORDER BY {distance} LIMIT :count")


def _literal(vector: Sequence[float] | Vector) -> str:
    """As pgvector reads it; what 16 bits cannot hold becomes the nearest that they can."""
    bounded = np.clip(np.nan_to_num(np.asarray(vector)), -MAX_HALF, MAX_HALF)
    return "[" + ",".join(map("%.5g".__mod__, bounded.tolist())) + "]"
