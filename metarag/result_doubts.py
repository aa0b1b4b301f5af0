"""Clauses that name an outcome and a change and are no result: methods, aims, other people's, other comparisons.

An answer counts what articles found. One sentence taken for a finding that is none can turn a verdict, so a
clause that one of these signs makes doubtful is not counted; the article may say the same more clearly elsewhere.
"""

from __future__ import annotations

import re
from typing import Final

from metarag.direction_words import PEOPLE
from metarag.effect_outcomes import describes
from metarag.other_treatments import names_asked, names_others
from metarag.outcome_keys import OutcomeKey
from metarag.result_comparisons import sides
from metarag.result_frames import without_asides
from metarag.result_measures import is_of_another_measure
from metarag.result_negations import lacks_treatment, turns_clause, turns_outcome

_NO_RESULT: Final = re.compile(
    # What was done, and how.
    r"\b(?:was|were) (?:defined|measured|assessed|evaluated|determined|recorded|rated|scored|calculated|collected"
    r"|performed|conducted|enrolled|recruited|instructed|asked|invited|administered|included|investigated|studied|examined)\b"
    r"|\b(?:outcomes?|end-?points?|variables?|measures?)(?: (?:measures?|sought|included|studied))? (?:was|were|included?)\b"
    r"|\b(?:used|using|had) the same\b|\b(?:identical|matching|matched) placebo\b|\bunderwent\b"
    rf"|\b{PEOPLE} (?:treated|took|received) (?:a |an |one |their )?(?:migraine|headache|attack|single|up to)"
    # Aims, what was known before, who took part.
    r"|\A\W*(?:to|in order to|we aimed to) (?:examine|determine|assess|evaluate|compare|investigate|study|test|explore)\b"
    r"|\b(?:have|has) (?:previously )?(?:been )?(?:shown|reported|suggested)\b|\bpreviously (?:reported|shown|described)\b"
    r"|\b(?:suggested|proposed) as\b"
    r"|\bit is (?:well )?known\b|\bat (?:baseline|entry|inclusion)\b|\bbaseline characteristics\b|\bdemographic\b"
    # What goes with what, in whom.
    r"|\b(?:polymorphisms?|genotypes?|alleles?|wild[- ]type|mutants?|mutations?|carriers?)\b|\bcorrelat|\bpredict"
    r"|\bexpression\b|\breceptor status\b|\bbetween (?:[\w-]+ ){1,4}subgroups\b"
    r"|\b(?:both|all|each)(?: of the)?(?: \w+)? groups? (?:\w+ly )?(?:experienced|showed|had|improved|demonstrated|achieved"
    r"|reported|exhibited|gained|lost)\b"
    r"|\bmarkers?\b|\breceiver operat|\binteraction|\bsynergis|\badditive\b|\b(?:age|older|younger) (?:cohorts?|groups?)\b"
    r"|\bin(?:dependent|dependently|respective) of\b"
    # Money and liking.
    r"|(?<!at the )\bcosts?\b|\bprices?\b|\bprefer|\bincremental\b"
    # One dose or duration against another.
    r"|\bdose[- ](?:dependent|related|response|ranging)|\bwith increasing (?:doses?|durations?|age)\b"
    r"|\b(?:than|to|with) (?:with |at |in |for )?(?:those|the|doses?)?\s?(?:<|>|\u2264|\u2265|(?:lower|higher) doses?\b)"
    r"|\bthan (?:\w+ ){0,3}(?:oral|nasal|intravenous|subcutaneous|intramuscular|tablets?|formulation|form|route)\b"
    r"|\bdoses? (?:of )?(?:<|>|\u2264|\u2265)"
    # From one group to the next: "fell from 76 in the treated to 52 in the others".
    r"|\bfrom \d[\d.]*[^;]{0,60} (?:in the|during) [^;]{1,40} to \d[\d.]*[^;]{0,60} (?:in the|during)\b|\btime trend\b"
    r"|\bbetween (?:men and women|women and men|males and females|boys and girls|smokers and)\b"
    r"|\balone (?:\w+ly )?(?:reduc|increas|improv|lower|decreas)",
    re.IGNORECASE,
)
# "Percentage of patients with relief." is what was to be counted.
_HEADING: Final = re.compile(
    r"\W*(?:percentages?|proportions?|numbers?|rates?|incidence|frequency|time|occurrence)\b"
    r"(?!.*\b(?:was|were|is|are|had|did|fell|rose|[a-z]{3,}ed)\b)",
    re.IGNORECASE | re.DOTALL,
)
_OF_THE_DISEASE: Final = re.compile(r"\b(?:is|are) associated with\b", re.IGNORECASE)
_LIKE: Final = re.compile(
    r"\b(?:similar(?:ly)?|comparabl[ey]|equivalent|equal(?:ly)?|identical(?:ly)?|the same|as (?:effective|well) as)\b",
    re.IGNORECASE,
)
_INACTIVE: Final = (
    r"(?:placebo|controls?|sham|usual care|standard care|no treatment|untreated|vehicle|non-?users?|dummy)"
    r"(?! of\b)"
)
# "Similar in both groups", "comparable with placebo": like the control, not like another dose, drug or time.
_LIKE_CONTROL: Final = re.compile(
    r"\b(?:between|among|across|in|for|of) (?:the )?(?:(?:both|two|three|four|all|study|treatment|intervention|randomi[sz]ed"
    r"|other|each) ){0,3}(?:groups?|arms?)\b"
    rf"|\b(?:to|with|and|or|versus|vs\.?|from|as|in|than) (?:(?:that|those|the|in|of|with|for|a|on) ){{0,4}}{_INACTIVE}\b"
    rf"|\b{_INACTIVE}(?: groups?| arms?)? (?:and|or|versus|vs)\b",
    re.IGNORECASE,
)
_BETTER: Final = re.compile(r"\b(?:superior|better|more effective)\b", re.IGNORECASE)
_SET_AGAINST: Final = re.compile(
    r"\b(?:(?<!older )(?<!younger )than|versus|vs\.?|compared (?:with|to)|in comparison (?:with|to)"
    r"|(?:superior|inferior|equivalent|comparable) to"
    r"|relative to|as opposed to)(?!\w)",
    re.IGNORECASE,
)
_TREATED: Final = re.compile(
    r"\b(?:treatment|treated|intervention|experimental|active|exercise|study) (?:groups?|arms?|patients)\b"
    r"|\bbetween (?:the )?(?:(?:two|three|study|treatment) )*(?:groups|arms)\b|\bboth (?:groups|arms)\b",
    re.IGNORECASE,
)
# "Exampril was superior to placebo". A group or a rate is lower or higher, and no other thing than a treatment is better.
_SUPERIOR: Final = re.compile(
    r"\W*(?P<name>[A-Z][a-z]{4,}(?:-[a-z]+)?)(?: \d[\w.]*(?: mg)?)? (?:was|were|is) (?:\w+ly )?(?:superior|more effective)\b"
)
_WITH_CONTROL: Final = re.compile(rf"\b{_INACTIVE}\b", re.IGNORECASE)
# "Resolution of nausea", "sites of fracture", "prevention of stroke": more of it is no more of the outcome.
_NOT_ITSELF: Final = re.compile(
    r"\b(?:resolution|relief|remission|absence|freedom|disappearance|clearance|control|management|prevention|prophylaxis"
    r"|sites?|history|causes?|definitions?|types?|criteria|treatments?|therap(?:y|ies)|diagnosis|markers?|risk factors?)"
    r" (?:of|from|for|in) (?:the |an? )?(?:[\w-]+ ){0,2}\Z|\w*satisf\w+ with (?:the )?(?:[\w-]+ ){0,2}\Z",
    re.IGNORECASE,
)
_BEFORE_TREATMENT: Final = re.compile(
    r"\b(?:baseline|pre-?treatment|initial|pre-?existing|previous) (?:[\w-]+ ){0,4}\Z", re.IGNORECASE
)
# "BP medication", "fracture sites", "ST depression", "pain questionnaire": other things.
_ANOTHER_THING: Final = re.compile(
    r"[ -](?:medications?|drugs?|repetitions?|monitoring|measurements?|questionnaires?|scales?|diar(?:y|ies)|sites?|units?"
    r"|clinics?|care|specialists?|cells?|tissues?|lowering|related|specific)\b",
    re.IGNORECASE,
)
_ANOTHER_KIND: Final = re.compile(r"\b(?:ST|respiratory|marrow|myocardial|CNS)[- ]\Z")
_OF_SOME: Final = re.compile(
    rf"\b{PEOPLE} who\b"
    r"(?! (?:had |were |have |ever |never )*(?:tak|took|receiv|us(?:e|ed|ing)\b|giv|got|assign|randomi|treat))[^,;:]*\Z",
    re.IGNORECASE,
)
_KIND_OF_CHOLESTEROL: Final = re.compile(r"\b(?:[HLVI]+DL|lipoproteins?)\W{1,3}\Z", re.IGNORECASE)


