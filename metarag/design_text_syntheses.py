"""Phrases of systematic reviews, meta-analyses, guidelines and consensus, and of what they include.

A meta-analysis that a trial's introduction mentions is not the article's design: in an abstract only
the article's own doing counts ("we meta-analysed", "this systematic review", "databases were searched").
"""

from __future__ import annotations

from typing import Final

from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

OF_RANDOMIZED: Final = "of_randomized_trials"
"""Label: what a synthesis includes. The others are ``of_observational_studies``, ``of_case_series`` and
``of_qualitative_studies``."""

_ABOUT = (
    r"\b(?:reporting|quality of|conduct(?:ing)?|guide (?:for|to)|how to|methods? (?:for|of|in)"
    "|methodolog(?:y|ical)"
    "|guidance|prisma|publication bias|defining|users?' guide|tutorial|software|searching in"
    "|statistical methods"
    r"|step-by-step|step by step|search filters?|protocol)\b"
)

_ABOUT_REVIEWING = (
    r"\b(?:librarians?|informationists?|systematic review (?:tasks?|projects?|experience|standards|skills))\b"
)

# Of patients' records, not of the literature.
_OF_RECORDS = r"\breview of <2>(?:history|histories|charts?|records|notes|files|examinations?)\b"

_OBSERVATIONAL = r"(?:observational|cohort|case~control|prospective|epidemiologic\w{0,4}),?"

_POOLED = r"(?:pooled|combined|quantitative),? (?:quantitative )?(?:analys[ie]s|reviews?|overview|synthesis)"

_WE_DID = r"\b(?:we|authors?|was|were|to|and|by|using|design:|methods?:|of|a|the) <2>"

_BASES = r"(?:medline|pubmed|embase|cochrane|cinahl|psycinfo|scopus|web of science|google scholar|central)"

