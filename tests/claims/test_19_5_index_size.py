"""Claims C14 to C22: relative size, samplers and their biases, capture–recapture, the document walk."""

from fractions import Fraction
from functools import cache, partial
from itertools import combinations, islice, pairwise
from math import sqrt

import numpy as np
import pytest

from ircourse.graphs import Graph
from ircourse.indexsize import (
    Checked,
    SearchEngine,
    SurveyFailed,
    chapman,
    checked_sample,
    distances,
    document_walk_steps,
    effective_size,
    estimate_relative_size,
    has_by_phrase,
    has_by_terms,
    importance_weights,
    lazy,
    mixing_time,
    normal_interval,
    page_chances,
    profile_interval,
    query_bias,
    random_ips,
    random_queries,
    random_walk,
    rejection_sample,
    relative_size,
    sample_dictionary,
    servers_by_address,
    share_held,
    size_ratio,
    walk_matrix,
)

WORDS = [f"w{i:02}" for i in range(30)]


def small_web(n=40, seed=15):
    """n texts of 3 to 20 different words of 30, and which text holds which word."""
    rng = np.random.default_rng(seed)
    holds = np.zeros((n, len(WORDS)), bool)
    for row in holds:
        row[rng.choice(len(WORDS), int(rng.integers(3, 21)), replace=False)] = True
    return [" ".join(np.array(WORDS)[row]) for row in holds], holds


def exact_bias(holds, limit=10**9):
    """Σ 1 / card(q), and the number, of the pairs that each text and fewer than ``limit`` answer."""
    chance, queries = np.zeros(len(holds)), np.zeros(len(holds))
    for i, j in combinations(range(holds.shape[1]), 2):
        answers = holds[:, i] & holds[:, j]
        if 0 < answers.sum() < limit:
            chance[answers] += 1 / answers.sum()
            queries[answers] += 1
    return chance, queries


def worst_error(docs, p):
    """The largest distance between the share of draws of a page and its chance p, in standard errors."""
    shares = np.bincount(docs, minlength=len(p)) / len(docs)
    return np.abs((shares - p) / np.sqrt(p * (1 - p) / len(docs))).max()


def test_c14_the_relative_size_is_the_ratio_of_the_overlap_fractions():
    assert relative_size(Fraction(30, 100), Fraction(50, 100)) == Fraction(5, 3)
    a, b = range(500), range(350, 650)  # 150 in both
    assert (share_held(a, b), share_held(b, a)) == (0.3, 0.5)
    assert relative_size(share_held(a, b), share_held(b, a)) == pytest.approx(500 / 300)
    # 20,000 uniform draws of each: standard error of log(y / x) is √(0.7/0.3/20,000 + 1/20,000) = 0.013.
    rng = np.random.default_rng(14)
    x = share_held(rng.integers(0, 500, 20_000).tolist(), b)
    y = share_held(rng.integers(350, 650, 20_000).tolist(), a)
    assert abs(np.log(relative_size(x, y) / (5 / 3))) < 4 * 0.013


def test_c15_random_conjunctive_queries_favour_long_documents_by_the_sum_of_inverse_counts():
    texts, holds = small_web()
    engine = SearchEngine(texts, top=30)
    chance, queries = exact_bias(holds, 30)
    found = [query_bias(engine, page, WORDS) for page in range(len(texts))]
    assert [bias.chance for bias in found] == pytest.approx(chance)
    assert [bias.queries for bias in found] == queries.tolist()
    assert np.corrcoef(holds.sum(axis=1), chance)[0, 1] > 0.95

    # 4,000 draws over 40 pages: the worst of 40 shares is within 4.5 standard errors (chance of more: 3e-4).
    drawn = random_queries(engine, 4000, 1, dictionary=WORDS, top=None)
    assert worst_error(drawn, chance / chance.sum()) < 4.5
    assert worst_error(drawn, np.full(40, 1 / 40)) > 10
    by_count = random_queries(engine, 2000, 2, dictionary=WORDS, top=None, by_count=True)
    assert worst_error(by_count, queries / queries.sum()) < 4.5

    # What weighting leaves of the bias: largest over least expected weight of a page.
    def spread(expected):
        return expected.max() / expected.min()

    assert spread(chance) > 30
    assert spread(chance * importance_weights(chance)) == pytest.approx(1)
    assert spread(queries * importance_weights(queries)) == pytest.approx(1)  # each accepted by its count
    assert spread(chance * importance_weights(queries)) > 1.3  # not accepted so: a bias stays


