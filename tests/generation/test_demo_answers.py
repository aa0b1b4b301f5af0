"""The eight demo answers, word for word, and what a clinician may rely on in each of them."""

import json
import re
from pathlib import Path

import pytest

from metarag import appraise, rank
from metarag.generation.extractive import ExtractiveGenerator
from metarag.records import Article
from metarag.resources import data_file
from metarag.types import Question, Retrieved

GOLDEN = Path(__file__).parent / "demo_answers"
# Question: what the verdict has to say, and the articles that have to be behind it.
VERDICTS = {
    "aspirin_primary_prevention": (
        "shows a benefit of low-dose aspirin:",
        {"doi:10.1001/jama.2022.3337", "30146931", "2664509"},
    ),
    "magnesium_acute_mi": (
        "shows no benefit of magnesium:",
        {"7661937", "doi:10.1002/14651858.cd002755.pub2"},
    ),
    "hydroxychloroquine_covid19_hospital": (
        "shows no benefit of hydroxychloroquine and points to harm",
        {"33859192", "33031652"},
    ),
    "corticosteroids_covid19": ("shows a benefit of systemic corticosteroids:", {"32876694", "32678530"}),
    "beta_carotene_lung_cancer": (
        "shows harm of beta-carotene supplements:",
        {"35405977", "8127329", "8602180"},
    ),
    "hormone_therapy_chd": ("shows no benefit of menopausal hormone therapy:", {"12117397", "15082697"}),
    "intensive_insulin_icu": ("shows no benefit of intensive insulin therapy:", {"19318387", "19318384"}),
    "perioperative_beta_blocker": (
        "shows no benefit of a beta-blocker and points to harm",
        {"23904357", "18479744"},
    ),
}
# What must be said so that the answer is not misleading.
SAID = {
    "aspirin_primary_prevention": [
        "More frequent with the treatment, by reviews or randomised studies: major bleeding",
        "It is not clear which side has the better evidence on myocardial infarction",
        "On stroke the better evidence shows no benefit",
        "38,765 of the 129,391 people",
    ],
    "magnesium_acute_mi": [
        "64,833 of the 67,525 people", "small-study effects explain", "58,050 people", "or randomised studies: hypotension",
    ],
    "hydroxychloroquine_covid19_hospital": ["only articles without randomisation found a benefit", "2 retracted"],
    "corticosteroids_covid19": [
        "Patients without respiratory support did not gain",
        "nonsevere COVID-19",
        "2 observational studies on death from any cause: 1 found a lower risk [doi:10.1128/AAC.01168-20]; 1",
    ],
    "beta_carotene_lung_cancer": [
        "with a related treatment: 3 observational studies: 2 found a lower risk [PMID 11010942; PMID 6118627];",
        "1 found a higher risk [PMID 19208726].",
        "reviews or randomised studies: death from any cause [PMID 8127329; PMID 8602180].",
    ],
    "hormone_therapy_chd": [
        "only articles without randomisation found a benefit",
        "studies with 16,608 people found a higher risk",
        "1 review of observational studies",
        "together with others: 1 report of a randomised study found a lower risk [doi:10.1136/bmj.e6409]",
        "Estrogen alone did not prevent",
        "Estrogen plus progestin did not prevent",
    ],
    "intensive_insulin_icu": ["only surgical units showed a hint of benefit", "children", "severe hypoglycaemia"],
    "perioperative_beta_blocker": ["unreliable trials left out", "high-risk but not in low-risk"],
}  # fmt: skip
# What stands beside the verdict, before any quotation: it would mislead without.
BESIDE_THE_VERDICT = {
    "aspirin_primary_prevention": "major bleeding",
    "corticosteroids_covid19": "Patients without respiratory support did not gain",
    "hormone_therapy_chd": "doi:10.1136/bmj.e6409",
    "intensive_insulin_icu": "severe hypoglycaemia",
    "beta_carotene_lung_cancer": "with a related treatment",
}
# People in randomised studies, by hand from the records; two reports of one study count once.
SUMS = {
    "aspirin_primary_prevention": [
        (22071, 14464),
        (39876, 5139),
        (15480, 18790, 4495),
        (15480, 18790, 4495, 1276, 39876, 3350, 12546, 19114, 14464),
    ],
    "magnesium_acute_mi": [(58050, 6213, 76, 94, 400), (58050, 6213, 76, 94, 400, 273, 103, 2316)],
    "hydroxychloroquine_covid19_hospital": [(4716, 479, 667)],
    "corticosteroids_covid19": [(6425, 416)],
    "beta_carotene_lung_cancer": [(29133, 18314, 22071), (29133, 18314)],
    "hormone_therapy_chd": [(16608, 10739, 2763)],
    "intensive_insulin_icu": [(1200, 6104, 1078, 537), (1200, 6104, 1078, 537, 1548)],
    "perioperative_beta_blocker": [(8351, 921), (8351, 921, 200)],
}
UNRELIABLE = {"10588963", "19474688"}
RETRACTED = {"32450107", "32205204"}


