"""What an answer counts from one sentence of a made-up study."""

from __future__ import annotations

from builders import make_article

from metarag import rank
from metarag.agreement import agreements
from metarag.results import Result
from metarag.types import Question

B, N, H = Result.BENEFIT, Result.NO_DIFFERENCE, Result.HARM


def counted(
    sentence,
    drug="aspirin",
    outcome="stroke",
    people="adults with hypertension",
    *,
    control="placebo",
    **given,
):
    """Return the results that a study with this sentence counts for; of a trial, unless ``observed``."""
    asked = given.get("question") or f"Does {drug} reduce {outcome} in {people}?"
    if given.get("observed"):
        kind, types = "cohort study", ("Observational Study",)
        methods = f"We followed 5000 {people} who used {drug} or not."
    else:
        kind, types = "randomised trial", ("Randomized Controlled Trial",)
        methods = f"We randomly assigned 500 {people} to {drug} or {control}."
    article = make_article(
        pmid="1",
        title=f"{drug.capitalize()} in {people}: a {kind}",
        abstract=f"{methods} {sentence}",
        types=types,
    )
    question = Question(text=asked)
    found = agreements(question, rank(question, [article]))
    return [result.result for each in found for result in each.results]
