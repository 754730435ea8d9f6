"""A planner of a crawl and its index, from 10^6 to 10^11 pages (sections 20.1 to 20.4, slides-P, slides-C).

`plan` says what a crawl takes, part by part, `cycles` what it takes every 1 to 4 weeks, `line_pages_a_day`
what a line brings; `sizes` and `limits` say what breaks first and what was done about it; `server_day` moves
servers between crawling and answering. All are arithmetic on `Constants`; `measured` puts this machine's
speeds in.
"""

from ircourse.distribute.planner_constants import T3_BITS, Constant, Constants
from ircourse.distribute.planner_hours import Hour, ServerDay, server_day
from ircourse.distribute.planner_limits import SIZES, Limit, Size, limits, sizes
from ircourse.distribute.planner_measured import measured
from ircourse.distribute.planner_parts import cycles, line_pages_a_day, plan
from ircourse.distribute.planner_plan import MONTH_WEEKS, Part, Plan

__all__ = [
    "MONTH_WEEKS",
    "SIZES",
    "T3_BITS",
    "Constant",
    "Constants",
    "Hour",
    "Limit",
    "Part",
    "Plan",
    "ServerDay",
    "Size",
    "cycles",
    "limits",
    "line_pages_a_day",
    "measured",
    "plan",
    "server_day",
    "sizes",
]
