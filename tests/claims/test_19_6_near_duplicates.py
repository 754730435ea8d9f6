"""Claims C23 to C37: shingles, sketches, candidate pairs, clusters, fingerprints, SimHash."""

from collections import Counter
from itertools import combinations, pairwise, permutations
from math import comb, factorial, gcd, log, sqrt

import networkx as nx
import numpy as np
import pytest

from ircourse.dedup import (
    MinHasher,
    UnionFind,
    accidental_pairs,
    band_chance,
    bit_sums,
    bottom_k,
    bottom_k_similarity,
    checksum,
    counts_by_sorting,
    exact_copies,
    false_hit_bound,
    fingerprint,
    hamming,
    hyperplane_bits,
    is_prime,
    jaccard,
    karp_rabin,
    near_duplicates,
    pairs_by_bands,
    pairs_by_sorting,
    pairs_by_super_shingles,
    random_prime,
    sampled_shingles,
    shingle_ids,
    shingles,
    simhash_of,
    similarity,
    without_integers,
    without_tags,
)
from ircourse.dedup.buckets import agreements
from ircourse.text import tokenize


def pair_of_sets(j, size, rng):
    """Two sets of random 64-bit ids whose union has ``size`` of them and whose J is ``j``, to the nearest."""
    ids = rng.integers(0, 2**64, size, dtype=np.uint64)
    both = round(j * size)
    half = both + (size - both) // 2
    return ids[:half], np.concatenate([ids[:both], ids[half:]])


def pairs_of_sketches(j, n, rng, size=200, places=200):
    """2 n sketches, those of 2 x and 2 x + 1 of a pair of sets with J = ``j``, and that J exactly."""
    hasher = MinHasher(places)
    rows = []
    for _ in range(n):
        a, b = pair_of_sets(j, size, rng)
        rows += [hasher.sketch(a), hasher.sketch(b)]
    return np.stack(rows), jaccard(a, b)


def test_c23_the_rose_has_three_distinct_shingles_two_of_them_twice():
    words = tokenize("a rose is a rose is a rose")
    windows = Counter(tuple(words[i : i + 4]) for i in range(len(words) - 3))
    assert list(windows.items()) == [
        (("a", "rose", "is", "a"), 2),
        (("rose", "is", "a", "rose"), 2),
        (("is", "a", "rose", "is"), 1),
    ]
    assert shingles("a rose is a rose is a rose") == set(windows)
    # As printed in one source, "arose is a rose is a rose" has other shingles.
    assert shingles("arose is a rose is a rose") != set(windows)


def test_c24_the_counts_of_figure_19_9_give_two_fifths():
    rows = [(0, 1), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]
    count = Counter(rows)
    assert count == {(0, 0): 1, (0, 1): 2, (1, 0): 1, (1, 1): 2}
    assert count[1, 1] / (count[0, 1] + count[1, 0] + count[1, 1]) == 2 / 5
    one, two = ({i for i, row in enumerate(rows) if row[c]} for c in (0, 1))
    assert jaccard(one, two) == 2 / 5


@pytest.mark.parametrize("universe", [1, 4, 5, 6])
def test_c25_over_all_permutations_minima_agree_in_a_share_of_j(universe):
    sets = [set(s) for n in range(1, universe + 1) for s in combinations(range(universe), n)]
    minima = [[min(p[x] for x in s) for s in sets] for p in permutations(range(universe))]
    minima = np.array(minima)
    assert len(minima) == factorial(universe)
    for (i, a), (j, b) in combinations(enumerate(sets), 2):
        agreeing = int((minima[:, i] == minima[:, j]).sum())
        assert agreeing * len(a | b) == len(minima) * len(a & b)


def test_c25_the_theorem_is_of_the_hash_sets_and_collisions_move_j():
    one, two = {"a", "b", "c"}, {"b", "c", "d"}
    clash = {"a": 0, "b": 1, "c": 2, "d": 0}  # a and d share a hash
    assert jaccard(one, two) == 1 / 2
    assert jaccard({clash[x] for x in one}, {clash[x] for x in two}) == 1


