import base64
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ircourse.notebooks import clean
from ircourse.notebooks.page import POLICY, html_page, mathml

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>'
PICTURE = f'<img src="data:image/svg+xml;base64,{base64.b64encode(SQUARE.encode()).decode()}" alt="a square">'
FORMULAS = [
    r"J(A,B) = \frac{|A \cap B|}{|A \cup B|}",
    r"\sum_{i=1}^{n} x_i^2 \le \lVert x \rVert_1",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
    r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
    r"\begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}",
    r"a \equiv b \pmod p",
    r"\min_{x \in S} \pi(x)",
    r"\mathbf{A}^\top \mathbb{R}^{n \times k} \hat{x}",
    r"t - \frac{1 - e^{-\lambda t}}{\lambda}",
    r"O(n \log n)",
    r"\operatorname{rank}(v) \approx \binom{n}{k}",
    "α ≤ β",
]


def page_of(*cells, folder):
    return html_page(clean(new_notebook(cells=list(cells))), folder, "20_1_spiders")


def shown(**data):
    """A cell that shows something in the given forms, "text_html" for text/html."""
    forms = {name.replace("_", "/", 1): value for name, value in data.items()}
    return new_code_cell("show()", execution_count=1, outputs=[new_output("display_data", forms)])


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("display", [False, True])
def test_a_formula_is_well_formed_mathml(formula, display):
    tree = ET.fromstring(mathml(formula, display).replace("&ApplyFunction;", "\N{FUNCTION APPLICATION}"))
    assert tree.tag == "math"
    assert (tree.get("display") == "block") == display


@pytest.mark.parametrize("formula", [r"\nosuchcommand", r"\frac{1}", "x_{", "a & b"])
def test_a_formula_that_cannot_be_read_is_named(formula):
    with pytest.raises(ValueError, match="cannot be shown as MathML") as caught:
        mathml(formula)
    assert repr(formula) in str(caught.value)


@given(st.text(alphabet="ab<>&\"'\\{}^_$/ x=", max_size=20))
def test_no_formula_smuggles_markup_in(text):
    try:
        tree = ET.fromstring(mathml(text).replace("&ApplyFunction;", "\N{FUNCTION APPLICATION}"))
    except ValueError:
        return
    assert all(element.tag.startswith("m") or element.tag == "code" for element in tree.iter())


def test_formulas_in_text_become_mathml_and_code_does_not(tmp_path):
    text = "# Rank $x<y$\n\n$$\\frac{1}{n}$$\n\n\\begin{align}a&=b\\end{align}\n\n`$z$` and \\$5"
    page = page_of(new_markdown_cell(text), folder=tmp_path)
    assert page.count("<math") == 3
    assert "<mo>&lt;</mo>" in page
    assert "<code>$z$</code>" in page
    assert "mathjax" not in page.lower()


def test_a_latex_output_becomes_mathml(tmp_path):
    assert "<msup>" in page_of(shown(text_latex="$x^2$", text_plain="x**2"), folder=tmp_path)


def test_a_widget_is_shown_by_its_static_picture(tmp_path):
    view = {"model_id": "5f0c", "version_major": 2, "version_minor": 0}
    cell = shown(text_html=PICTURE, text_plain="player")
    cell.outputs[0].data["application/vnd.jupyter.widget-view+json"] = view
    page = page_of(cell, folder=tmp_path)
    assert 'alt="a square"' in page
    assert "5f0c" not in page
    assert "widget" not in page.split("<body", 1)[1]


def test_the_page_holds_the_pictures_of_its_text_and_loads_nothing(tmp_path, loads):
    (tmp_path / "web.svg").write_text(SQUARE)
    cells = [new_markdown_cell("![a web](web.svg)"), new_code_cell("import os"), shown(text_html=PICTURE)]
    page = page_of(*cells, folder=tmp_path)
    assert loads(page) == []
    assert page.count('<img alt="a') == page.count('src="data:image/svg+xml;base64,') == 2
    assert "<script" not in page


def test_what_a_page_loads_is_found(tmp_path, loads):
    text = '<script src="http://a.example/x.js"></script><p style="background: url(http://b.example/)">'
    page = page_of(new_markdown_cell("![x](https://c.example/x.png)"), shown(text_html=text), folder=tmp_path)
    assert sorted(loads(page)) == ["http://a.example/x.js", "http://b.example/", "https://c.example/x.png"]


def test_links_between_chapters_lead_to_pages(tmp_path):
    text = "[a](20_2_crawler.ipynb#seen) [b](http://harbour.example/x.ipynb) [c](../data/README.md)"
    page = page_of(new_markdown_cell(text), folder=tmp_path)
    for address in ("20_2_crawler.html#seen", "http://harbour.example/x.ipynb", "../data/README.md"):
        assert f'href="{address}"' in unescape(page)


@pytest.fixture
def hits():
    """An address on loopback and the list of the paths asked for there."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


@pytest.fixture
def tab(chromium):
    """An empty page of a browser."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.browser
