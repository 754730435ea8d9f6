"""Submissions made from the instructor's solutions: right ones, planted wrong ones, hostile ones."""

import csv
import io
import json
import re
import shutil

import nbformat

from ircourse.commands.exercise_notebooks import grade_id, personal, read_sources
from ircourse.commands.grade import grade
from ircourse.commands.sandbox import Limits

FAST = Limits(cell=2, notebook=12, memory=1024)
SANDBOXED = shutil.which("bwrap") is not None
SOURCES = read_sources()
POINTS = {"ex_19_07": 6, "ex_19_08": 7, "ex_19_09": 7, "ex_19_10": 5}  # those given by tests
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", re.DOTALL)
WRITTEN = {"ex_19_09": 5, "ex_19_10": 5}


def solved(name, student="", secret="", **answers):
    """A notebook with the instructor's solutions, but for ``answers``: cells' names to their sources.

    Its tests are those that students see.
    """
    notebook = personal(SOURCES[name], name, student, secret) if student else personal_book(name)
    for cell in notebook.cells:
        cell.source = HIDDEN.sub("", cell.source)
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


def run(folder, code=0, **options):
    """Grade a folder of submissions; give the lines of the CSV file by student, and what was told."""
    out, log = folder.parent / "out" / "grades.csv", io.StringIO()
    out.parent.mkdir(exist_ok=True)
    options = {"trusted": not SANDBOXED, "limits": FAST} | options
    assert grade(str(folder), out=str(out), log=log, **options) == code, log.getvalue()
    if code:
        return {}, log.getvalue()
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = [{head.partition(" (")[0]: x for head, x in row.items()} for row in csv.DictReader(file)]
    return {row["student"]: row for row in rows}, log.getvalue()


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
# From what code does to (the code, the least points that stay, what the note says; "": it fails by itself).
_ENDED, _LATE = "not run", "ran for more"
HOSTILE = {
    "loops": ("while True:\n    pass", 6, _LATE),
    "loops through interrupts": (
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
        2,
        _LATE,
    ),
    "ends its process": ("import os\nos._exit(3)", 2, "the kernel ended"),
    "prints megabytes": ("while True:\n    print('x' * 100_000)", 6, "too much output"),
    "eats memory": ("x = [bytearray(10**8) for _ in range(10**4)]", 2, ""),
    "shows megabytes": (
        "from IPython.display import display, HTML\nwhile True:\n    display(HTML('x' * 10**6))",
        6,
        "too much output",
    ),
    "answers what cannot be read": (
        "get_ipython().kernel.session.key = b'another'\nprint('x')",
        2,
        "Invalid Signature",
    ),
    "asks, exits, hides its errors, brings points": (
        "import builtins, sys\nget_ipython().showtraceback = lambda *a, **k: None\n"
        "builtins.print = lambda *a, **k: 100\nscore = points = 100\ninput('points? ')\nsys.exit(100)",
        6,
        "",
    ),
}
_RUNTIME = "[a for a in open('/proc/self/cmdline').read().split(chr(0)) if a.endswith('.json')][0][:-14]"
SHUT_IN = {  # what only the sandbox bounds
    "writes the disk full": (
        "for path in ('/tmp/x', '/dev/shm/x', '/x', '/dev/x', '/submission/x', '/course/x'):\n"
        "    try:\n        open(path, 'wb').write(bytes(10**8))\n"
        "    except OSError:\n        continue\n    share_a = share_b = 0",
        6,
        "",
    ),
    "meets a full disk": (
        "for i in range(100):\n    open(f'/tmp/{i}', 'wb').write(bytes(10**6))",
        2,
        "no space left",
    ),
    "fills the folder of the sockets": (
        f"for i in range(10**4):\n    open({_RUNTIME} + f'/{{i}}', 'wb').write(bytes(10**5))",
        2,
        "too much on disk",
    ),
    "writes to files without a name": (
        "import os\nkept = [os.memfd_create('x') for _ in range(30)]\n"
        "for file in kept:\n    os.posix_fallocate(file, 0, 50 << 20)\nwhile True:\n    pass",
        2,
        "MiB of memory in all",
    ),
    "makes files": ("for i in range(10**7):\n    open(f'/tmp/{i}', 'w').close()", 2, "20000 files"),
    "starts processes that start processes": (
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        2,
        _ENDED,
    ),
    "starts processes that each eat a little memory": (
        "import os\nfor _ in range(12):\n    os.fork() or (bytearray(b'x') * (150 << 20), os.pause())\n"
        "while True:\n    pass".replace("os.pause", "__import__('signal').pause"),
        2,
        "MiB of memory in all",
    ),
    "ends all that it may": (
        "import os\nfor pid in (os.getppid(), 1, -1):\n    try:\n        os.kill(pid, 9)\n"
        "    except OSError:\n        pass",
        6,
        "",
    ),
    "stops itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", 2, _ENDED),
}
