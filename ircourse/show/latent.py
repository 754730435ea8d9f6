"""Explorers of latent semantic indexing (section 18.4) on the book's example: A_k, and a query in a plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ircourse.latent import cosines, lsi, ranked
from ircourse.latent.arrays import Floats
from ircourse.show.charts_svg import matrix
from ircourse.show.controls import Number, Text
from ircourse.show.explorer import Explorer, Row
from ircourse.show.forms import Sliders
from ircourse.show.style import INK, MUTED, RULE, VERMILION, look
from ircourse.show.svg import Drawing, Markup, below, beside, caption, element, joined, label
from ircourse.text import tokenize

TERMS = ("ship", "boat", "ocean", "voyage", "trip")
DOCUMENTS = ("d1", "d2", "d3", "d4", "d5", "d6")
BOOK = np.array(
    [[1, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 0, 0, 1, 1, 0], [0, 0, 0, 1, 0, 1]]
)
SUBSCRIPTS = "₀₁₂₃₄₅"
UNIT, RIGHT, UP, RAY = 170, 2.2, 1.25, 1.15  # pixels to 1, and how far plane and query reach

__all__ = ["BOOK", "DOCUMENTS", "TERMS", "approximate", "concept_plane"]


class Rank(NamedTuple):
    """A_k and its k."""

    k: int
    matrix: Floats


def approximate() -> Explorer:
    """Return the book's matrix beside A_k, k by a field, with both errors."""
    model = lsi(BOOK, 5)

    def state(k: int) -> Rank:
        return Rank(k, model.truncate(k).approximation().round(2) + 0.0)  # no −0.0

    def draw(now: Rank) -> Drawing:
        sides = (("A", BOOK.astype(float)), (f"A{SUBSCRIPTS[now.k]}", now.matrix))
        pictures = [(name, matrix(TERMS, DOCUMENTS, values.tolist(), cell=46)) for name, values in sides]
        return beside(*(below(caption(name, 200), picture) for name, picture in pictures))

    def describe(now: Rank) -> str:
        rest, name = model.s[now.k :], f"A{SUBSCRIPTS[now.k]}"
        kept = ", ".join(f"{value:.2f}" for value in model.s[: now.k])
        if not len(rest):
            return f"Singular values kept: {kept}. All are kept: {name} is A."
        square = (rest**2).sum()
        errors = f"‖A − {name}‖₂ = {rest[0]:.2f}, squared Frobenius error {square:.2f}"
        return f"Singular values kept: {kept}. {errors}."

    def table(now: Rank) -> list[Row]:
        rows: list[Row] = [["term", *DOCUMENTS]]
        return rows + [[term, *row] for term, row in zip(TERMS, now.matrix.tolist(), strict=True)]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="A matrix and its best approximation of rank k",
        controls={"k": Number("Concepts k", 1, 5, 2)},
        notice="Look at boat in d3. The document does not hold the word; what does Aₖ take it from?",
    )


class Plane(NamedTuple):
    """A query in the plane of two concepts, its cosine with each document there, and before, in the terms."""

    words: str
    query: Floats
    reduced: Floats
    plain: Floats


def query_of(text: str) -> tuple[str, Floats]:
    """Return the words of a query that are terms of the book's example, and how often each stands in it.

    >>> query_of("a boat trip")[0], query_of("a boat trip")[1].tolist()
    ('boat trip', [0.0, 1.0, 0.0, 0.0, 1.0])
    """
    words = [word for word in tokenize(text) if word in TERMS]
    if not words:
        raise ValueError(f"No word of this is in the documents: write some of {', '.join(TERMS)}.")
    return " ".join(words), np.array([float(words.count(term)) for term in TERMS])


def _at(x: float, y: float) -> tuple[int, int]:
    """Return the pixel of a point; whole pixels are the same on every machine."""
    return round(20 + UNIT * x), round(UNIT * (UP - y)) + 20


def _points(names: tuple[str, ...], spots: Floats, seems: str) -> list[Markup]:
    """Return a mark for each column of ``spots``: a square for terms, a circle for documents."""
    parts, style = [], look(seems)
    for name, (x, y) in zip(names, spots.T.tolist(), strict=True):
        px, py = _at(x, y)
        frame = {"fill": style.fill, "stroke": style.stroke, "stroke_width": 1.5}
        if seems == "a":
            # above, and large: a document of a single word lies on its term
            parts.append(element("rect", x=px - 8, y=py - 8, width=16, height=16, **frame))
            parts.append(label(name, px, py - 12, anchor="middle"))
        else:
            parts.append(element("circle", cx=px, cy=py, r=5, **frame))
            parts.append(label(name, px + 12, py + 5, bold=True))
    return parts


def concept_plane() -> Explorer:
    """Return the book's terms and documents in the plane of two concepts, and a query that is written."""
    model = lsi(BOOK, 2)

    def state(query: tuple[str, Floats]) -> Plane:
        words, vector = query
        return Plane(words, model.fold_in(vector), model.cosines(vector), cosines(BOOK, vector))

    def draw(at: Plane) -> Drawing:
        ray = (RAY * at.query / np.linalg.norm(at.query)).tolist()
        (ox, oy), (x, y) = _at(0, 0), _at(*ray)
        (left, top), (right, bottom) = _at(-0.1, UP), _at(RIGHT, -UP)
        parts = [
            element("line", x1=left, y1=oy, x2=right, y2=oy, stroke=RULE),
            element("line", x1=ox, y1=top, x2=ox, y2=bottom, stroke=RULE),
            label("concept 1", right + 6, oy + 5, fill=MUTED),
            label("concept 2", ox + 8, top + 8, fill=MUTED),
            element(
                "line", x1=ox, y1=oy, x2=x, y2=y, stroke=VERMILION, stroke_width=3, stroke_dasharray="8 4"
            ),
            label(f"query: {at.words[:30]}", x + 8, y + (16 if y > oy else -8), bold=True),
            *_points(TERMS, model.P.T, "a"),
            *_points(DOCUMENTS, model.documents, "b"),
        ]
        key = label("square: a term, row of Pₖ; circle: a document, column of Sₖ Rₖᵗ", 0, 14, fill=INK)
        return below(Drawing(right + 130, bottom + 10, joined(parts)), Drawing(right, 20, key))

    def describe(at: Plane) -> str:
        best = [DOCUMENTS[hit.doc] for hit in ranked(at.reduced, 3)]
        return f"The query “{at.words}” lies nearest to {', '.join(best)}, by the angle at the origin."

    def table(at: Plane) -> list[Row]:
        rows: list[Row] = [["document", "cosine in the plane", "cosine of the terms"]]
        pairs = zip(DOCUMENTS, at.reduced.tolist(), at.plain.tolist(), strict=True)
        return rows + [[name, f"{near:.2f}", f"{plain:.2f}"] for name, near, plain in pairs]

    return Sliders(
        state,
        draw,
        describe,
        table,
        title="Terms, documents and a query in the plane of two concepts",
        controls={
            "query": Text("Query", "boat", query_of, examples=["ship trip", "voyage", "a trip by boat"])
        },
        notice="Add the word trip to the query. Which way does it turn, and which documents does it pass?",
    )
