"""The files that an instructor gives: who is in the class, and the secret that variants are drawn from."""

from __future__ import annotations

import csv
import os
import re
import secrets
from pathlib import Path

__all__ = ["make_secret", "read_roster", "read_secret"]

LEAST_CHARACTERS = 16
_HEADS = {"id", "student", "student id", "student_id", "studentid"}
_FOLDER_NAME = re.compile(r"[\w@+-][\w@+. -]{0,98}(?<![. ])")


def read_roster(path: Path) -> list[str]:
    """Return the students' ids: the column headed "id" or "student" of a CSV file, its first one otherwise.

    ValueError, with the line, for an id that cannot name a folder and for one that comes twice.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [(number, row) for number, row in enumerate(csv.reader(file), 1) if any(row)]
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; --roster names a CSV file with the students' ids") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is no CSV file in UTF-8: {error}") from error
    heads = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    column = next((i for i, head in enumerate(heads) if head in _HEADS), None)
    students: dict[str, str] = {}
    for number, row in rows if column is None else rows[1:]:
        student = row[column or 0].strip() if len(row) > (column or 0) else ""
        if not _FOLDER_NAME.fullmatch(student):
            raise ValueError(
                f"{path}, line {number}: {student!r} is no id; letters, digits and . _ @ + - make one"
            )
        if (first := students.get(student.casefold())) is not None:
            count = (
                "" if first == student else f": as {first!r} before, and upper and lower case count as one"
            )
            raise ValueError(f"{path}, line {number}: {student!r} comes twice{count}")
        students[student.casefold()] = student
    if not students:
        raise ValueError(f"{path} names no student: give a line for each, the id in the first column")
    return list(students.values())


def read_secret(path: Path) -> str:
    """Return the secret that a file holds; ValueError where it is shorter than 16 characters."""
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; --secret names the one that `release` made") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text: --secret names the file that `release` made") from error
    if len(secret) < LEAST_CHARACTERS:
        raise ValueError(f"{path} holds {len(secret)} characters: a secret has {LEAST_CHARACTERS} at least")
    return secret


def make_secret(path: Path) -> str:
    """Write a new random secret to a file that is not there yet, readable by its owner, and return it."""
    secret = secrets.token_hex(32)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(secret + "\n")
    return secret