def test_a_browser_shows_the_page_and_sends_no_request(tmp_path, hits, tab):
    address, asked = hits
    hostile = (
        f'<script>document.title = "hostile"</script><img src="{address}/x.png" onerror="document.title = 1">'
    )
    cells = [new_markdown_cell("# Rank $\\frac{x}{y}$"), shown(text_html=PICTURE), shown(text_html=hostile)]
    source = page_of(*cells, folder=tmp_path)
    (tmp_path / "page.html").write_text(source, encoding="utf-8")
    (tmp_path / "open.html").write_text(source.replace(POLICY, ""), encoding="utf-8")
    tab.goto((tmp_path / "page.html").as_uri())
    assert tab.title() == "20_1_spiders"
    assert tab.locator("img[alt='a square']").evaluate("picture => picture.naturalWidth") == 40
    # A fraction is drawn: its numerator stands above its denominator.
    top, bottom = (tab.locator(f"mfrac > mi:nth-child({n})").bounding_box()["y"] for n in (1, 2))
    assert top < bottom
    assert asked == []
    tab.goto((tmp_path / "open.html").as_uri())  # the same without its policy
    assert tab.title() != "20_1_spiders"
    assert asked == ["/x.png"]


MOVES = [
    '<meta http-equiv="refresh" content="0;url=ADDRESS/{}">',
    '<MeTa\nhttp-equiv=refresh content="0;url=ADDRESS/{}">',
    '<meta/http-equiv=refresh content="0;url=ADDRESS/{}">',
    '<svg><meta http-equiv=refresh content="0;url=ADDRESS/{}"></svg>',
    "<noscript><p title=\"</noscript><meta http-equiv=refresh content='0;url=ADDRESS/{}'>\"></noscript>",
    "<p title=\"--><meta http-equiv=refresh content='0;url=ADDRESS/{}'>\"><!-- </p>",
    "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url=ADDRESS/{}'>\"></iframe>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;/mglyph&gt;'
    "&lt;meta http-equiv=refresh content='0;url=ADDRESS/{}'&gt;\">",
    '<link rel="preconnect" href="ADDRESS/{}"><link rel=icon href="ADDRESS/{}">',
    '<link rel="prefetch" href="ADDRESS/{}">',
    '<object data="ADDRESS/{}"></object><embed src="ADDRESS/{}"><iframe src="ADDRESS/{}"></iframe>',
]


@pytest.mark.browser
def test_no_tag_moves_the_browser_to_another_page(tmp_path, hits, tab):
    address, asked = hits
    path = tmp_path / "page.html"
    for number, tag in enumerate(MOVES):
        tag = tag.replace("ADDRESS", address).replace("{}", str(number))
        cells = [shown(text_html=tag), new_markdown_cell(f"A text\n\n{tag}\n\nand more")]
        path.write_text(page_of(*cells, folder=tmp_path), encoding="utf-8")
        tab.goto(path.as_uri())
        tab.wait_for_timeout(150)
        assert (tab.url, asked) == (path.as_uri(), [])


@pytest.mark.browser
def test_a_tag_that_moves_would_be_seen(tmp_path, hits, tab, monkeypatch):
    address, asked = hits
    monkeypatch.setattr("ircourse.notebooks.page.MOVING_TAG", re.compile("(?!)"))
    source = page_of(shown(text_html=MOVES[0].replace("ADDRESS", address)), folder=tmp_path)
    (tmp_path / "page.html").write_text(source, encoding="utf-8")
    tab.goto((tmp_path / "page.html").as_uri())
    tab.wait_for_url(f"{address}/**")
    assert asked[0] == "/%7B%7D"  # then perhaps its icon


def test_a_drawing_s_own_metadata_stays(tmp_path):
    page = page_of(shown(**{"image_svg+xml": "<svg><metadata>who</metadata></svg>"}), folder=tmp_path)
    assert "<metadata>who" in page or "image/svg+xml;base64," in page


@pytest.mark.parametrize(
    "formula", ["{" * 201 + "x" + "}" * 201, "{" * 20_000 + "x" + "}" * 20_000, "x+" * 1000 + "x", "{" * 300]
)
def test_a_formula_too_large_for_the_reader_is_refused(formula):
    with pytest.raises(ValueError, match=f"it has {len(formula)} characters and") as caught:
        mathml(formula)
    assert len(str(caught.value)) < 300


DEEPEST = [
    "{" * 200 + r"\not" * 399 + "=" + "}" * 200,
    "x_{" * 200 + r"\hat" * 298 + " x" + "}" * 200,
    r"\sqrt " * 330 + "x",
    r"\frac1" * 330 + "x",
]


def test_the_largest_formulas_fit_a_stack_of_one_megabyte():
    code = """
import sys, threading
from ircourse.notebooks.page import mathml
threading.stack_size(2**20)
for formula in sys.argv[1:]:
    thread = threading.Thread(target=lambda: print(len(mathml(formula)) > 20))
    thread.start()
    thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code, *DEEPEST], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n" * len(DEEPEST)


@pytest.mark.parametrize("attachments", [{}, {"nope.png": {}}])
def test_a_picture_that_is_not_attached_is_named(tmp_path, attachments):
    cell = new_markdown_cell("![x](attachment:nope.png)", attachments=attachments)
    with pytest.raises(ValueError, match=r"'attachment:nope\.png', which is not attached"):
        page_of(cell, folder=tmp_path)


def test_an_attached_picture_is_shown(tmp_path):
    data = base64.b64encode(SQUARE.encode()).decode()
    cell = new_markdown_cell("![x](attachment:a.svg)", attachments={"a.svg": {"image/svg+xml": data}})
    assert f'src="data:image/svg+xml;base64,{data}"' in page_of(cell, folder=tmp_path)


@pytest.mark.parametrize("text", ["<b>" * 50_000, "<b>x"])
def test_a_deeply_nested_output_is_a_page_or_a_sentence(tmp_path, text):
    try:
        assert "<b>" in page_of(shown(text_html=text), folder=tmp_path)
    except ValueError as error:
        assert len(text) > 100 and "nested too deeply" in str(error)
