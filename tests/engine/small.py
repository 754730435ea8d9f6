"""A small collection for the tests of the engine: a harbour town and a copy of its ferry page."""

from datetime import UTC, datetime

from ircourse.engine import Engine, SourcePage
from ircourse.types import Link

TOWN, FERRY, COPY = "http://town.example/", "http://ferry.example/", "http://copy.example/ferry"
INN, ROSES, TULIPS = "http://inn.example/", "http://garden.example/roses", "http://garden.example/tulips"
TIMES = (
    "The ferry leaves the old harbour at nine and at noon, and comes back from the island at four. "
    "Bicycles travel free of charge. On Sundays in winter there is no ferry, and the island is quiet."
)
DATE = datetime(2026, 5, 17, 12, tzinfo=UTC)


def small_pages():
    return [
        SourcePage(
            TOWN,
            "A town by the sea with a harbour, an inn and a garden. The harbour has a quay.",
            "The town",
            (Link(FERRY, "timetable of the boats"), Link(INN, "the inn"), Link(ROSES, "flowers")),
            DATE,
        ),
        SourcePage(FERRY, TIMES, "Ferries", (Link(TOWN, "the town"),)),
        SourcePage(COPY, TIMES, "Ferries, a copy", (Link(ROSES, "flowers"),)),
        SourcePage(
            INN,
            "Rooms with a view of the quay and the harbour, and breakfast before the first ship sails.",
            "The inn",
            (Link(COPY, "sailings"), Link(TOWN, "town", True)),
        ),
        SourcePage(
            ROSES, "Roses and tulips in the garden flower from May on.", "Roses", (Link(TULIPS, "tulips"),)
        ),
        SourcePage(TULIPS, "Tulips in the garden flower in April, before the roses.", "Tulips"),
    ]


def save_small(folder):
    engine = Engine.build(small_pages())
    engine.update(removed=[ROSES])  # so that the indexes hold what is no more
    engine.update(small_pages())
    engine.save(folder)
    return folder