SYSTEMATIC: Final[tuple[TextRule, ...]] = (
    rule(
        "network meta~analys|mixed treatment comparison|multiple treatments meta|multiple-treatments meta",
        r"network meta~analys[ie]s|(?:mixed|multiple)~treatments? (?:comparison|meta~analys)",
        D.NETWORK_META_ANALYSIS,
        0.93,
        where=(TITLE,),
        unless=_ABOUT,
    ),
    rule(
        "network meta~analys|mixed treatment comparison",
        r"(?:network meta~analys[ie]s|mixed~treatment comparison)\b",
        D.NETWORK_META_ANALYSIS,
        0.75,
        where=(ABSTRACT,),
        after=_WE_DID + r"(?:bayesian |frequentist |random~effects? )?",
    ),
    rule(
        "umbrella review|overview of|meta-review|review of systematic|review of reviews"
        "|synthesis of systematic",
        "(?:umbrella review|meta-review|review of reviews|(?:overview|<2>review"
        "|synthesis) of <2>(?:systematic|cochrane) reviews)",
        D.UMBRELLA_REVIEW,
        0.93,
    ),
    rule("meta~analy", r"meta~analy(?:s[ie]s|tic)\b", D.META_ANALYSIS, 0.93, where=(TITLE,), unless=_ABOUT),
    rule(
        "meta~analy",
        r"meta~analy(?:s[ie]s|tic|[sz]ed)\b",
        D.META_ANALYSIS,
        0.80,
        where=(ABSTRACT,),
        after=r"\b(?:(?:we|authors) (?:\w{2,15} ){0,3}(?:an?|the|this)|this|our|present|(?:review"
        "|search) and(?: an?)?"
        "|perform(?:ed)? an?|conduct(?:ed)? an?|by|using|were|in this|in a|were combined <3>"
        "|pooled <4>|aim(?:ed)? to) "
        "(?:updated |random~effects? |bayesian |quantitative |individual |participant |patient "
        "|data |level |dose-response ){0,4}",
        unless=r"\b(?:previous|recent|earlier|published|prior) <3>meta~analys"
        r"|\bin a meta~analysis (?:may|might|could|can|will|would)\b",
    ),
    rule(
        "meta~analys",
        r"meta~analysis (?:was|of|using|included|showed|with|indicated|revealed|demonstrated)\b",
        D.META_ANALYSIS,
        0.50,
        where=(ABSTRACT,),
        unless=r"\b(?:previous|recent|earlier|published|prior|genome|an?|post~hoc) <3>meta~analys",
    ),
    rule(
        "pooled|summary|combined",
        "(?:pooled|summary|combined) (?:odds|relative|risk|hazard|effect|estimate|results? of"
        r"|standardi[sz]ed|weighted|mean|sensitivity|prevalence|rr|or\b)",
        D.META_ANALYSIS,
        0.40,
        where=(ABSTRACT,),
    ),
    rule(
        "observational|cohort|case~control|prospective|epidemiologic|pooled|combined|quantitative",
        rf"(?:{_OBSERVATIONAL} <2>(?:studies|evidence)\b.{{0,80}}\b{_POOLED}"
        rf"|{_POOLED} of <3>{_OBSERVATIONAL} <2>studies"
        r"|quantitative (?:review|overview|synthesis))\b",
        D.META_ANALYSIS,
        0.75,
        where=(TITLE,),
        unless=_ABOUT,
    ),
    rule(
        "scoping review|scoping stud|mapping review|evidence map",
        r"(?:scoping (?:review|study)|mapping review|evidence map)",
        D.SCOPING_REVIEW,
        0.93,
        unless=r"\bguidance|methodolog",
    ),
    rule(
        "systematic|cochrane review|rapid review|integrative review|realist review|evidence synthesis",
        "(?:systematic(?:ally)? <3>(?:review|overview)|cochrane review|(?:rapid|integrative"
        r"|realist) review|evidence synthesis)\b",
        D.SYSTEMATIC_REVIEW,
        0.93,
        where=(TITLE,),
        unless=_ABOUT + r"|\bsystematic review (?:tasks?|process|librarian|team|software|authors?)",
    ),
    rule(
        "systematic",
        r"systematic(?:ally)? <3>(?:review(?:ed)?|overview|search(?:ed)?|literature (?:search|review))\b",
        D.SYSTEMATIC_REVIEW,
        0.80,
        where=(ABSTRACT,),
        after=r"\b(?:(?:we|authors) <3>(?:an?|the)?|we|this|our|present|perform(?:ed)? an?"
        "|conduct(?:ed)? an?|undert(?:ook|aken) an?|using an?"
        "|design: an?|design:|methods?: an?|methods?:|in this|in an?|to|aim(?:ed)? to|through an?"
        "|by an?|were) ?(?:updated |comprehensive )?",
        unless=r"\b(?:previous|recent|earlier|published|prior|guidance|conduct of) <3>systematic|"
        + _OF_RECORDS,
    ),
    rule(
        "systematic literature|systematic review was|systematic search|a systematic review",
        "(?:systematic (?:literature )?(?:review|search) <2>(?:was|were)"
        r"|systematic literature (?:review|search)|a systematic review (?:of|to|and))\b",
        D.SYSTEMATIC_REVIEW,
        0.70,
        where=(ABSTRACT,),
        unless=r"\b(?:previous|recent|earlier|published|prior|guidance) |" + _OF_RECORDS,
    ),
    rule(
        "search|medline|pubmed|embase|cochrane",
        rf"(?:search(?:ed|es|ing)?\b <9>{_BASES}|{_BASES}\b,? <9>(?:was|were|is|for|databases? )? ?search)",
        D.SYSTEMATIC_REVIEW,
        0.58,
        where=(ABSTRACT,),
    ),
    rule(
        "we searched|databases were searched|literature was searched|literature search"
        "|search strategy|search methods",
        "(?:we searched|databases were searched|literature was searched|literature search"
        "|search (?:strategy|methods):?)",
        D.SYSTEMATIC_REVIEW,
        0.45,
        where=(ABSTRACT,),
        unless=_ABOUT_REVIEWING,
    ),
    rule(
        "selection criteria:|data collection and analysis:|study selection:|data extraction:"
        "|study eligibility criteria|study appraisal and synthesis",
        r".",
        D.SYSTEMATIC_REVIEW,
        0.70,
        where=(ABSTRACT,),
    ),
    rule(
        "main results:",
        r".",
        D.SYSTEMATIC_REVIEW,
        0.40,
        where=(ABSTRACT,),
        not_after=r"\b(?:and|measurements|measures) ",
    ),
    rule(
        "studies|trials|rcts|articles|reports|reviews",
        "(?:studies|trials|rcts|articles|reports|reviews) <5>(?:were included|met (?:the|our"
        "|all)? ?(?:inclusion|eligibility|selection)"
        r"|were identified|were eligible|fulfilled <2>criteria|were reviewed|were selected)\b",
        D.SYSTEMATIC_REVIEW,
        0.60,
        where=(ABSTRACT,),
    ),
)