@pytest.fixture(scope="module")
def answers():
    lines = data_file("demo_corpus.jsonl").read_text(encoding="utf-8").splitlines()
    articles = [Article.model_validate(json.loads(line)["article"]) for line in lines]
    found = [Retrieved(article=article, appraisal=appraise(article)) for article in articles]
    made = {}
    for asked in json.loads(data_file("demo_questions.json").read_text(encoding="utf-8")):
        question = Question(text=asked["text"])
        made[asked["id"]] = ExtractiveGenerator().generate(question, rank(question, found))
    return made


@pytest.mark.parametrize("name", VERDICTS)
def test_the_text_is_the_one_that_was_read_and_found_right(answers, name):
    path = GOLDEN / f"{name}.txt"
    assert answers[name].text + "\n" == path.read_text(encoding="utf-8"), (
        f"read the new text against the facts; if it is right, it belongs into {path.name}"
    )


@pytest.mark.parametrize("name", VERDICTS)
def test_the_conflict_and_the_side_with_the_better_evidence_are_stated(answers, name):
    words, behind = VERDICTS[name]
    assert answers[name].text.startswith("The articles disagree on ")
    verdicts = [s for s in answers[name].sentences if words in s.text]
    assert verdicts
    cited = {citation for sentence in answers[name].sentences[:4] for citation in sentence.citations}
    assert behind <= cited


@pytest.mark.parametrize("name", VERDICTS)
def test_what_must_not_be_missing_is_said(answers, name):
    for words in SAID[name]:
        assert words in answers[name].text


@pytest.mark.parametrize("name", BESIDE_THE_VERDICT)
def test_what_a_verdict_would_mislead_without_stands_beside_it(answers, name):
    before, _, _ = answers[name].text.partition(" people: “")
    assert BESIDE_THE_VERDICT[name] in before


def test_a_follow_up_after_treatment_does_not_stand_for_the_trial(answers):
    quoted = {c for s in answers["hormone_therapy_chd"].sentences if s.quote for c in s.citations}
    assert "15082697" in quoted
    assert "21467283" not in quoted


@pytest.mark.parametrize("name", VERDICTS)
def test_every_quotation_is_verbatim_and_of_the_article_that_it_cites(answers, name):
    made = answers[name]
    articles = {item.article.pmid or item.article.id: item.article for item in made.ranking}
    quoted = [sentence for sentence in made.sentences if sentence.quote]
    assert len(quoted) >= 4
    for sentence in quoted:
        (citation,) = sentence.citations
        quote = sentence.quote
        assert articles[citation].abstract[quote.start : quote.end] == quote.text
        assert f"“{quote.text}”" in sentence.text


@pytest.mark.parametrize("name", VERDICTS)
def test_every_claim_has_its_articles_and_each_of_them_its_words(answers, name):
    made = answers[name]
    process = re.compile(r"^(?:The articles disagree|In \d+ more|Read were|\d+ more articles|Left out)")
    assert all(s.citations or process.match(s.text) for s in made.sentences)
    sources = {source.citation: source for source in made.sources}
    assert set(made.citations) == {r.citation for r in made.references} == set(made.citations) & set(sources)
    articles = {item.key: item.article for item in made.ranking}
    for source in made.sources:
        for snippet in source.texts:
            text = articles[source.key].abstract if snippet.span.where == "abstract" else source.title
            assert text[snippet.span.start : snippet.span.end] == snippet.span.text


@pytest.mark.parametrize("name", VERDICTS)
def test_people_that_are_not_of_one_article_were_added_up_right(answers, name):
    made = answers[name]
    appraisals = [item.appraisal for item in made.ranking if item.appraisal]
    sizes = {a.sample_size.total for a in appraisals if a.sample_size}
    bare = re.sub(r"“[^”]*”|\[[^\]]*\]", "", made.text)
    told = {int(number.replace(",", "")) for number in re.findall(r"\d{1,3}(?:,\d{3})+", bare)}
    assert told - sizes <= {sum(parts) for parts in SUMS[name]}


@pytest.mark.parametrize("name", VERDICTS)
def test_unreliable_and_retracted_articles_are_never_cited(answers, name):
    cited = {source.citation for source in answers[name].sources}
    assert not cited & (UNRELIABLE | RETRACTED)


@pytest.mark.parametrize("name", VERDICTS)
def test_no_advice_is_given_outside_quotations(answers, name):
    words = re.sub(r"“[^”]*”", "", answers[name].text)
    assert not re.search(r"\b(?:should|recommend|advis|consult|you|we)\b", words, re.IGNORECASE)
