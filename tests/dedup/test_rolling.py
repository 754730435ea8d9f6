"""Karp and Rabin's rolling fingerprints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircourse.dedup import false_hit_bound, is_prime, karp_rabin, karp_rabin_find, random_prime
from ircourse.dedup.rolling import PRIME, _roll


def direct(data, width, prime, base):
    """Each window on its own, in Python's integers."""
    found = []
    for i in range(len(data) - width + 1):
        value = 0
        for byte in data[i : i + width]:
            value = value * base + byte
        found.append(value % prime)
    return found


@given(
    data=st.binary(max_size=40),
    width=st.integers(1, 12),
    prime=st.sampled_from([2, 3, 101, 2**31 - 1, PRIME]),
    base=st.sampled_from([2, 131, 255, 256]),
)
def test_rolling_equals_direct(data, width, prime, base):
    assert karp_rabin(data, width, prime, base).tolist() == direct(data, width, prime, base)


@pytest.mark.parametrize(
    ("text", "width", "base", "prime", "hashes"),
    [
        ("abracadabra", 3, 256, 101, [4, 30, 17, 41, 11, 95, 97, 4, 30]),
        ("abracadabra", 11, 256, 1000003, [556664]),
        ("éèê", 2, 131, 2147483647, [25714, 22334, 25713, 22203, 25715]),
        ("ab", 5, 256, 101, []),
        ("", 1, 256, 101, []),
        ("\0\0\0", 2, 256, 101, [0, 0]),
    ],
)
def test_worked_examples(text, width, base, prime, hashes):
    assert karp_rabin(text, width, prime, base).tolist() == hashes


def test_the_largest_values_do_not_overflow():
    data = b"\xff" * 50
    assert karp_rabin(data, 9, 2**64 // 256 - 1).tolist() == direct(data, 9, 2**64 // 256 - 1, 256)
    assert karp_rabin(data, 9, 2**54, 1024).tolist() == direct(data, 9, 2**54, 1024)


def test_the_plain_loop_gives_the_same():
    import numpy as np

    data = np.frombuffer(b"abracadabra", np.uint8)
    plain = np.empty(9, np.uint64)
    _roll.plain(data, 3, 101, 256, pow(256, 2, 101), plain)
    assert plain.tolist() == [4, 30, 17, 41, 11, 95, 97, 4, 30]


def test_matches_overlap_and_false_hits_are_told():
    assert karp_rabin_find("aaaaa", "aa", prime=101) == ([0, 1, 2, 3], [])
    assert karp_rabin_find("the cat sat on the mat; that is all", "at", prime=3) == (
        [5, 9, 20, 26],
        [7, 18, 25, 30, 31, 33],
    )
    assert karp_rabin_find("a", "aa") == ([], [])


@given(data=st.text("ab", max_size=20), pattern=st.text("ab", min_size=1, max_size=3))
def test_true_hits_are_where_the_pattern_stands(data, pattern):
    want = [i for i in range(len(data)) if data.startswith(pattern, i)]
    assert karp_rabin_find(data, pattern, prime=2)[0] == want
    assert karp_rabin_find(data, pattern) == (want, [])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: karp_rabin("a", 0), "width is 0"),
        (lambda: karp_rabin("a", 1, 1), "prime 1"),
        (lambda: karp_rabin("a", 1, 101, 1), "base 1"),
        (lambda: karp_rabin("a", 1, 2**57), "at most 2"),
        (lambda: karp_rabin_find("abc", ""), "the pattern is empty"),
        (lambda: false_hit_bound(0, 100), "0 bits"),
        (lambda: false_hit_bound(8, 16), "primes below 16"),
        (lambda: random_prime(2, 0), "upper is 2"),
        (lambda: is_prime(2**64), "too large"),
    ],
)
def test_bad_arguments_are_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_data_is_text_or_bytes():
    with pytest.raises(TypeError, match="data is a str or bytes, not list"):
        karp_rabin([1], 1)


def test_primes_below_ten_thousand():
    sieve = [True] * 10_000
    sieve[0] = sieve[1] = False
    for n in range(2, 100):
        if sieve[n]:
            sieve[n * n :: n] = [False] * len(sieve[n * n :: n])
    assert [is_prime(n) for n in range(10_000)] == sieve


@pytest.mark.parametrize(
    ("n", "prime"),
    [(PRIME, True), (2**61 - 1, True), (2**64 - 59, True), (3215031751, False), (3825123056546413051, False)],
)
def test_large_primes_and_strong_pseudoprimes(n, prime):
    assert is_prime(n) is prime


def test_the_default_prime_is_the_largest_that_fits():
    assert not any(map(is_prime, range(PRIME + 1, 2**56)))


def test_random_primes_cover_all_below():
    import numpy as np

    rng = np.random.default_rng(0)
    assert {random_prime(20, rng) for _ in range(200)} == {2, 3, 5, 7, 11, 13, 17, 19}
