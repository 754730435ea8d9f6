"""What the tests of the crawler share."""

import sqlite3
from contextlib import closing

import pytest


@pytest.fixture
def database():
    """An empty database in memory, closed at the end: Python 3.13 tells of one that is not."""
    with closing(sqlite3.connect(":memory:")) as made:
        yield made
