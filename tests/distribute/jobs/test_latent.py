"""Term–document matrices, LSI and random projection on a cluster: equal to the local ones."""

import random

import numpy as np
import pytest
from scipy import sparse

from ircourse import latent as local
from ircourse.distribute import line_parts, lsi, random_projection, term_documents
from ircourse.distribute.jobs import latent as module

TOPICS = ["ship boat ocean sail harbour tide", "wood tree forest leaf root", "star moon orbit comet sky"]


def texts_of(n, rng):
    """Texts of three topics, some words from any of them; one is empty."""
    every = " ".join(TOPICS).split()
    return [""] + [
        " ".join(rng.choices(rng.choice(TOPICS).split(), k=9) + rng.choices(every, k=2)) for _ in range(n - 1)
    ]


def matrix_of(client, blocks):
    """The matrix of blocks on workers."""
    return np.hstack([block.matrix.toarray() for block in client.gather(blocks.blocks)])


@pytest.mark.parametrize("weighting", ["counts", "logtf", "tfidf", "logentropy"])
@pytest.mark.parametrize("parts", [1, 4])
def test_the_matrix_is_the_local_one(client, weighting, parts):
    texts = texts_of(20, random.Random(1))
    options = {"min_df": 2, "max_df": 0.8, "stop_words": ["tree"], "unit_length": parts == 1}
    expected = local.TermDocument.from_texts(texts, weighting, **options)
    blocks = term_documents(client, texts, weighting, parts=parts, **options)
    assert blocks.queries.terms == expected.terms
    assert np.allclose(matrix_of(client, blocks), expected.matrix.toarray(), atol=1e-12)
    assert np.allclose(blocks.queries.vector("ship on the ocean"), expected.vector("ship on the ocean"))
    assert repr(blocks) == f"<TermBlocks: {len(expected.terms)} terms, 20 documents>"


def same(found, expected):
    """Assert that two LSI are equal: values, and vectors with their signs."""
    assert found.k == expected.k
    assert np.allclose(found.s, expected.s, atol=1e-9 * expected.s.max(initial=1))
    assert np.allclose(found.P, expected.P, atol=1e-7)
    assert np.allclose(found.R, expected.R, atol=1e-7)


@pytest.mark.parametrize("shape", [(30, 12), (12, 30), (9, 9), (1, 5), (5, 1)])
@pytest.mark.parametrize("formed", [True, False])
def test_lsi_is_the_local_one(client, monkeypatch, shape, formed):
    if not formed:
        monkeypatch.setattr(module, "SMALL_SIDE", 0)
        monkeypatch.setattr(module, "_leading", lambda A, k: module.lanczos(module._Applied(A), k))
    matrix = np.random.default_rng(3).standard_normal(shape) * 1e150
    for parts, form in [(None, np.asarray), (3, sparse.csr_array), (99, sparse.csc_array)]:
        same(lsi(client, form(matrix), 4, parts=parts), local.lsi(matrix, 4))


def test_lsi_of_texts_in_parts_finds_what_the_local_one_finds(client, tmp_path):
    texts = texts_of(40, random.Random(2))
    (tmp_path / "lines.txt").write_text("\n".join(texts) + "\n")
    blocks = term_documents(client, line_parts(tmp_path, 500), unit_length=True)
    expected = local.TermDocument.from_texts(texts, unit_length=True)
    found = lsi(client, blocks, 3)
    same(found, local.lsi(expected.matrix, 3))
    hits = found.search(blocks.queries.vector("sail on the tide"), 5)
    assert [hit.doc for hit in hits] == [
        hit.doc for hit in local.lsi(expected.matrix, 3).search(expected.vector("sail on the tide"), 5)
    ]


def test_lower_rank_gives_fewer_concepts(client):
    assert lsi(client, np.zeros((3, 4)), 2).k == 0
    assert lsi(client, np.ones((4, 3)), 2).s.round(9).tolist() == [round(12**0.5, 9)]


@pytest.mark.parametrize("kind", ["gaussian", "sign", "sparse"])
def test_projections_are_the_local_ones(client, kind):
    matrix = sparse.random_array((20, 15), density=0.3, rng=np.random.default_rng(1), format="csc")
    expected = local.random_projection(20, 6, kind, 5) @ matrix
    for parts in (None, 1, 99):
        assert np.allclose(random_projection(client, matrix, 6, kind, 5, parts=parts), expected, atol=1e-12)
    drawn = random_projection(client, matrix.toarray(), 6, kind, np.random.default_rng(7))
    assert np.allclose(
        drawn, local.random_projection(20, 6, kind, np.random.default_rng(7)) @ matrix, atol=1e-12
    )
    blocks = term_documents(client, TOPICS, "counts")
    found = random_projection(client, blocks, 3, kind)
    counts = local.TermDocument.from_texts(TOPICS, "counts").matrix
    assert np.allclose(found, local.random_projection(counts.shape[0], 3, kind) @ counts)


def test_wrong_arguments_are_told_as_locally(client):
    with pytest.raises(ValueError, match="no texts"):
        term_documents(client, [])
    with pytest.raises(ValueError, match="no weighting"):
        term_documents(client, ["a"], "idf")
    with pytest.raises(TypeError, match="stop_words are several"):
        term_documents(client, ["a"], stop_words="a")
    with pytest.raises(ValueError, match="no term of the texts is kept"):
        lsi(client, term_documents(client, ["a", "b"], min_df=2), 1)
    for wrong in ([[]], [1, 2], [[float("nan")]], [["a"]]):
        with pytest.raises(ValueError):
            lsi(client, wrong, 1)
        with pytest.raises(ValueError):
            random_projection(client, wrong, 1)
    with pytest.raises(ValueError, match="k is 0"):
        lsi(client, [[1.0]], 0)
    with pytest.raises(ValueError, match="no kind"):
        random_projection(client, [[1.0]], 1, "random")
    with pytest.raises(ValueError, match="k is 0"):
        random_projection(client, [[1.0]], 0)