def test_c15_queries_that_overflow_the_limit_are_rejected():
    texts, holds = small_web()
    engine = SearchEngine(texts, top=8)
    chance, _ = exact_bias(holds, 8)
    assert not np.allclose(chance, exact_bias(holds)[0])
    found = [query_bias(engine, page, WORDS).chance for page in range(len(texts))]
    assert found == pytest.approx(chance)


def test_c16_the_top_results_favour_what_ranks_high_and_all_results_cost_more():
    texts, holds = small_web()
    engine = SearchEngine(texts, per_page=5)
    top, places, answered = np.zeros(40), np.zeros(40), np.zeros(40)
    for pair in combinations(WORDS, 2):
        answer = engine.search(pair)
        top[answer[:5]] += 1 / max(1, len(answer[:5]))
        places[answer] += np.arange(len(answer)) / max(1, len(answer) - 1)
        answered[answer] += 1
    chance, _ = exact_bias(holds)
    favour = (top / top.sum()) / (chance / chance.sum())  # of the top 5 over all, by page
    assert np.corrcoef(favour, places / answered)[0, 1] < -0.9  # the higher it ranks, the more
    assert favour.max() > 1.7 and favour.min() < 0.5
    costs = []
    for count in (5, None):
        before = engine.requests
        random_queries(engine, 500, 3, dictionary=WORDS, top=count)
        costs.append(engine.requests - before)
    assert costs[1] > 1.5 * costs[0]