def tells_of_control(sentence: str) -> bool:
    """True where a sentence names a control, or the group that had the treatment, so that it compares the two."""
    return bool(_WITH_CONTROL.search(sentence) or _TREATED.search(sentence))


def has_another_subject(sentence: str, treatments: frozenset[str]) -> bool:
    """True where something that is not asked about is called superior or more effective, known as a drug or not."""
    subject = _SUPERIOR.match(sentence)
    return bool(treatments and subject and not names_asked(subject["name"], treatments))


def is_no_result(clause: str, treatments: frozenset[str]) -> bool:
    """True where a clause tells of methods, aims, causes, costs or doses, or what it compares is not the treatment.

    Parameters
    ----------
    clause : str
        Part of a sentence, with an outcome.
    treatments : frozenset of str
        Drugs asked about; empty where any comparison is one that was asked for.
    """
    # "Less frequent in users than in non-users" is a result of the users.
    if turns_clause(clause) or lacks_treatment(sides(clause, _SET_AGAINST)[0]):
        return True
    if _HEADING.match(clause) or _NO_RESULT.search(clause) or _is_like_something_else(clause):
        return True
    if _OF_THE_DISEASE.search(clause) and not (treatments and names_asked(clause, treatments)):
        return True
    return _is_set_against_another(without_asides(clause), treatments)


