"""The report says what was solved, how, how wrong it may be and what it cost."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import geometry as geo
from equations import Data, Eq, Problem, coordinates, diff, div, field, grad, laplacian, parameter
from solvers.document import Bullets, Document, Math, Section, Table
from solvers.plot import plot_history
from solvers.report import duration, report, summary
from tests.exact import history, solution_of

x, y = coordinates("x y")
u = field("u", x, y)
hole = geo.Rectangle((0, 0), (2, 1)) - geo.Disk((1, 0.5), 0.25, name="hole")


@pytest.fixture(scope="module")
def solution():
    """u = x² with -lap u = -2 stated, so the residual is 0; on the hole u = 1 is stated."""
    problem = Problem(hole, Eq(laplacian(u), 2), {"hole": Eq(u, 1)}, name="plate")
    return solution_of(
        problem,
        {u: lambda p: p[0] ** 2},
        errors={(u,): 0.0123456},
        history=history(),
        choices=("The network has 17 | 18 numbers.",),
        state=np.zeros(17),
    )


def test_it_prints_as_markdown_with_everything_in_it(solution):
    text = str(solution.report())
    assert text.startswith("# plate\n") and report(solution)._repr_markdown_() == text
    for section in ("Result", "Statement", "Method", "Residuals on fresh points", "Cost"):
        assert f"\n## {section}\n" in text
    assert "Exact: solved. Estimated relative error 0.0123." in text
    assert "| u | 0.0123 |" in text and r"- $\Delta u = 2$" in text and "- on hole: $u = 1$" in text
    assert "- The network has 17 | 18 numbers." in text
    assert "200 steps. The solution is held in 17 numbers." in text


def test_residuals_are_those_on_fresh_points(solution):
    text = str(solution.report())
    on_hole = solution.condition_errors[0]
    assert f"| hole | $u = 1$ | {on_hole.rms:.3g} | {on_hole.largest:.3g} |" in text
    assert on_hole.largest == pytest.approx(1.25**2 - 1, rel=1e-3)
    assert re.search(r"\| \$\\Delta u = 2\$ \| 0 \| 0 \|", text)


def test_an_identified_parameter_is_as_precise_as_its_deviation():
    nu = parameter("nu", initial=1.0)
    data = Data([[0.5, 0.5]], {u: [0.25]}, noise=0.01)
    problem = Problem(hole, Eq(nu * laplacian(u), 2), data=data)
    options = {"parameters": {"nu": 1.23456789}}
    certain = solution_of(
        problem,
        {u: lambda p: p[0] ** 2},
        deviations=lambda e, p: np.full((len(p), 1), 0.00123),
        **options,
    )
    text = str(certain.report())
    assert r"| $\nu$ | 1.2346 | 0.00123 |" in text
    assert r"- $\nu$, identified from 1.0" in text
    assert "data: 1 values of u, noise 0.01" in text
    unknown = solution_of(problem, {u: lambda p: p[0] ** 2}, **options)
    assert "| 1.23457 | unknown |" in str(unknown.report())


class Reader(HTMLParser):
    """Collects tags and addresses and checks that elements are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.sources, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.sources += [v for k, v in attrs if k in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_whole_and_needs_nothing_else(solution, tmp_path):
    picture = plot_history(solution)
    picture.savefig(tmp_path / "history.png")
    pictures = {"as a file": tmp_path / "history.png", "as a figure": picture}
    page = solution.report().save(tmp_path / "report.html", pictures).read_text()
    reader = Reader()
    reader.feed(page)
    assert not reader.open and reader.tags.count("table") == 3
    assert len(reader.sources) >= 4
    assert all(source.startswith("data:image/") for source in reader.sources)
    assert "<code>Rectangle((0, 0), (2, 1)) - Disk(" in page and 'alt="u = 1"' in page


def test_markdown_links_pictures_beside_it(solution, tmp_path):
    picture = tmp_path / "pictures" / "u.png"
    page = solution.report().save(tmp_path / "report.md", {"u": picture}).read_text()
    assert page.endswith("![u](pictures/u.png)\n")
    with pytest.raises(ValueError, match=r"\.md or \.html"):
        solution.report().save(tmp_path / "report.pdf")


def test_text_is_escaped_and_formulas_that_cannot_be_drawn_are_text():
    piecewise = Math(r"\begin{cases} 1 & x < 0 \end{cases}", "Piecewise((1, x < 0))")
    table = Table(("a|b", "value"), (("<b>|", "1.5"), (Math("|x|", "|x|"), "2")))
    document = Document("<T>", (Section("S", (Bullets(((piecewise,),)), table)),))
    page, text = document.html(), str(document)
    assert "<h1>&lt;T&gt;</h1>" in page and "<code>Piecewise((1, x &lt; 0))</code>" in page
    assert r"| <b>\| | 1.5 |" in text and r"$\vert x\vert $" in text and "| --- | ---: |" in text


def test_the_weak_coefficient_is_printed_as_it_was_written():
    k = field("k", x, y, positive=True)
    problem = Problem(hole, Eq(-div(k * grad(u)), 2 * diff(u, x)))
    text = str(solution_of(problem, {u: lambda p: p[0], k: lambda p: 1 + p[0]}).report())
    assert r"- \nabla\cdot\left(k\,\nabla u\right) = 2\,\partial_{x} u" in text


def test_times_are_told_in_words(solution):
    assert [duration(s) for s in (0.1234, 59, 125, 7325)] == [
        "0.123 s",
        "59 s",
        "2 min 5 s",
        "2 h 2 min",
    ]
    assert summary(solution) == "Exact: solved. Estimated relative error 0.0123. 1 s."
