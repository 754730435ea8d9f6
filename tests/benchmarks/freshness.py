"""Benchmark of revisit rates: ``python tests/benchmarks/freshness.py [pages]``.

``revisit_rates`` over 10^6 pages with change rates as webs have them, and with several budgets; then beside
SciPy's general optimisers, on as many pages as they manage in seconds, with the mean freshness that each
reaches. Prints the best of a few runs on the wall and on the processors. Nothing is asserted.
"""

import math
import sys
import time
from pathlib import Path

import numpy as np
from scipy.optimize import LinearConstraint, minimize

sys.path.insert(0, str(Path(__file__).parents[2]))

from ircourse.crawl import (
    mean_freshness,
    policy_means,
    proportional_rates,
    revisit_rates,
    revisit_rates_for_age,
    uniform_rates,
    visit_priority,
)
from ircourse.crawl.changes.formulas import freshness


def best_of(repeats, function):
    """Return the least wall and processor seconds of a call, and what the last call returned."""
    wall = processor = float("inf")
    for _ in range(repeats):
        start, started = time.perf_counter(), time.process_time()
        result = function()
        wall = min(wall, time.perf_counter() - start)
        processor = min(processor, time.process_time() - started)
    return wall, processor, result


def web_of(n):
    """Return change rates a day: the median monthly, a few pages many times a day."""
    return np.random.default_rng(53).lognormal(math.log(1 / 30), 2.0, n)


def by_optimiser(method, rates, budget):
    """Return the rates that a general optimiser finds, its gradient given, from equal visits."""
    n = len(rates)

    def cost(visits):
        return -float(np.mean(mean_freshness(rates, 1 / visits)))

    def slope(visits):
        return -(mean_freshness(rates, 1 / visits) - freshness(rates, 1 / visits)) / visits / n

    if method == "SLSQP":
        constraint = {"type": "eq", "fun": lambda f: f.sum() - budget, "jac": lambda f: np.ones(n)}
    else:
        constraint = LinearConstraint(np.ones(n), budget, budget)
    options = {"maxiter": 1000, "ftol": 1e-12} if method == "SLSQP" else {"maxiter": 2000}
    start = np.full(n, budget / n)
    bounds = [(1e-9 * budget / n, budget)] * n
    return minimize(
        cost, start, jac=slope, method=method, bounds=bounds, constraints=[constraint], options=options
    ).x


def beside_optimisers():
    """Print times and the freshness reached, ours and SciPy's."""
    for n, methods in (30, ("SLSQP", "trust-constr")), (100, ("SLSQP",)):
        rates, budget = web_of(n), 0.1 * n
        wall, _, ours = best_of(5, lambda rates=rates, budget=budget: revisit_rates(rates, budget))
        print(f"{n} pages: {wall * 1e3:8.2f} ms, freshness {policy_means(rates, ours).freshness:.9f}")
        for method in methods:
            theirs, _, found = best_of(1, lambda m=method, r=rates, b=budget: by_optimiser(m, r, b))
            value = policy_means(rates, np.maximum(found, 0) * (budget / found.sum())).freshness
            print(
                f"  SciPy's {method:12} {theirs * 1e3:8.0f} ms, freshness {value:.9f}, "
                f"{theirs / wall:,.0f} times ours"
            )


def main(arguments):
    """Run all."""
    n = int(arguments[0]) if arguments else 10**6
    revisit_rates([1.0, 2.0], 1.0), revisit_rates_for_age([1.0, 2.0], 1.0)
    rates = web_of(n)
    for share in (0.01, 0.1, 1.0, 100.0):
        wall, processor, visits = best_of(3, lambda share=share: revisit_rates(rates, share * n))
        print(
            f"{n:,} pages, {share:6} visits a page a day: {wall:.2f} s ({processor:.2f} s of processors), "
            f"freshness {policy_means(rates, visits).freshness:.4f}, {np.mean(visits == 0):.2%} never visited"
        )
    wall, processor, visits = best_of(3, lambda: revisit_rates_for_age(rates, 0.1 * n))
    print(f"  for age, 0.1 a page a day: {wall:.2f} s ({processor:.2f} s of processors)")
    for name, policy in (
        ("equal", uniform_rates),
        ("proportional", proportional_rates),
        ("age", revisit_rates_for_age),
    ):
        means = policy_means(rates, policy(rates, 0.1 * n))
        print(f"  {name:12} at 0.1: freshness {means.freshness:.4f}, age {means.age:.3f} days")
    wall, _, _ = best_of(3, lambda: visit_priority(rates, 7.0))
    print(f"{n:,} priorities: {wall:.2f} s")
    beside_optimisers()


if __name__ == "__main__":
    main(sys.argv[1:])
