"""Index size: engines with limits, samplers, bias and its removal, capture–recapture (book, section 19.5)."""

from ircourse.indexsize.bias import (
    QueryBias,
    effective_size,
    importance_weights,
    query_bias,
    rejection_sample,
)
from ircourse.indexsize.checking import (
    has_by_phrase,
    has_by_terms,
    rare_phrase,
    rare_terms,
    sample_dictionary,
)
from ircourse.indexsize.document_walk import (
    DocumentStep,
    document_walk,
    document_walk_steps,
    word_pairs,
)
from ircourse.indexsize.engine import NoAnswer, Refused, Searchable, SearchEngine, TimedOut, ask
from ircourse.indexsize.metropolis import distances, lazy, metropolis_hastings, mixing_time, walk_matrix
from ircourse.indexsize.samplers import SurveyFailed, random_queries, random_searches
from ircourse.indexsize.sizes import (
    Estimate,
    chapman,
    lincoln_petersen,
    normal_interval,
    profile_interval,
    relative_size,
    share_held,
)
from ircourse.indexsize.survey import (
    Checked,
    RelativeSize,
    bootstrap,
    bootstrap_relative_size,
    checked_sample,
    estimate_relative_size,
    size_ratio,
)
from ircourse.indexsize.web_samplers import page_chances, random_ips, random_walk, servers_by_address

__all__ = [
    "Checked",
    "DocumentStep",
    "Estimate",
    "NoAnswer",
    "QueryBias",
    "Refused",
    "RelativeSize",
    "SearchEngine",
    "Searchable",
    "SurveyFailed",
    "TimedOut",
    "ask",
    "bootstrap",
    "bootstrap_relative_size",
    "chapman",
    "checked_sample",
    "distances",
    "document_walk",
    "document_walk_steps",
    "effective_size",
    "estimate_relative_size",
    "has_by_phrase",
    "has_by_terms",
    "importance_weights",
    "lazy",
    "lincoln_petersen",
    "metropolis_hastings",
    "mixing_time",
    "normal_interval",
    "page_chances",
    "profile_interval",
    "query_bias",
    "random_ips",
    "random_queries",
    "random_searches",
    "random_walk",
    "rare_phrase",
    "rare_terms",
    "rejection_sample",
    "relative_size",
    "sample_dictionary",
    "servers_by_address",
    "share_held",
    "size_ratio",
    "walk_matrix",
    "word_pairs",
]
