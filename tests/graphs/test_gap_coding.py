"""Rows in bits: the plain coding and the compiled one agree, and both are read back as what was written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs import Graph, row_bits
from ircourse.graphs.gap_coding import (
    MOST_REFERENCES,
    decode_row,
    encode_row,
    explain_row,
    reference_lengths,
    zeta,
    zigzag,
)
from ircourse.graphs.row_bits import best_k, encode_rows
from ircourse.graphs.row_reading import DAMAGED, read_row, references


def coded(rows, k):
    """The rows one after the other by the plain coding, and how many rows stand behind each."""
    text, depth = "", []
    for u, row in enumerate(rows):
        previous = [rows[v] if depth[v] < MOST_REFERENCES else None for v in range(u - 1, max(-1, u - 8), -1)]
        bits = encode_row(u, row, previous, k)
        r = reference(u, row, previous, k)
        depth.append(depth[u - r] + 1 if r else 0)
        assert decode_row(bits, u, previous, k) == row
        text += bits
    return text, depth


def reference(u, row, previous, k):
    return int(explain_row(u, row, previous, k)[1].bits, 2)


def arrays(rows):
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return indptr, np.array([v for row in rows for v in row], np.int32)


def as_text(bits):
    return "".join(f"{byte:08b}" for byte in bits.tolist())


def test_the_codes():
    # γ by Elias's table; ζ_3 by the table of Boldi and Vigna, which codes x − 1.
    assert [zeta(x) for x in range(1, 9)] == "1 010 011 00100 00101 00110 00111 0001000".split()
    assert [zeta(x, 3) for x in range(1, 9)] == "100 1010 1011 1100 1101 1110 1111 0100000".split()
    assert [zigzag(d) for d in (0, -1, 1, -2, 2)] == [0, 1, 2, 3, 4]
    for x, k in ((0, 1), (1, 0), (-3, 2)):
        with pytest.raises(ValueError, match="at least 1"):
            zeta(x, k)


@given(st.integers(1, 2**40), st.integers(1, 16))
def test_codes_are_prefix_free_and_in_order_of_length(x, k):
    assert len(zeta(x, k)) <= len(zeta(x + 1, k))
    assert not zeta(x + 1, k).startswith(zeta(x, k))
    assert len(zeta(x)) == 2 * x.bit_length() - 1


small_rows = st.lists(
    st.lists(st.integers(0, 11), max_size=12).map(set).map(sorted), min_size=12, max_size=12
)
alike = st.tuples(small_rows, st.lists(st.integers(0, 3), min_size=12, max_size=12)).map(
    lambda both: [both[0][0] if same else row for row, same in zip(*both, strict=True)]
)


@given(small_rows | alike, st.integers(1, 6))
def test_compiled_bits_are_the_plain_ones_and_are_read_back(rows, k):
    text, depth = coded(rows, k)
    for small in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(row_bits, "_SMALL", small)
            bits, starts = encode_rows(*arrays(rows), k)
        assert as_text(bits) == text.ljust(8 * len(bits), "0")
        assert len(bits) == -(-len(text) // 8)
    for u, row in enumerate(rows):
        assert read_row(u, 12, bits, starts, k).tolist() == row
        assert references(u, bits, starts).shape[1] == depth[u] + 1


def test_more_rows_than_a_start_is_kept_for():
    rng = np.random.default_rng(4)
    graph = Graph.from_edges(rng.integers(0, 300, (4000, 2)) // [1, 2], nodes=range(300))
    rows = [sorted(graph.links(u)) for u in range(300)]
    for k, small in ((1, 0), (3, 10**6), (8, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(row_bits, "_SMALL", small)
            bits, starts = encode_rows(*arrays(rows), k)
        text, _ = coded(rows, k)
        assert as_text(bits) == text.ljust(8 * len(bits), "0")
        assert len(starts) == 5
        assert [read_row(u, 300, bits, starts, k).tolist() for u in range(300)] == rows


def test_equal_rows_cost_little_and_refer_no_deeper_than_three():
    rows = [list(range(0, 500, 7))] * 20
    bits, starts = encode_rows(*arrays(rows), 3)
    depth = [references(u, bits, starts).shape[1] - 1 for u in range(20)]
    assert max(depth) == 3
    fields = explain_row(5, rows[5], [rows[4]])
    assert [bits for bits, _ in fields] == ["10101", "001", "1"]
    assert [meaning for _, meaning in fields] == [
        "the row takes 4 bits more",
        "as row 4, one before",
        "0 links dropped",
    ]


def test_the_shortest_reference_is_taken_the_nearest_of_equals():
    row = [1, 5, 9, 40]
    assert reference(50, row, [[1], row, row], 3) == 2
    assert reference(50, row, [None, None, row], 3) == 3
    assert reference(50, row, [None] * 7 + [row], 3) == 0  # only seven are in reach
    assert reference(50, [], [[], row], 3) == 0


def test_k_follows_the_gaps():
    near = [[u + 1, u + 2] for u in range(400)]
    assert best_k(*arrays(near)) <= 2
    rng = np.random.default_rng(1)
    far = [sorted(set(rng.integers(0, 2**30, 5).tolist())) for _ in range(400)]
    assert best_k(*arrays(far)) >= 6


def test_empty():
    bits, starts = encode_rows(*arrays([]), 3)
    assert len(bits) == len(starts) == 0
    bits, starts = encode_rows(*arrays([[]]), 3)
    assert read_row(0, 1, bits, starts, 3).tolist() == []


@given(
    st.binary(max_size=40),
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 320), min_size=2, max_size=2),
    st.integers(0, 63),
    st.integers(1, 16),
)
def test_any_bits_are_read_without_harm(data, starts, u, k):
    for read in (read_row, read_row.plain):
        row = read(u, 64, np.frombuffer(data, np.uint8), np.array(starts, np.int64), k).tolist()
        assert row == [DAMAGED] or (row == sorted(row) and all(0 <= v < 64 for v in row))


@given(
    st.lists(st.sets(st.integers(0, 60), max_size=9).map(sorted), min_size=1, max_size=9), st.integers(1, 5)
)
def test_the_row_taken_is_the_one_that_makes_it_shortest(rows, k):
    *before, row = rows
    lengths = reference_lengths(20, row, before[::-1], k)
    assert list(lengths) == list(range(min(len(before), 7) + 1))
    taken = min(lengths, key=lengths.get)
    length, reference, *_ = explain_row(20, row, before[::-1], k)
    assert int(reference.bits, 2) == taken
    assert f"takes {lengths[taken]} bits more" in length.meaning
    assert reference_lengths(20, row, [None] * 3, k) == {0: lengths[0]}
