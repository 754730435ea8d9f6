"""Rules for every test and doctest: loopback only, no sleeping by our own code, our warnings are errors."""

import os
import shutil
import sys
import time

import hypothesis
import pytest

from ircourse.notebooks.loopback import keep_to_loopback

os.environ["IRCOURSE_STRICT"] = "1"
os.environ.setdefault("MPLBACKEND", "agg")
hypothesis.settings.register_profile("course", derandomize=True, deadline=None, max_examples=100)
hypothesis.settings.load_profile("course")

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

keep_to_loopback()


@pytest.fixture(autouse=True)
def no_sleeping(monkeypatch):
    """Fail a test in which our own code sleeps; libraries may poll as they like."""
    sleep = time.sleep

    def guarded_sleep(seconds):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        assert not caller.startswith(("ircourse", "tests", "test_")), (
            f"{caller} sleeps: wait on an event with a deadline"
        )
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", guarded_sleep)


@pytest.fixture(scope="session")
def chromium():
    """A Chromium without a window; without one the tests are skipped, or fail where CI is set."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        say = "No Chromium was found: install it (Debian: apt-get install chromium) to run the browser tests."
        (pytest.fail if os.environ.get("CI") else pytest.skip)(say)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