def is_not_of_the_outcome(clause: str, hit: OutcomeKey) -> bool:
    """True where an outcome's name in a clause is not what changed: in "resolution of nausea", or in brackets."""
    before = clause[: hit.start]
    if before.rfind("(") > before.rfind(")") and ")" in clause[hit.end :]:
        return True
    if describes(clause, 0, hit) or turns_outcome(before, clause[hit.end :]):
        return True
    if _ANOTHER_THING.match(clause, hit.end) or is_of_another_measure(clause, hit):
        return True
    signs = (
        _NOT_ITSELF, _BEFORE_TREATMENT, _OF_SOME, _KIND_OF_CHOLESTEROL, _ANOTHER_KIND,
    )  # fmt: skip
    return any(sign.search(before) for sign in signs)


def _is_like_something_else(clause: str) -> bool:
    """True where something is said to be similar, and not to the control, or is better than the control too."""
    like = _LIKE.search(clause)
    if like is None:
        return False
    return bool(_BETTER.search(clause)) or not _LIKE_CONTROL.search(clause)


def _is_set_against_another(clause: str, treatments: frozenset[str]) -> bool:
    """True where the treatment is what something else is compared with, or is compared with another drug only."""
    first, second = sides(clause, _SET_AGAINST)
    if not second or not treatments:
        return False
    if names_asked(second, treatments):
        return not _WITH_CONTROL.search(first)
    return names_others(second, treatments) and not _WITH_CONTROL.search(second)
