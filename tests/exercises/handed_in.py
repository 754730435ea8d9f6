"""Submissions made from the instructor's solutions: right ones, planted wrong ones, hostile ones."""

import json

import nbformat

from ircourse.commands.exercise_notebooks import grade_id, personal, read_sources

SOURCES = read_sources()
POINTS = {"ex_19_07": 6, "ex_19_08": 7, "ex_19_09": 7, "ex_19_10": 5}  # those given by tests
WRITTEN = {"ex_19_09": 5, "ex_19_10": 5}


def solved(name, student="", secret="", **answers):
    """A notebook with the instructor's solutions, but for ``answers``: cells' names to their sources."""
    notebook = personal(SOURCES[name], name, student, secret) if student else personal_book(name)
    for cell in notebook.cells:
        if (own := (grade_id(cell) or "").replace("-", "_")) in answers:
            cell.source = answers[own]
    return notebook


def personal_book(name):
    """The source as it is, with the book's numbers."""
    return nbformat.from_dict(json.loads(json.dumps(SOURCES[name])))


def hand_in(folder, student, **notebooks):
    """Write notebooks to a student's folder; a text is written as it is."""
    place = folder / student
    place.mkdir(parents=True)
    for name, notebook in notebooks.items():
        text = notebook if isinstance(notebook, str) else json.dumps(notebook)
        (place / f"{name}.ipynb").write_text(text, encoding="utf-8")


# From what is wrong to (notebook, the cells that are, the points left).
WRONG = {
    "upside down": ("ex_19_07", {"answer": "def relative_size():\n    return share_a / share_b"}, 4),
    "whole indexes instead of samples": (
        "ex_19_07",
        {"estimate": "def estimate(a, b, n, rng):\n    return len(a) / len(b) if a & b else math.nan"},
        4,
    ),
    "second copy forgotten, and the larger number kept": (
        "ex_19_08",
        {
            "answer": "def without_duplicate():\n    return share_a / share_b",
            "index": "def without_copies(crawled, twin):\n"
            "    return {u for u in crawled if not (twin.get(u, u) in crawled and twin.get(u, u) > u)}",
        },
        2,
    ),
    "0 for 0/0": (
        "ex_19_09",
        {
            "estimator": "def sampled_jaccard(s1, s2, sample):\n    both = s1 & s2 & set(sample)\n"
            "    return Fraction(len(both), len((s1 | s2) & set(sample)) or 1)"
        },
        2,
    ),
    "with replacement, in floats": (
        "ex_19_10",
        {"needed": "def rows_needed(universe, union, hits):\n    return hits * universe / union"},
        2,
    ),
}
HOSTILE = {
    "loops": "while True:\n    pass",
    "loops through interrupts": "while True:\n    try:\n        while True:\n            pass\n"
    "    except BaseException:\n        pass",
    "ends its process": "import os\nos._exit(3)",
    "prints megabytes": "while True:\n    print('x' * 100_000)",
    "eats memory": "x = [bytearray(10**8) for _ in range(10**4)]",
    "writes the disk full": "open('/tmp/x', 'wb').write(bytes(10**9))",
}
