"""Phrases of syntheses: systematic and narrative reviews, meta-analyses, guidelines, consensus.

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

OWN_DATA: Final = "own_data"
"""Label: the abstract tells of the authors' own measurements, which a narrative review does not."""

_ABOUT = (
    r"\b(?:reporting|quality of|conduct(?:ing)?|guide (?:for|to)|how to|methods? (?:for|of|in)"
    "|methodolog(?:y|ical)"
    "|guidance|prisma|publication bias|defining|users?' guide|tutorial|software|searching in"
    "|statistical methods"
    r"|step-by-step|step by step|search filters?|protocol)\b"
)
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
        unless=r"\b(?:previous|recent|earlier|published|prior) <3>meta~analys",
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
        unless=r"\b(?:previous|recent|earlier|published|prior|guidance|conduct of) <3>systematic",
    ),
    rule(
        "systematic literature|systematic review was|systematic search|a systematic review",
        "(?:systematic (?:literature )?(?:review|search) <2>(?:was|were)"
        r"|systematic literature (?:review|search)|a systematic review (?:of|to|and))\b",
        D.SYSTEMATIC_REVIEW,
        0.70,
        where=(ABSTRACT,),
        unless=r"\b(?:previous|recent|earlier|published|prior|guidance) ",
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

REVIEWS: Final[tuple[TextRule, ...]] = (
    rule(
        "review|an overview|overview of|update on|a primer",
        r"(?:review(?: of| article)?|an overview|overview of|update on|a primer)\b",
        D.NARRATIVE_REVIEW,
        0.80,
        where=(TITLE,),
        not_after=r"\b(?:retrospective|chart|record|records|peer|case|utili[sz]ation|year|years|institutional"
        "|clinical"
        "|pathologic|pathological|ethics|board|drug|single|center|experience|histologic|judicial"
        "|performance|systematic) ",
        unless=r"\b(?:review of (?:our|\d+|one hundred|medical|<2>(?:cases|patients|experience))"
        "|chart review|review board"
        r"|peer~review|in review)\b",
    ),
    rule(
        "literature review|review of the literature|review of literature|reviewing the literature",
        r"(?:literature review|review(?:ing)? of (?:the )?<2>literature|reviewing the literature)",
        D.NARRATIVE_REVIEW,
        0.55,
        "with_literature_review",
    ),
    rule(
        "review",
        "review(?:s)? <5>(?:is|will|aims?|focus(?:es)?|discuss(?:es)?|summari[sz]es?|describes?"
        "|provides?|highlights?|covers?"
        r"|presents?|considers?|deals?|explores?|addresses|examines|outlines|attempts|covers|we|the)\b",
        D.NARRATIVE_REVIEW,
        0.80,
        where=(ABSTRACT,),
        after=r"\b(?:this|the present|present|our|current) (?:\w{3,15} ){0,2}(?:\w+ and )?",
        not_after=r"\b(?:chart|retrospective|record|systematic) ",
    ),
    rule(
        "review",
        r"review\b",
        D.NARRATIVE_REVIEW,
        0.75,
        where=(ABSTRACT,),
        after=r"\b(?:in this|purpose of|in the present|this|this is an?|aim of this|present an?"
        "|provide an?|comprehensive"
        "|short|brief|mini|narrative|pictorial|literature|goal of this|topic of this"
        r"|an? up-to-date) (?:\w{3,15} ){0,1}",
        not_after=r"\b(?:chart|retrospective|record|records|systematic|case|medical|year|scoping) ",
        unless=r"\b(?:chart|patients|cases|charts|records) <3>review|retrospective|review (?:of"
        r"|identified) <4>(?:patients|cases|records|charts)\b",
    ),
    rule(
        "we review|we briefly review|we critically review|reviews the|reviews some|reviews recent"
        "|reviews current"
        "|article reviews|paper reviews|report reviews|chapter reviews|authors review"
        "|we have reviewed|we also review|we here review|reviewing",
        r"(?:we (?:have |also |here |briefly |critically )?review\b|reviews <1>\w|(?:article|paper"
        "|report|chapter) reviews"
        r"|authors review\b|reviewing (?:the|current|recent|published))",
        D.NARRATIVE_REVIEW,
        0.70,
        where=(ABSTRACT,),
        unless=r"\b(?:charts?|records|patients|cases|files|experience)\b",
    ),
    rule(
        "review",
        r"reviewed\b",
        D.NARRATIVE_REVIEW,
        0.60,
        where=(ABSTRACT,),
        after=r"\b(?:is|are|literature was|literature is|also|and|been|briefly|article|management|therapy) ",
        unless=r"\b(?:charts?|records|patients|files|experience|cases|slides|retrospectively)\b",
    ),
    rule(
        "this article|this paper|this chapter|this manuscript|this overview|this update"
        "|this perspective|this minireview"
        "|this mini-review|the present article|the article|the paper|this report",
        "(?:this|the|the present) (?:article|paper|chapter|manuscript|overview|update|perspective"
        "|mini~?review|report) <2>"
        "(?:discuss|summari[sz]e|outline|highlight|overview|provides? an? (?:<1>)?(?:overview"
        "|summary|update)|deals with|covers)",
        D.NARRATIVE_REVIEW,
        0.60,
        where=(ABSTRACT,),
    ),
    rule(
        "we discuss|we summari|we provide an overview|we highlight|we outline|we here discuss"
        "|we then discuss|we also discuss"
        "|we will discuss|here, we summari|we focus on|we describe the current|we conclude by"
        "|we finally discuss",
        "(?:we <1>(?:discuss|summari[sz]e|highlight|outline|provide an overview|focus on"
        r"|describe the current|conclude by)\b)",
        D.NARRATIVE_REVIEW,
        0.55,
        where=(ABSTRACT,),
        unless=r"\b(?:our (?:findings|results|data)|patient|case|results)\b",
    ),
    rule(
        "is discussed|are discussed|are summari|is summari|are outlined|are highlighted"
        "|discussed in|will be discussed|are presented and discussed",
        "(?:(?:is|are|will be) <1>(?:discussed|summari[sz]ed|outlined|highlighted"
        "|presented and discussed)|discussed in)",
        D.NARRATIVE_REVIEW,
        0.25,
        where=(ABSTRACT,),
        unless=r"\bcase\b",
    ),
    rule(
        "current|recent|new|emerging|advances|progress|challenges|perspectives|state of the art"
        "|where do we stand|future"
        "|management of|role of|mechanisms|targeting|overview|pathogenesis|biology of|diagnosis and"
        "|prevention and|approach to|molecular genetics",
        "(?:current (?:<2>)?(?:understanding|management|concepts|status|perspectives?|treatment"
        "|therap|strateg|knowledge|trends|opinion|options)"
        "|recent (?:advances|developments|progress)|new (?:insights|concepts|strategies"
        "|perspectives)|emerging (?:<1>)?(?:therap|role|treat|target)"
        r"|advances in|progress(?:es)? (?:in|towards?)|challenges (?:in|of|and)|perspectives\b"
        "|state of the art|where do we stand"
        "|future (?:directions|perspectives|prospects)|(?:pathogenesis|diagnosis"
        "|prevention) and (?:management|treatment|therapy)"
        r"|approach to the)",
        D.NARRATIVE_REVIEW,
        0.55,
        where=(TITLE,),
    ),
    rule(
        "data sources:|data synthesis:|recent findings:|purpose of review|implications for nursing"
        "|design: review of|best evidence topic",
        r".",
        D.NARRATIVE_REVIEW,
        0.75,
        where=(ABSTRACT,),
    ),
    rule(
        "have been summari|has been summari|been reported so far|reported so far|recent years"
        "|in recent years|past decade|the past few|remains to be|remain to be",
        "(?:(?:have|has) been summari[sz]ed|reported so far|(?:in )?recent years"
        "|past (?:few )?(?:decade|years)|remains? to be)",
        D.NARRATIVE_REVIEW,
        0.25,
        where=(ABSTRACT,),
    ),
    rule(
        "the role of|role of|genetics of|mechanisms of|biology of|pathogenesis of|opportunities"
        "|targeting|harnessing|insights|many faces|prospects|a model|toward"
        "|targets|treatment of|management of|therapy of|prevention of|approaches|strategies|options"
        "|potential of|implications of|epidemiology of|immunology of"
        "|late effects|the use of|pathophysiology",
        r".",
        D.NARRATIVE_REVIEW,
        0.40,
        where=(TITLE,),
    ),
    rule(
        "systematic reviews|meta~analyses",
        r"(?:systematic reviews|meta~analyses)\b",
        None,
        0,
        "about_syntheses",
        where=(TITLE,),
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

OWN_WORK: Final[tuple[TextRule, ...]] = (
    rule(
        "we found|we investigated|we studied|we examined|we analy|we measured|we observed"
        "|we compared|we evaluated|we assessed|we tested|we aimed|we sought|we used|we show"
        "|we demonstrate"
        "|we propose|we developed|we performed|we conducted|we determined|here we|this study"
        "|present study|current study|our study|our results|our data|our findings|results:|methods:"
        "|p <|p<|p =|p=|p >|p>|n =|n="
        "|were measured|were analy|was performed|were performed|was measured|were examined"
        "|was examined|were evaluated|was evaluated|were compared|were assessed|were treated"
        "|were included|were studied|was studied"
        "|was investigated|were investigated|were obtained|were collected|were detected"
        "|was detected|was observed|were observed|in this work|this work|experimental results",
        r".",
        None,
        0,
        OWN_DATA,
        where=(ABSTRACT,),
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
