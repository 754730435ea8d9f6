"""Kernels for the tests, and what a page would load."""

import re
from html.parser import HTMLParser

import pytest

from ircourse.notebooks.kernel import kernel_folder


@pytest.fixture(scope="session")
def kernel():
    """The folder with the kernel that checks chapters."""
    with kernel_folder() as folder:
        yield folder


class Loads(HTMLParser):
    """Collects the addresses that a browser would fetch to show a page, those inside the page left out."""

    def __init__(self):
        super().__init__()
        self.found = []
        self.in_style = False

    def handle_starttag(self, tag, attrs):
        self.in_style = tag == "style"
        attrs = {name: value or "" for name, value in attrs}
        self.found += [
            attrs[name] for name in ("src", "srcset", "poster", "data", "background") if name in attrs
        ]
        if tag == "link":
            self.found.append(attrs.get("href", ""))
        self.look_in_style(attrs.get("style", ""))

    def handle_data(self, data):
        if self.in_style:
            self.look_in_style(data)

    def look_in_style(self, text):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        self.found += re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+(\S+)", text)


@pytest.fixture
def loads():
    """A function from a page to what it loads from elsewhere."""

    def of(page):
        parser = Loads()
        parser.feed(page)
        return [address for address in parser.found if not address.startswith(("data:", "#"))]

    return of
