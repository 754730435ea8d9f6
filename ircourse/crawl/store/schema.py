"""What may stand in an SQLite file that came from somebody else: plain tables and their indexes.

A view in a table's place can run for ever, and a trigger can empty what was written: either comes with the
file, and SQLite does as it says. So each part that has tables in a file asks for them here before it reads.
"""

from __future__ import annotations

import re
import sqlite3

__all__ = ["check_schema"]

_PLAIN_TABLE = re.compile(r"\s*CREATE\s+TABLE\b", re.I)


def check_schema(connection: sqlite3.Connection, tables: str) -> None:
    """Raise ValueError where the database holds what is no table or index, or other tables of these names.

    tables  statements that create the tables and indexes that are asked for; those that are not there yet
            are no fault, nor are plain tables of other names

    >>> db = sqlite3.connect(":memory:")
    >>> check_schema(db, "CREATE TABLE IF NOT EXISTS waiting (url TEXT)")
    >>> _ = db.execute("CREATE VIEW waiting AS SELECT 1 AS url")
    >>> check_schema(db, "CREATE TABLE IF NOT EXISTS waiting (url TEXT)")
    Traceback (most recent call last):
        ...
    ValueError: the index is damaged, it holds the view 'waiting': remove it
    >>> db.close()
    """
    model = sqlite3.connect(":memory:")
    try:
        model.executescript(tables)
        wanted = {(kind, name): _words(sql) for kind, name, _, sql in _objects(model)}
    finally:
        model.close()
    owned = {name for kind, name in wanted if kind == "table"}
    for kind, name, table, sql in _objects(connection):
        if (kind, name) in wanted:
            good = _words(sql) == wanted[kind, name]
        else:
            plain = kind == "index" or (kind == "table" and _PLAIN_TABLE.match(sql or "") is not None)
            good = plain and table not in owned
        if not good:
            raise ValueError(f"the index is damaged, it holds the {kind} {name!r:.60}: remove it")


def _objects(connection: sqlite3.Connection) -> list[tuple[str, str, str, str | None]]:
    """Return kind, name, table and statement of all that a database holds; SQLite's own indexes have none."""
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()


def _words(sql: str | None) -> list[str]:
    return (sql or "").split()
