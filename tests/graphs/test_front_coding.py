"""Front coding: what was packed is found and spelled out, the plain coding says what is packed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ircourse.graphs.front_coding import BLOCK, find, front_code, pack, spell


def found(strings, sought, kind=lambda kernel: kernel):
    data, starts = pack([one.encode() for one in strings])
    return kind(find)(np.frombuffer(sought.encode(), np.uint8), len(strings), data, starts)


def spelled(numbers, n, data, starts, kind=lambda kernel: kernel):
    out = bytes(kind(spell)(np.array(numbers, np.int64), n, data, starts))
    return [one.decode() for one in out.split(b"\xff")[:-1]]


def plain(kernel):
    return kernel.plain


text = st.text(max_size=4) | st.text("ab/é☃", max_size=8)
sets = st.sets(text, max_size=50).map(sorted)


@given(sets, st.lists(text, max_size=5))
def test_every_string_is_found_and_no_other(strings, others):
    for sought in strings + others:
        expected = strings.index(sought) if sought in strings else -1
        assert found(strings, sought) == found(strings, sought, plain) == expected


@given(sets)
def test_strings_are_spelled_out(strings):
    data, starts = pack([one.encode() for one in strings])
    numbers = list(range(len(strings)))
    for kind in (lambda kernel: kernel, plain):
        assert spelled(numbers, len(strings), data, starts, kind) == strings
        assert spelled(numbers[::-3], len(strings), data, starts, kind) == strings[::-3]


@given(sets)
def test_the_plain_coding_is_what_is_packed(strings):
    coded = front_code(strings)
    expected = b"".join(bytes([shared, len(rest)]) + rest for shared, rest in coded)
    data, starts = pack([one.encode() for one in strings])
    assert bytes(data) == expected  # all lengths are below 128
    assert len(starts) == -(-len(strings) // BLOCK)
    before = b""
    for i, (shared, rest) in enumerate(coded):
        before = before[:shared] + rest
        assert before == strings[i].encode()


def test_long_strings_and_many():
    strings = sorted(["x" * 5000, "x" * 5000 + "y", *(f"http://h{i % 97}.example/{i}" for i in range(5000))])
    data, starts = pack([one.encode() for one in strings])
    assert spelled(range(len(strings)), len(strings), data, starts) == strings
    assert [found(strings, strings[i]) for i in range(0, len(strings), 501)] == list(
        range(0, len(strings), 501)
    )
    assert found(strings, "x" * 4999) == found(strings, "") == found(strings, "~") == -1
    assert len(data) < 0.4 * sum(map(len, strings))


@given(
    st.binary(max_size=60),
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 60), min_size=3, max_size=3),
    st.binary(max_size=5),
    st.lists(st.integers(-5, 60), max_size=4),
)
def test_any_data_is_read_without_harm(data, starts, sought, numbers):
    data, starts = np.frombuffer(data, np.uint8), np.array(starts, np.int64)
    for kind in (lambda kernel: kernel, plain):
        assert -1 <= kind(find)(np.frombuffer(sought, np.uint8), 40, data, starts) < 40
        kind(spell)(np.array(numbers, np.int64), 40, data, starts)