def test_c26_the_estimate_s_error_is_that_of_200_coin_tosses():
    # 10,000 pairs, 500 at each of 20 values of J. The mean error's own standard error is below
    # 0.0354 / √10,000 = 0.00036; a standard error measured on 500 is itself known to 3.2%.
    rng = np.random.default_rng(26)
    errors, ratios = [], []
    for j in np.linspace(0.025, 0.975, 20):
        sketches, exact = pairs_of_sketches(j, 500, rng)
        first = np.arange(0, 1000, 2)
        error = agreements(sketches, first, first + 1) / 200 - exact
        errors.append(error)
        ratios.append(np.sqrt(np.mean(error**2) / (exact * (1 - exact) / 200)))
    assert abs(np.mean(errors)) < 0.002
    assert abs(np.mean(ratios) - 1) < 0.1
    assert np.abs(np.array(ratios) - 1).max() < 0.16  # five of its standard errors
    assert sqrt(0.25 / 200) == pytest.approx(0.0354, abs=5e-5)


def chance_to_pass(j, need=160, places=200):
    """The chance that at least ``need`` of the places agree."""
    return sum(comb(places, n) * j**n * (1 - j) ** (places - n) for n in range(need, places + 1))


def test_c27_at_four_fifths_160_of_200_must_agree_and_passing_is_an_s_in_j():
    assert chance_to_pass(0.75) == pytest.approx(0.06, abs=0.005)
    assert chance_to_pass(0.80) == pytest.approx(0.54, abs=0.005)
    assert chance_to_pass(0.85) == pytest.approx(0.98, abs=0.005)
    for j in (0.75, 0.8, 0.85):
        sketches, exact = pairs_of_sketches(j, 400, np.random.default_rng(27))
        passed = {(p.i, p.j) for p in pairs_by_sorting(sketches, at_least=0.8)}
        share = len(passed) / 400
        want = chance_to_pass(exact)
        assert abs(share - want) < 4 * sqrt(want * (1 - want) / 400)
    # The book's threshold of 0.9 is one for J itself: as an estimate it misses half of the pairs at 0.9.
    assert chance_to_pass(0.9, need=180) == pytest.approx(0.54, abs=0.02)


def test_c28_the_sorted_list_counts_what_brute_force_counts():
    rng = np.random.default_rng(28)
    hasher = MinHasher(200)
    sketches = np.stack([hasher.sketch(rng.integers(0, 30, rng.integers(1, 15))) for _ in range(25)])
    brute = {
        (i, j): int((sketches[i] == sketches[j]).sum())
        for i, j in combinations(range(25), 2)
        if (sketches[i] == sketches[j]).any()
    }
    assert counts_by_sorting(sketches) == brute
    assert {(i, j): round(e * 200) for i, j, e in pairs_by_sorting(sketches)} == brute


def test_c28_plain_sets_of_values_count_wrongly_in_a_small_universe():
    # Permutations of {0, 1, 2, 3}: the sets {0} and {1} have nothing in common, their values have.
    rows = np.array(
        [[p[0] for p in permutations(range(4))], [p[1] for p in permutations(range(4))]], np.uint64
    )
    assert counts_by_sorting(rows) == {}
    assert len(set(rows[0].tolist()) & set(rows[1].tolist())) == 4


def test_c29_clusters_are_the_components_and_a_chain_joins_what_is_unlike():
    words = [f"w{i}" for i in range(160)]
    texts = [" ".join(words[start : start + 100]) for start in range(0, 61, 5)]
    found = near_duplicates(texts, verify=True)
    graph = nx.Graph([(i, j) for i, j, _ in found.pairs])
    assert [set(c) for c in found.clusters] == list(nx.connected_components(graph))
    assert found.clusters == (tuple(range(13)),)
    ids = [shingle_ids(t) for t in texts]
    assert all(jaccard(a, b) >= 0.8 for a, b in pairwise(ids))
    assert jaccard(ids[0], ids[2]) >= 0.8 > jaccard(ids[0], ids[3])
    assert jaccard(ids[0], ids[12]) < 0.25
    sets = UnionFind(13)
    for i, j, _ in found.pairs:
        sets.union(i, j)
    assert sets.clusters() == found.clusters


