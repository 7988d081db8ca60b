"""Order of texts that does not depend on a database's locale."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class by_code_point(FunctionElement[str]):  # noqa: N801 (an SQL function, named like one)
    """A text column to order by, as Python and SQLite order texts. PostgreSQL else sorts by the language of its
    database, so that the same course would be read in another order."""

    type = Text()
    inherit_cache = True


@compiles(by_code_point)
def _as_it_is(element: by_code_point, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(by_code_point, "postgresql")
def _collated(element: by_code_point, compiler: SQLCompiler, **options: Any) -> str:
    return f'{compiler.process(element.clauses, **options)} COLLATE "C"'
