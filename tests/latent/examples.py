"""The book's example and Deerwester's titles, and how a matrix is drawn for a property test."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# Book, example 18.4: ship, boat, ocean, voyage, trip in six documents.
BOOK_TERMS = ["ship", "boat", "ocean", "voyage", "trip"]
BOOK = np.array(
    [
        [1, 0, 1, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 0, 0, 1, 1, 0],
        [0, 0, 0, 1, 0, 1],
    ],
    float,
)
BOOK_S = [2.162500962301603, 1.5943823687233296, 1.2752902515806495, 1.0, 0.39391525049455717]

# Deerwester and others (1990), table 2: nine titles, five on people and computers, four on graphs.
TITLES = [
    "Human machine interface for Lab ABC computer applications",
    "A survey of user opinion of computer system response time",
    "The EPS user interface management system",
    "System and human system engineering testing of EPS",
    "Relation of user-perceived response time to error measurement",
    "The generation of random, binary, unordered trees",
    "The intersection graph of paths in trees",
    "Graph minors IV: Widths of trees and well-quasi-ordering",
    "Graph minors: A survey",
]
TITLE_TERMS = "human interface computer user system response time eps survey trees graph minors".split()
TITLES_S = [3.3408837521330637, 2.541701000041629, 2.3539435176648396, 1.6445322923722543, 1.5048315504886283]
TITLES_S += [1.3063819502352236, 0.8459030826472829, 0.560134422839221, 0.36367684003964956]


def titles_matrix():
    """The twelve terms of the paper by nine titles, counted."""
    rows = [[text.lower().replace(",", " ").split().count(term) for text in TITLES] for term in TITLE_TERMS]
    rows[TITLE_TERMS.index("user")] = [0, 1, 1, 0, 1, 0, 0, 0, 0]  # user-perceived is two words
    rows[TITLE_TERMS.index("minors")] = [0, 0, 0, 0, 0, 0, 0, 1, 1]
    return np.array(rows, float)


def matrices(most=8):
    """Small matrices of whole numbers, ranks and zero columns of all kinds among them."""
    sides = st.tuples(st.integers(1, most), st.integers(1, most))
    return sides.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(-3, 3)))


def texts_of(n, rng, topics=4, words=30, length=40):
    """Texts whose words come half from a topic of their own and half from all topics."""
    rng = np.random.default_rng(rng)
    made = []
    for i in range(n):
        own = rng.random(length) < 0.5
        topic = np.where(own, i % topics, rng.integers(0, topics, length))
        made.append(
            " ".join(f"w{t}x{w}" for t, w in zip(topic, rng.geometric(3 / words, length), strict=True))
        )
    return made