@pytest.mark.parametrize(
    ("width", "low", "at_half", "at_four_fifths"), [(2, 1.0, 1.0, 1.0), (6, 0.0, 0.35, 1.0), (40, 0, 0, 0.05)]
)
def test_c30_super_shingles_drop_pairs_with_little_in_common(width, low, at_half, at_four_fifths):
    recalls = []
    for j in (0.2, 0.5, 0.8):
        sketches, _ = pairs_of_sketches(j, 200, np.random.default_rng(30))
        found = {(i, k) for i, k, _ in pairs_by_super_shingles(sketches, width)}
        recalls.append(sum((2 * x, 2 * x + 1) in found for x in range(200)) / 200)
    # Standard error of a share of 200: at most 0.035.
    assert recalls == sorted(recalls)
    assert recalls == pytest.approx([low, at_half, at_four_fifths], abs=0.12)


@pytest.mark.parametrize(("bands", "rows"), [(28, 7), (20, 10), (40, 5)])
def test_c31_bands_find_a_pair_along_the_s_curve(bands, rows):
    for j in (0.5, 0.7, 0.8):
        sketches, exact = pairs_of_sketches(j, 400, np.random.default_rng(31))
        found = {(i, k) for i, k, _ in pairs_by_bands(sketches, bands, rows)}
        share = sum((2 * x, 2 * x + 1) in found for x in range(400)) / 400
        want = float(band_chance(exact, bands, rows))
        assert abs(share - want) < 4 * sqrt(max(want * (1 - want), 0.005) / 400)


def test_c32_a_fingerprint_catches_exact_copies_alone():
    page = "High water at the old quay. Last changed on 3 May 2023."
    dated = page.replace("3 May", "4 May")
    assert exact_copies([page, dated, page]) == {2: 0}
    assert fingerprint(page) != fingerprint(dated)
    assert jaccard(shingle_ids(page), shingle_ids(dated)) > 0
    assert checksum("act on the map") == checksum("cat on the map")
    assert fingerprint("act on the map") != fingerprint("cat on the map")
    assert accidental_pairs(5e10) == pytest.approx(68, abs=0.5)


def test_c32_independent_samples_of_one_document_differ():
    text = " ".join(f"w{i}" for i in range(403))
    rng = np.random.default_rng(32)
    shared = [len(sampled_shingles(text, 40, rng) & sampled_shingles(text, 40, rng)) / 40 for _ in range(50)]
    assert np.mean(shared) == pytest.approx(0.1, abs=0.03)  # standard error 0.0067
    assert similarity(*MinHasher().sketch_texts([text, text])) == 1


def test_c33_rolling_equals_direct_and_false_hits_need_a_divisor():
    rng = np.random.default_rng(33)
    data = rng.bytes(60)
    p = random_prime(2**55, rng)
    numbers = [int.from_bytes(data[i : i + 9], "big") for i in range(52)]
    assert karp_rabin(data, 9, p).tolist() == [n % p for n in numbers]
    for small in (3, 101, 251):
        f = karp_rabin(data, 9, small).tolist()
        for (i, a), (j, b) in combinations(enumerate(numbers), 2):
            assert (f[i] == f[j]) == ((a - b) % small == 0)


def test_c33_the_bound_counts_primes_below_u_and_the_slide_s_is_exceeded():
    upper = 100
    primes = [n for n in range(upper) if is_prime(n)]
    difference = 2 * 3 * 5 * 7  # two strings of 8 bits can be this far apart
    a, b = bytes([difference]), bytes([0])
    hits = sum(karp_rabin(a, 1, p)[0] == karp_rabin(b, 1, p)[0] for p in primes)
    assert hits == 4
    assert hits / len(primes) == 0.16 > 8 / upper
    assert hits / len(primes) <= false_hit_bound(8, upper)
    assert len(primes) == 25 > upper / log(upper)
    for far in range(1, 256):  # no number of 8 bits has 8 prime divisors
        divisors = sum(far % p == 0 for p in primes)
        assert divisors < 8
        assert divisors / len(primes) <= false_hit_bound(8, upper)


