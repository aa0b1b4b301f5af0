"""Filters of PubMed that are searches themselves: what their names stand for.

PubMed runs them by name; a local index runs the search.

References
----------
Search strategies of PubMed's Clinical Queries, U.S. National Library of Medicine, after Haynes RB, McKibbon KA,
Wilczynski NL, Walter SD, Werre SR. Optimal search strategies for retrieving scientifically strong studies of
treatment from Medline. BMJ 2005;330:1179, and the group's papers on diagnosis, prognosis, etiology and clinical
prediction guides. The two strategies with a lone asterisk (``diagnostic *``, ``risk *``) list its headings.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

CLINICAL_QUERIES: Final = MappingProxyType(
    {
        "therapy/broad": (
            "((clinical[tiab] AND trial[tiab]) OR clinical trials as topic[mh] OR clinical trial[pt] OR random*[tiab]"
            " OR random allocation[mh] OR therapeutic use[sh])"
        ),
        "therapy/narrow": (
            "(randomized controlled trial[pt] OR (randomized[tiab] AND controlled[tiab] AND trial[tiab]))"
        ),
        "diagnosis/broad": (
            "(sensitiv*[tiab] OR sensitivity and specificity[mh] OR diagnose[tiab] OR diagnosed[tiab]"
            " OR diagnoses[tiab] OR diagnosing[tiab] OR diagnosis[tiab] OR diagnostic[tiab] OR diagnosis[mh:noexp]"
            " OR diagnostic equipment[mh:noexp] OR diagnostic errors[mh:noexp] OR diagnostic imaging[mh:noexp]"
            " OR diagnostic services[mh:noexp] OR diagnosis, differential[mh:noexp] OR diagnosis[sh:noexp])"
        ),
        "diagnosis/narrow": "specificity[tiab]",
        "etiology/broad": (
            "(risk*[tiab] OR risk*[mh:noexp] OR risk adjustment[mh:noexp] OR risk assessment[mh:noexp]"
            " OR risk factors[mh:noexp] OR risk management[mh:noexp] OR risk taking[mh:noexp] OR cohort studies[mh]"
            " OR group[tw] OR groups[tw] OR grouped[tw])"
        ),
        "etiology/narrow": (
            "((relative[tiab] AND risk*[tiab]) OR relative risk[tw] OR risks[tw] OR cohort studies[mh:noexp]"
            " OR (cohort[tiab] AND study[tiab]) OR (cohort[tiab] AND studies[tiab]))"
        ),
        "prognosis/broad": (
            "(incidence[mh:noexp] OR mortality[mh] OR follow up studies[mh:noexp] OR prognos*[tw] OR predict*[tw]"
            " OR course*[tw])"
        ),
        "prognosis/narrow": "(prognos*[tiab] OR (first[tiab] AND episode[tiab]) OR cohort[tiab])",
        "clinical prediction guides/broad": (
            "(predict*[tiab] OR predictive value of tests[mh] OR score[tiab] OR scores[tiab] OR scoring system[tiab]"
            " OR scoring systems[tiab] OR observ*[tiab] OR observer variation[mh])"
        ),
        "clinical prediction guides/narrow": "(validation[tiab] OR validate[tiab])",
    }
)
"""Name in lower case, without ``[filter]``, to the search in our syntax."""