INCLUDED_STUDIES: Final[tuple[TextRule, ...]] = (
    rule(
        "randomi|controlled trials|controlled clinical trials|rcts",
        r"(?:randomi[sz]ed,? <4>(?:trials|studies)|controlled (?:clinical )?trials|rcts)\b",
        None,
        0,
        OF_RANDOMIZED,
        unless=r"\b(?:no|lack of|further|future|need) <4>(?:randomi|controlled)",
    ),
    rule(
        "observational|cohort studies|case~control studies|prospective studies|epidemiologic"
        "|longitudinal studies|non~randomi",
        r"(?:observational,? <2>studies|(?:cohort|case~control|prospective|epidemiologic\w*"
        r"|longitudinal) studies|non~randomi[sz]ed <2>studies)\b",
        None,
        0,
        "of_observational_studies",
        after=r"\b(?:of|included?|eligible|from|in|were|relevant|all|and|or|identified|\d+) (?:\w+,? ){0,4}",
    ),
    rule(
        # A title opens with what it is about: "Observational studies of tea: a pooled analysis".
        "observational|cohort studies|case~control studies|prospective studies|epidemiologic"
        "|longitudinal studies|non~randomi",
        r"(?:observational,? <2>(?:studies|evidence)|(?:cohort|case~control|prospective|epidemiologic\w*"
        r"|longitudinal) studies|non~randomi[sz]ed <2>studies)\b",
        None,
        0,
        "of_observational_studies",
        where=(TITLE,),
    ),
    rule(
        "case series|case reports|case studies",
        r"case (?:series|reports|studies)\b",
        None,
        0,
        "of_case_series",
        after=r"\b(?:of|included?|eligible|from|in|were|only|all|and|or|identified|\d+) (?:\w+,? ){0,3}",
    ),
    rule(
        "qualitative|meta~synthesis|meta~ethnograph",
        r"(?:qualitative <2>(?:studies|research|evidence)|meta~synthesis|meta~ethnograph)",
        None,
        0,
        "of_qualitative_studies",
    ),
)

GUIDELINES: Final[tuple[TextRule, ...]] = (
    rule(
        "guideline|recommendations|practice parameter|scientific statement|clinical practice",
        "(?:(?:clinical |practice |evidence-based "
        r"|management )*guidelines?(?: update)?\b(?! (?:adherence|implementation|compliance))"
        r"|recommendations (?:for|on|of|from)|practice parameter|scientific statement)",
        D.GUIDELINE,
        0.70,
        where=(TITLE,),
        unless=r"\b(?:adherence|complian|implement|impact|effect|evaluat|awareness|knowledge|comparison"
        "|concordance|attitudes"
        "|use of|following|according|versus|survey|trial|barriers|before and after|appraisal of"
        "|quality of|review of)",
    ),
    rule(
        "this guideline|these guidelines|this clinical practice guideline|we developed guidelines"
        "|guideline panel|this practice parameter",
        r".",
        D.GUIDELINE,
        0.60,
        where=(ABSTRACT,),
        unless=r"\b(?:adherence|complian|implement|impact)",
    ),
    rule(
        "consensus|position statement|position paper|delphi",
        "(?:(?:international |expert )?consensus (?:statement|conference|guidelines?"
        "|recommendations|report|document|paper|meeting|development|panel)"
        r"|position (?:statement|paper)|delphi (?:consensus|study|survey|process))",
        D.CONSENSUS_STATEMENT,
        0.80,
        where=(TITLE,),
    ),
    rule(
        "consensus|position statement|position paper|delphi",
        "(?:this (?:consensus|position) (?:statement|paper|document)|consensus (?:conference|panel"
        "|meeting) (?:was|convened)|modified delphi)",
        D.CONSENSUS_STATEMENT,
        0.55,
        where=(ABSTRACT,),
    ),
)