def test_c33_the_update_takes_the_fingerprint_and_the_leading_one_is_lost():
    p, d, window, after = 101, 2, [1, 0, 1, 1, 0, 1, 1, 0], 1
    number = int("".join(map(str, window)), 2)
    f, h = number % p, d ** (len(window) - 1) % p
    shifted = int("".join(map(str, [*window[1:], after])), 2)
    assert (d * (f - window[0] * h) + after) % p == shifted % p
    # As printed, with A for f(A), each step works on a number of m bits, so that nothing is gained.
    assert (d * (number - window[0] * h) + after).bit_length() > p.bit_length()
    # The first digit was 1; that of the window one on is 0.
    assert window[0] == 1
    assert window[1] == 0


def linear_agreement(one, two, p):
    """The share of all permutations x → (a x + b) mod p whose minima of two sets agree."""
    a, b, x = np.ogrid[1:p, 0:p, 0:p]
    values = (a * x[:, :, : max(one | two) + 1] + b) % p
    return np.mean(values[:, :, sorted(one)].min(axis=2) == values[:, :, sorted(two)].min(axis=2))


def test_c34_linear_permutations_are_not_min_wise_independent():
    one, two = {0, 1, 2, 3}, {1, 2}
    assert jaccard(one, two) == 1 / 2
    assert linear_agreement(one, two, 5) == 1 / 2  # too few to tell
    assert linear_agreement(one, two, 7) == pytest.approx(10 / 21)
    assert linear_agreement(one, two, 11) == pytest.approx(5 / 11)
    assert linear_agreement(one, two, 1009) == pytest.approx(5 / 12, abs=1 / 1009)  # the limit for large p


def test_c34_a_multiplier_that_shares_a_factor_is_no_permutation():
    for n in (6, 7, 12):
        for a in range(1, n):
            assert (len({(a * x + 3) % n for x in range(n)}) == n) == (gcd(a, n) == 1)


def test_c34_the_bias_of_runs_is_seen_at_2000_permutations_and_gone_when_ids_are_hashed():
    one, two = np.arange(100, dtype=np.uint64), np.arange(25, 125, dtype=np.uint64)
    assert jaccard(one, two) == 0.6
    hasher = MinHasher(2000)
    raw = [(hasher.a[:, None] * ids + hasher.b[:, None]).min(axis=1) for ids in (one, two)]
    # Standard error 0.011 at 2,000 permutations, 0.035 at 200.
    assert abs(np.mean(raw[0] == raw[1]) - 0.525) < 4 * 0.011
    assert abs(np.mean(raw[0] == raw[1]) - 0.6) > 4 * 0.011
    assert 0.6 - 0.525 < 3 * 0.035
    assert abs(similarity(hasher.sketch(one), hasher.sketch(two)) - 0.6) < 4 * 0.011


def test_c35_bottom_k_is_unbiased_and_the_share_of_equal_values_is_not():
    rng = np.random.default_rng(35)
    k, runs, size = 50, 2000, 300
    fair, naive, naive_at_5, many = [], [], [], []
    for seed in range(runs):
        a, b = pair_of_sets(1 / 3, size, rng)
        one, two = bottom_k(a, k, seed), bottom_k(b, k, seed)
        fair.append(bottom_k_similarity(one, two, k))
        naive.append(len(np.intersect1d(one, two)) / k)
        naive_at_5.append(len(np.intersect1d(one[:5], two[:5])) / 5)
        if seed < 500:
            hasher = MinHasher(k, seed)
            many.append(similarity(hasher.sketch(a), hasher.sketch(b)))
    # Standard error of the mean: √(2/9 / 50 / 2000) = 0.0015.
    assert abs(np.mean(fair) - 1 / 3) < 0.006
    # Towards the share of A that is in B, 1/2, as k grows; standard errors 0.0015 and 0.005.
    assert np.mean(naive_at_5) == pytest.approx(0.41, abs=0.02)
    assert np.mean(naive) == pytest.approx(0.476, abs=0.006)
    without_putting_back = 2 / 9 / k * (size - k) / (size - 1)
    assert np.var(fair) == pytest.approx(without_putting_back, rel=0.15)  # its own error: 3.2%
    assert np.var(many) == pytest.approx(2 / 9 / k, rel=0.28)  # 6.3%
    assert np.var(fair) < np.var(many)


