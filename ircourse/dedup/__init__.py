"""Near-duplicates: fingerprints, shingles, sketches, pairs, clusters, SimHash (book, section 19.6)."""

from ircourse.dedup.bottom import bottom_k, bottom_k_similarity
from ircourse.dedup.clusters import Duplicates, near_duplicates
from ircourse.dedup.fingerprints import (
    accidental_pairs,
    checksum,
    edit_distance,
    exact_copies,
    fingerprint,
    sampled_shingles,
)
from ircourse.dedup.minhash import MinHasher, Stage, similarity, splitmix64
from ircourse.dedup.pairs import (
    Capped,
    Pair,
    Pairs,
    band_chance,
    bands_for,
    counts_by_sorting,
    pairs_by_bands,
    pairs_by_sorting,
    pairs_by_super_shingles,
)
from ircourse.dedup.rolling import false_hit_bound, is_prime, karp_rabin, karp_rabin_find, random_prime
from ircourse.dedup.shingles import (
    common_lines,
    jaccard,
    shingle_id,
    shingle_ids,
    shingles,
    without_integers,
    without_lines,
    without_tags,
)
from ircourse.dedup.simhash import SimHashIndex, bit_sums, hamming, hyperplane_bits, simhash, simhash_of
from ircourse.dedup.union import UnionFind

__all__ = [
    "Capped",
    "Duplicates",
    "MinHasher",
    "Pair",
    "Pairs",
    "SimHashIndex",
    "Stage",
    "UnionFind",
    "accidental_pairs",
    "band_chance",
    "bands_for",
    "bit_sums",
    "bottom_k",
    "bottom_k_similarity",
    "checksum",
    "common_lines",
    "counts_by_sorting",
    "edit_distance",
    "exact_copies",
    "false_hit_bound",
    "fingerprint",
    "hamming",
    "hyperplane_bits",
    "is_prime",
    "jaccard",
    "karp_rabin",
    "karp_rabin_find",
    "near_duplicates",
    "pairs_by_bands",
    "pairs_by_sorting",
    "pairs_by_super_shingles",
    "random_prime",
    "sampled_shingles",
    "shingle_id",
    "shingle_ids",
    "shingles",
    "simhash",
    "simhash_of",
    "similarity",
    "splitmix64",
    "without_integers",
    "without_lines",
    "without_tags",
]
