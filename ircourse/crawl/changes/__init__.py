"""Freshness: how stale copies get, how often to visit pages, how often they change (section 20.1.2)."""

from ircourse.crawl.changes.change_rates import (
    RateEstimate,
    naive_rate,
    rate_from_dates,
    rate_from_regular_visits,
    rate_from_visits,
)
from ircourse.crawl.changes.formulas import age, freshness, mean_age, mean_freshness
from ircourse.crawl.changes.policies import (
    PolicyMeans,
    policy_means,
    proportional_rates,
    revisit_rates,
    revisit_rates_for_age,
    revisit_threshold,
    uniform_rates,
)
from ircourse.crawl.changes.priorities import stale_priority, visit_by_priority, visit_priority
from ircourse.crawl.changes.simulation import Measured, Visit, measure, simulate_visits

__all__ = [
    "Measured",
    "PolicyMeans",
    "RateEstimate",
    "Visit",
    "age",
    "freshness",
    "mean_age",
    "mean_freshness",
    "measure",
    "naive_rate",
    "policy_means",
    "proportional_rates",
    "rate_from_dates",
    "rate_from_regular_visits",
    "rate_from_visits",
    "revisit_rates",
    "revisit_rates_for_age",
    "revisit_threshold",
    "simulate_visits",
    "stale_priority",
    "uniform_rates",
    "visit_by_priority",
    "visit_priority",
]
