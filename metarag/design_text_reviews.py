"""Phrases of narrative reviews, and of the own measurements that such a review does not have."""

from __future__ import annotations

from typing import Final

from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

OWN_DATA: Final = "own_data"
"""Label: the abstract tells of the authors' own measurements, which a narrative review does not."""

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

OWN_WORK: Final[tuple[TextRule, ...]] = (
    rule(
        "we |here we",
        "(?:here )?we (?:found|investigated|studied|examined|analy|measured|observed|compared"
        "|evaluated|assessed"
        r"|tested|aimed|sought|used|show|demonstrate|propose|developed|performed|conducted|determined)",
        None,
        0,
        OWN_DATA,
        where=(ABSTRACT,),
    ),
    rule(
        "this |present |current |our |in this work|experimental results",
        r"(?:(?:this|present|current|our) (?:study|work)|our (?:results|data|findings)|in this work"
        r"|experimental results)",
        None,
        0,
        OWN_DATA,
        where=(ABSTRACT,),
    ),
    rule(
        "was |were ",
        "(?:was|were) (?:measured|analy|performed|examined|evaluated|compared|assessed|treated"
        "|included|studied"
        r"|investigated|obtained|collected|detected|observed)",
        None,
        0,
        OWN_DATA,
        where=(ABSTRACT,),
    ),
    rule(
        "results:|methods:|p <|p<|p =|p=|p >|p>|n =|n=",
        r".",
        None,
        0,
        OWN_DATA,
        where=(ABSTRACT,),
    ),
)