def hosts_of_sizes():
    """Pages by host: 20 hosts of 1, 10 of 10, 2 of 100, and 30 of 10 that share 3 addresses."""
    sizes = [1] * 20 + [10] * 10 + [100] * 2 + [10] * 30
    hosts = [f"h{h:02}.example" for h, size in enumerate(sizes) for _ in range(size)]
    addresses = {f"h{h:02}.example": h if h < 32 else 32 + (h - 32) // 10 for h in range(62)}
    return hosts, addresses


def test_c17_random_addresses_favour_small_hosts_and_miss_virtual_ones():
    hosts, addresses = hosts_of_sizes()
    servers = servers_by_address(hosts, addresses)
    size = np.array([hosts.count(host) for host in hosts])
    engine = SearchEngine(["x"] * len(hosts))
    draw = partial(random_ips, servers=servers, addresses=64, has=lambda engine, page: True)
    drawn = draw(engine, 20_000, 17)
    seen = np.isin(np.arange(len(hosts)), [page for pages in servers.values() for page in pages])
    # 35 servers answer, and a page of one with s pages comes with chance 1 / (35 s): 20,000 draws, 350 pages.
    number = np.cumsum(seen) - 1
    assert worst_error(number[drawn], 1 / (35 * size[seen])) < 4.5
    assert worst_error(number[drawn], np.full(350, 1 / 350)) > 20
    chances = page_chances(servers)
    assert all(chances[page] == 1 / size[page] for page in chances)
    weights = importance_weights([chances[page] for page in drawn.tolist()])
    big = size[drawn] == 100
    truth = size[seen] == 100
    # Raw share of the big hosts' pages 2/35, weighted 200/350; standard errors 0.002 and about 0.009.
    assert big.mean() == pytest.approx(2 / 35, abs=4 * 0.002)
    assert weights[big].sum() / weights.sum() == pytest.approx(truth.mean(), abs=4 * 0.009)
    # Of the 300 pages on virtual hosts 30 can be drawn: no weight brings back the others.
    assert (~seen).sum() == 270
    assert seen[drawn].all()
    virtual = np.arange(len(hosts)) >= 320
    estimated = weights[virtual[drawn]].sum() / weights.sum()
    assert estimated < 0.12 < 0.48 < virtual.mean()


def test_c18_a_walk_on_links_is_uniform_only_as_corrected_and_given_time():
    rng = np.random.default_rng(18)
    pairs = {(int(i), int(rng.integers(i))) for i in range(1, 30)} | {
        tuple(sorted(rng.choice(12, 2, replace=False).tolist(), reverse=True)) for _ in range(25)
    }
    graph = Graph.from_edges(sorted({*pairs, *((v, u) for u, v in pairs)}), nodes=range(30))
    plain, corrected = walk_matrix(graph), walk_matrix(graph, uniform=True)
    uniform = np.full(30, 1 / 30)
    by_links = graph.out_degrees / graph.n_edges
    assert by_links @ plain == pytest.approx(by_links)
    assert uniform @ corrected == pytest.approx(uniform)
    assert mixing_time(plain, uniform) is None
    steps = mixing_time(corrected, uniform)
    assert 20 < steps < 2000
    at = [
        max(next(islice(distances(corrected, uniform, s), t, None)) for s in range(30))
        for t in (steps - 1, steps)
    ]
    assert at[1] <= 0.01 < at[0]
    # 3,000 pages, far apart: the worst of 30 shares within 4.5 standard errors.
    engine = SearchEngine(["x"] * 30)
    walk = partial(random_walk, graph=graph, start=29, has=lambda engine, page: True, burn_in=200, between=15)
    assert worst_error(walk(engine, 3000, 1), by_links) < 4.5
    assert worst_error(walk(engine, 3000, 1), uniform) > 10
    assert worst_error(walk(engine, 3000, 2, uniform=True), uniform) < 4.5


def test_c18_on_the_two_cycle_neither_walk_ever_settles():
    cycle = {0: [1], 1: [0]}
    for P in (walk_matrix(cycle), walk_matrix(cycle, uniform=True)):
        assert list(islice(distances(P, [0.5, 0.5], 0), 50)) == [0.5] * 50
        assert mixing_time(P, [0.5, 0.5]) is None
        assert mixing_time(lazy(P), [0.5, 0.5]) == 1


def test_c18_one_way_links_catch_the_walk_and_leave_no_correction():
    # Pages 0 to 9 in a ring, 10 to 12 link to one another alone; page 5 leads there.
    web = {i: [(i + 1) % 10] for i in range(10)} | {10: [11, 12], 11: [10, 12], 12: [10]}
    web[5] = [6, 10]
    a, b = SearchEngine(["x"] * 13), SearchEngine(["x"] * 13, range(10))
    walk = partial(random_walk, graph=web, start=0, has=lambda engine, page: page in engine.members)
    assert set(walk(a, 100, 1, burn_in=200).tolist()) == {10, 11, 12}
    with pytest.raises(SurveyFailed):
        walk(b, 2, 1, burn_in=200)
    with pytest.raises(ValueError, match="one way only"):
        walk(a, 1, 1, uniform=True)
    # Where links lead both ways but the graph is in two parts, the corrected walk is uniform over one.
    parts = {i: [(i - 1) % 5, (i + 1) % 5, (i + 2) % 5, (i - 2) % 5] for i in range(5)} | {5: [6], 6: [5]}
    drawn = random_walk(a, 2000, 1, graph=parts, start=0, has=lambda *_: True, between=4, uniform=True)
    assert worst_error(drawn, np.array([0.2] * 5)) < 4.5


def coverage(interval, recaptures, surveys=1000, size=10_000):
    """The share of surveys whose interval covers the true size, with so many recaptures expected."""
    n = round(sqrt(recaptures * size))
    counts = np.random.default_rng(19).hypergeometric(n, size - n, n, surveys).tolist()
    estimates = {both: interval(n, n, both) for both in sorted(set(counts))}
    return np.mean([estimates[both].low <= size <= estimates[both].high for both in counts])


def test_c19_the_log_normal_interval_covers_and_the_normal_one_falls_short():
    # 1,000 surveys each: the standard error of a coverage of 0.95 is 0.007, of 0.8 it is 0.013.
    assert coverage(chapman, 100) >= 0.93
    assert coverage(profile_interval, 100) >= 0.93
    normal = [coverage(normal_interval, recaptures) for recaptures in (4, 10, 25)]
    assert normal[0] < 0.82 and normal[1] < 0.90 and normal[2] < 0.93
    assert normal == sorted(normal)
    assert all(
        coverage(interval, recaptures) > short + 0.02
        for interval in (chapman, profile_interval)
        for recaptures, short in zip((4, 10, 25), normal, strict=True)
    )
    assert all(coverage(profile_interval, recaptures) >= 0.93 for recaptures in (4, 10, 25))


@pytest.fixture(scope="module")
def prose():
    """300 texts of 40 words of 400, by Zipf's law; the even ones are held by B, which is 0.5 of them."""
    rng = np.random.default_rng(20)
    p = 1 / np.arange(1, 401)
    words = np.array([f"v{i:03}" for i in range(400)])
    return [" ".join(words[rng.choice(400, 40, p=p / p.sum())]) for _ in range(300)]


def share_found(texts, has, tries=3, careless=True, **limits):
    """The share of all pages that a B of the even ones with these limits is found to hold."""
    b = SearchEngine(texts, range(0, len(texts), 2), **limits)
    every = lambda engine, n, rng: np.arange(n)  # noqa: E731
    has = partial(has, frequencies=sample_dictionary(texts[::10]), tries=tries)
    sample = checked_sample(SearchEngine(texts), b, every, len(texts), has=has, careless=careless)
    return sample.share, b, sample


def test_c20_checks_under_count_where_long_queries_fail(prose):
    assert share_found(prose, has_by_terms)[0] == 0.5
    assert share_found(prose, has_by_terms, max_terms=5)[0] == 0  # nothing is found: A seems without end
    assert share_found(prose, partial(has_by_terms, terms=5), max_terms=5)[0] > 0.45
    # An engine that leaves out the words beyond the fifth shows more pages, and the right one may drop out.
    assert share_found(prose, has_by_terms, max_terms=5, cuts=True)[0] == 0.5
    assert share_found(prose, has_by_terms, max_terms=1, cuts=True, top=3)[0] < 0.45
    # Phrases are shorter and behave better.
    assert share_found(prose, has_by_phrase, max_terms=5)[0] == 0.5


def test_c20_refusals_and_time_outs_under_count_unless_they_are_told_apart(prose):
    # B is refused a share x of its pages: |A| / |B| = 1 / x comes out above the true 2.
    share, b, _ = share_found(prose, has_by_terms, tries=1, per_minute=60, seconds=0.5)
    assert share < 0.3
    assert relative_size(share, 1) > 3
    assert b.clock.now() < 60 * 2
    assert share_found(prose, has_by_terms, tries=2, per_minute=60, seconds=0.5)[0] == 0.5
    assert share_found(prose, has_by_terms, tries=1, careless=False, per_minute=60, seconds=0.5)[0] > 0.45
    # 20% of 300 checks time out: the share falls to 0.4, give or take √(150 · 0.2 · 0.8) / 300 = 0.016.
    assert share_found(prose, has_by_terms, tries=1, timeouts=0.2)[0] == pytest.approx(0.4, abs=4 * 0.016)
    share, _, sample = share_found(prose, has_by_terms, tries=1, careless=False, timeouts=0.2)
    assert share == pytest.approx(0.5, abs=4 * 0.016)  # left out: 240 checks, no bias
    assert sample.unanswered == pytest.approx(60, abs=4 * 7)


def test_c20_one_result_a_host_favours_pages_of_small_hosts():
    # 40 pages on one host, held by A and by B, and 40 on hosts of their own, held by A: |A| / |B| = 2.
    rng = np.random.default_rng(20)
    words = [f"w{i:02}" for i in range(12)]
    texts = [" ".join(rng.choice(words, 6, replace=False)) for _ in range(80)]
    hosts = ["large.example"] * 40 + [f"h{i}.example" for i in range(40)]
    found = {}
    for per_host in (None, 1):
        a, b = (SearchEngine(texts, m, hosts=hosts, per_host=per_host) for m in (range(80), range(40)))
        sampler = partial(random_queries, dictionary=words, top=None)
        held = lambda engine, page: page in engine.members  # noqa: E731
        found[per_host] = estimate_relative_size(a, b, sampler, 1000, 1, has=held)
    # 1,000 draws of A: the share of 0.5 has a standard error of 0.016, 3.2% of the ratio.
    assert found[None].size == pytest.approx(2, rel=0.25)
    assert found[1].low > 4


def test_c20_a_general_dictionary_misses_pages_in_other_words():
    # A holds 40 general and 40 technical pages, B the general ones alone: |A| / |B| = 2. Of the technical
    # ones 10 have three general words, the others none. Draws are weighted by the inverse of Σ 1 / card(q).
    rng = np.random.default_rng(20)
    general, jargon = [f"g{i:02}" for i in range(20)], [f"j{i:02}" for i in range(20)]
    plain = [" ".join(rng.choice(general, 6, replace=False)) for _ in range(40)]
    mixed = [rng.choice(general, 3, replace=False).tolist() for _ in range(10)] + [[]] * 30
    technical = [" ".join([*words, *rng.choice(jargon, 6 - len(words), replace=False)]) for words in mixed]
    texts = plain + technical
    a, b = SearchEngine(texts), SearchEngine(texts, range(40))
    has = partial(has_by_terms, frequencies={}, terms=6)
    sizes = {}
    for name, words in (("sampled", general + jargon), ("general", general)):
        sampler = partial(random_queries, dictionary=words, top=None)
        chance = lambda engine, page, words=words: query_bias(engine, page, words).chance  # noqa: E731
        sizes[name] = estimate_relative_size(a, b, sampler, 1000, 1, has=has, chance=chance)
    # Of 1,000 draws of A, worth over 500 of equal weight, a share of 0.5 has a standard error of at most
    # 0.022: 4.5% of the ratio.
    assert effective_size(sizes["sampled"].a.weights) > 500
    assert sizes["sampled"].size == pytest.approx(2, rel=4 * 0.045)
    assert sizes["general"].high < 1.6
    # No weight helps: the pages that no query of the dictionary finds are not in the sample.
    assert set(sizes["general"].a.docs.tolist()) <= set(range(50))


@cache
def population(n=2000, seed=21):
    """Chances of a length-biased sampler over A and over B, B holding the longer half of A and 500 others."""
    chance = np.exp(np.random.default_rng(seed).normal(0, 0.7, n + 500))
    longer = np.argsort(-chance[:n])[: n // 2]
    in_b = np.zeros(n + 500, bool)
    in_b[longer] = in_b[n:] = True
    in_a = np.arange(n + 500) < n
    return chance, in_a, in_b


def surveyed(n, method, rng):
    """|A| / |B| from n draws of each in proportion to the chance."""
    chance, in_a, in_b = population()
    samples = []
    for here, there in ((in_a, in_b), (in_b, in_a)):
        pages = np.flatnonzero(here)
        docs = rng.choice(pages, n, p=chance[pages] / chance[pages].sum())
        weights = np.ones(n)
        if method == "importance":
            weights = importance_weights(chance[docs])
        elif method == "rejection":
            docs = rejection_sample(docs, chance[docs], rng, least=chance.min())
            weights = np.ones(len(docs))
        samples.append(Checked(docs, weights, there[docs]))
    return size_ratio(*samples)


def errors(method, n, times, rng):
    """Root mean square of the error of log |A| / |B|, the mean width of log intervals, their coverage."""
    truth = 2000 / 1500
    found = [surveyed(n, method, rng) for _ in range(times)]
    rms = sqrt(np.mean([np.log(one.size / truth) ** 2 for one in found]))
    width = np.mean([np.log(one.high / one.low) for one in found])
    return rms, width, np.mean([one.low <= truth <= one.high for one in found])


@pytest.mark.parametrize(
    ("method", "sizes"), [("importance", (100, 1000, 10**4, 10**5)), ("rejection", (10**4, 10**5))]
)
def test_c21_a_corrected_sample_s_error_shrinks_by_the_root_of_n(method, sizes):
    # 60 surveys at each n: a root mean square is known to 1/√120 = 9%, so a ratio of two to 13%.
    rng = np.random.default_rng(21)
    results = [errors(method, n, 60, rng) for n in sizes]
    for (small, width, _), (large, wider_n, _) in pairwise(results):
        assert small / large == pytest.approx(sqrt(10), rel=0.45)
        assert width / wider_n == pytest.approx(sqrt(10), rel=0.2)
    assert all(covered >= 0.85 for _, _, covered in results)  # 0.95 · 60 = 57, standard error 1.7


def test_c21_more_samples_do_not_cure_bias():
    rng = np.random.default_rng(22)
    results = [errors("none", n, 40, rng) for n in (100, 1000, 10**4, 10**5)]
    widths = [width for _, width, _ in results]
    assert widths == pytest.approx([widths[0] / sqrt(10) ** k for k in range(4)], rel=0.15)
    rms = [error for error, _, _ in results]
    assert rms[2] == pytest.approx(rms[3], rel=0.05) and rms[3] > 0.1  # what stays is the bias
    assert [covered for _, _, covered in results][2:] == [0, 0]


def explicit_walks(holds):
    """The walk by queries, and that which takes neighbours in the graph of two shared words alike."""
    n = len(holds)
    by_queries, joined = np.zeros((n, n)), np.zeros((n, n))
    for i, j in combinations(range(holds.shape[1]), 2):
        both = np.flatnonzero(holds[:, i] & holds[:, j])
        if len(both):
            by_queries[np.ix_(both, both)] += 1 / len(both)
            joined[np.ix_(both, both)] = 1
    np.fill_diagonal(joined, 0)
    return by_queries / by_queries.sum(axis=1, keepdims=True), joined / joined.sum(axis=1, keepdims=True)


def settled(P):
    return np.linalg.matrix_power(P, 4096)[0]


def test_c22_the_walk_by_queries_is_that_of_the_weighted_graph_which_is_never_built():
    texts, holds = small_web(12, seed=22)
    engine = SearchEngine(texts)
    by_queries, to_neighbours = explicit_walks(holds)
    m = holds.sum(axis=1)
    pairs = m * (m - 1) / 2
    assert settled(by_queries) == pytest.approx(pairs / pairs.sum())
    assert np.diag(by_queries).min() > 0.05  # self-loops are kept
    assert settled(to_neighbours) == pytest.approx(
        (to_neighbours > 0).sum(axis=1) / (to_neighbours > 0).sum()
    )
    assert np.abs(settled(by_queries) - settled(to_neighbours)).sum() / 2 > 0.2
    # 8,000 steps of each walk: a row that was left k times is known to 0.5 / √k.
    corrected = by_queries * np.minimum(1, pairs[:, None] / pairs)
    corrected[np.diag_indices(12)] += 1 - corrected.sum(axis=1)
    assert np.full(12, 1 / 12) @ corrected == pytest.approx(np.full(12, 1 / 12))
    for uniform, walked, others in (
        (False, by_queries, (to_neighbours, corrected)),
        (True, corrected, (to_neighbours, by_queries)),
    ):
        counts = np.zeros((12, 12))
        for step in islice(document_walk_steps(engine, 22, start=0, uniform=uniform), 8000):
            counts[step.page, step.to] += 1
        left = counts.sum(axis=1, keepdims=True)
        near = 4.5 * 0.5 / np.sqrt(left)
        assert (np.abs(counts / left - walked) < near).all()
        assert not any((np.abs(counts / left - other) < near).all() for other in others)
