from xml.etree import ElementTree

from builders import make_article
from hypothesis import given, settings
from hypothesis import strategies as st
from report_builders import QUESTION, Page, run_of, svg_texts

from metarag.audit import Decision, StageReport, Verdict
from metarag.pipeline import Pipeline
from metarag.report.drawing import svg
from metarag.report.flow import flow_diagram, flow_of
from metarag.report.html import render_html
from metarag.runs import RunRecord


class Scripted:
    """Gives each article the verdict that the test has drawn for it."""

    def __init__(self, name, verdicts):
        self.name, self.verdicts = name, verdicts

    def assess(self, question, evidence):
        decisions = []
        for number, item in enumerate(evidence):
            verdict = self.verdicts[number % len(self.verdicts)] if self.verdicts else Verdict.INCLUDED
            decisions.append(
                Decision(
                    stage=self.name,
                    key=item.key,
                    verdict=verdict,
                    criterion=f"{self.name}.{'even' if number % 2 else 'odd'}",
                    reason="As the test says.",
                )
            )
        kept = {d.key for d in decisions if d.verdict is not Verdict.EXCLUDED}
        return StageReport(
            evidence=tuple(item for item in evidence if item.key in kept), decisions=tuple(decisions)
        )


verdicts = st.lists(st.sampled_from(Verdict), max_size=5)


@given(st.integers(0, 12), st.lists(verdicts, min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_the_counts_of_the_flow_add_up_to_the_records_and_the_articles_of_the_report(number, plans):
    articles = [make_article(pmid=str(n + 1), title=f"Record {n}") for n in range(number)]
    stages = [Scripted(f"stage_{n}", plan) for n, plan in enumerate(plans)]
    ranking = Pipeline(stages).rank(QUESTION, articles)
    flow = flow_of(ranking)
    entering = flow.identified
    for stage in flow.stages:
        assert stage.entered == entering
        assert sum(count for _, count in stage.reasons) == stage.left_out
        entering = stage.remaining
    assert entering == flow.ranked == len(ranking)
    assert flow.left_out == len(ranking.excluded) == flow.identified - flow.ranked

    page = Page(render_html(RunRecord.of(ranking)))
    rows = [value for value in page.ids if value[:1] in "ax" and value[1:].isdecimal()]
    assert sum(row.startswith("a") for row in rows) == flow.ranked
    assert sum(row.startswith("x") for row in rows) == flow.left_out
    words = " ".join(text for *_, text in svg_texts(svg(flow_diagram(flow), ident="f", standalone=True)))
    assert f"Records identified: {flow.identified}" in words
    assert f"Ranked: {flow.ranked}" in words


def test_the_flow_names_each_reason_with_its_number():
    run = run_of(
        [
            make_article(pmid="1", types=("Retracted Publication",)),
            make_article(pmid="2"),
            make_article(pmid="2"),
        ]
    )
    text = Page(render_html(run)).text
    assert "Retracted: 1 eligibility.retracted" in text
    assert "The same record a second time: 1 eligibility.duplicate" in text


def test_a_stage_of_somebody_elses_is_shown_under_its_own_name_and_as_text():
    ranking = Pipeline([Scripted("<b>mine</b>", [Verdict.EXCLUDED])]).rank(QUESTION, [make_article(pmid="1")])
    assert "<b>mine" not in render_html(RunRecord.of(ranking))
    picture = svg(flow_diagram(flow_of(ranking)), ident="f", standalone=True)
    assert "<b>mine</b>: 1 assessed" in [text for *_, text in svg_texts(picture)]


def test_no_box_overlaps_another():
    ranking = Pipeline([Scripted("s", [Verdict.EXCLUDED, Verdict.INCLUDED])]).rank(
        QUESTION, [make_article(pmid=str(n)) for n in range(1, 9)]
    )
    root = ElementTree.fromstring(svg(flow_diagram(flow_of(ranking)), ident="f", standalone=True))
    boxes = []
    for node in root.iter("{http://www.w3.org/2000/svg}polygon"):
        points = [tuple(map(float, point.split(","))) for point in node.get("points").split()]
        if len(points) == 4:
            xs, ys = zip(*points, strict=True)
            boxes.append((min(xs), max(xs), min(ys), max(ys)))
    assert len(boxes) == 4
    for n, (left, right, top, bottom) in enumerate(boxes):
        for other_left, other_right, other_top, other_bottom in boxes[n + 1 :]:
            assert right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top