def test_c35_fixed_ratio_sketches_and_multisets():
    # Those ids whose hash ends in three zero bits: a size that follows the document's, and no bias either.
    rng = np.random.default_rng(36)
    hasher = MinHasher(1)
    estimates = []
    for _ in range(500):
        sets = pair_of_sets(1 / 3, 300, rng)
        kept = [set(ids[hasher.permuted(ids) < np.uint64(2**61)].tolist()) for ids in sets]
        estimates.append(jaccard(*kept))
    assert abs(np.mean(estimates) - 1 / 3) < 4 * sqrt(2 / 9 / 37 / 500)
    # Counted with repeats, a text and its repetition are half alike; as sets they are the same.
    once, twice = ["a", "b", "c"], ["a", "b", "c"] * 2
    counted = (Counter(once) & Counter(twice)).total() / (Counter(once) | Counter(twice)).total()
    assert counted == 0.5
    assert jaccard(once, twice) == 1


def test_c36_gaussian_planes_agree_with_a_chance_of_one_minus_theta_over_pi():
    for degrees in (10, 45, 90, 150):
        theta = np.radians(degrees)
        bits = hyperplane_bits([[1, 0], [np.cos(theta), np.sin(theta)]], 10_000, degrees)
        # Standard error at most 0.005.
        assert np.mean(bits[0] == bits[1]) == pytest.approx(1 - theta / np.pi, abs=0.02)


def agreement_of_simhashes(one, two, runs, rng):
    """The share of equal bits of two weightings of the same features, over random hashes of these."""
    equal = 0
    for _ in range(runs):
        hashes = rng.integers(0, 2**64, len(one), dtype=np.uint64)
        equal += 64 - hamming(simhash_of(hashes, one), simhash_of(hashes, two))
    return equal / (64 * runs)


def test_c36_hash_bits_come_near_that_unless_one_word_outweighs_the_rest():
    # 20,000 bits or more: standard error at most 0.0036.
    rng = np.random.default_rng(37)
    one, two = np.ones(60), np.ones(60)
    one[:15] = two[-15:] = 0  # 30 of 45 features shared, cosine 2/3
    planes = 1 - np.arccos(2 / 3) / np.pi
    assert agreement_of_simhashes(one, two, 400, rng) == pytest.approx(planes, abs=0.02)
    one[30] = two[30] = 1000
    cosine = (one @ two) / sqrt((one @ one) * (two @ two))
    assert 1 - np.arccos(cosine) / np.pi < 1
    assert agreement_of_simhashes(one, two, 50, rng) == 1
    one, two = np.array([3.0, 1.0, 1.0]), np.array([1.0, 3.0, 1.0])  # each is its heaviest word's hash
    cosine = 7 / 11
    planes = 1 - np.arccos(cosine) / np.pi
    assert agreement_of_simhashes(one, two, 400, rng) == pytest.approx(0.5, abs=0.02)
    assert planes > 0.7


def test_c36_a_sum_of_zero_is_left_open():
    assert bit_sums([12, 10], bits=4).tolist() == [-2, 0, 0, 2]
    assert simhash_of([12, 10], bits=4) == 0b1000  # here a zero gives 0; with 1 it would be 14


def test_c37_without_shared_tags_unrelated_pages_are_less_alike():
    frame = "<html><head><title>{0}</title></head><body class=page><p id=main>{0}</p></body></html>"
    one = frame.format("the ferry leaves at nine")
    two = frame.format("fish is sold on the quay")
    before = jaccard(shingle_ids(one), shingle_ids(two))
    after = jaccard(shingle_ids(one, strip=[without_tags]), shingle_ids(two, strip=[without_tags]))
    assert before > 0.1 > after == 0


def test_c37_without_integers_copies_with_another_date_are_more_alike():
    page = "high water at {} on the {} of May, at the old quay the tide is {} metres, so mind the steps"
    one, two = page.format(715, 3, 4), page.format(803, 4, 5)
    before = jaccard(shingle_ids(one), shingle_ids(two))
    after = jaccard(shingle_ids(one, strip=[without_integers]), shingle_ids(two, strip=[without_integers]))
    assert before < 0.4
    assert after == 1
