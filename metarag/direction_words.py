"""Words that say which way something went, for :mod:`metarag.direction`. Patterns only."""

from __future__ import annotations

import re

PEOPLE = (
    r"(?:patients|people|women|men|children|infants|adults|participants|subjects|individuals|persons|mothers|survivors"
    r"|those)"
)
"""Words for those who take part."""
# A semicolon in brackets parts numbers, not clauses.
CLAUSE_END = re.compile(
    r"(?:\.(?=\s)|;(?=\s)(?![^()]{0,200}\))|,? (?:but|whereas|while|although|however|though)\b)"
)

DENIED = re.compile(
    r"\bno (?:[\w/-]{1,30} ){0,5}?(?:differences?|effects?|changes?|increases?|decreases?"
    r"|reductions?|improvements?"
    r"|benefits?|impact|associations?|evidence|influence|interactions?|alterations?|advantages?|excess)\b"
    r"|\b(?:not|neither|nor|never|cannot|none)\b (?!only)(?:[\w/-]{1,30} ){0,5}?(?:differ\w*"
    r"|significan\w*|chang\w*|affect\w*"
    r"|improv\w*|increas\w*|reduc\w*|decreas\w*|alter\w*|influenc\w*|associated|superior"
    r"|inferior|effective|lower(?:ed)?|fewer"
    r"|higher|enhanc\w*|modif\w*|reach\w*|show\w*|result\w*|found|detect\w*|observ\w*|benefit|statistically"
    r"|greater|better|prevent\w*|protect\w*|more|less)\b"
    # "Reduced neither", "by neither", "neither of the two doses of it reduced".
    r"|\b(?:reduc|decreas|increas|improv|prevent|affect|lower|chang|alter|influenc|reliev|rais|worsen)\w* neither\b"
    r"|\b(?:at|by|with|in) neither\b|\bneither fewer\b"
    r"|\b(?:neither|none) of (?:[\w/-]{1,30} ){1,8}?(?:differ|chang|affect|improv|increas|reduc|decreas|prevent|lower)\w*"
    r"|\bby no means\b|\bno (?:more|fewer|less|greater|higher|lower|better|worse)\b(?! than \d)"
    r"|\b(?:similar|comparable|unchanged|unaffected|unaltered|equivalent|identical|equal|equally|the same"
    r"|non-?significant(?:ly)?|nonsignificant(?:ly)?|insignificant(?:ly)?|non-?inferior\w*)\b"
    r"|\b(?:fail(?:ed|s)? to|(?:unable|not able) to|trends? (?:towards?|to|for)|unlikely to|lack of"
    r"|tend(?:ed|ency) to(?:wards?)?"
    r"|without (?:[\w/-]{1,30} ){0,4}?(?:differences?|effect|changes?|increase|decrease|altering|affecting)"
    r"|little (?:effect|difference|impact))\b|\bNS\b|\bn\.s\.",
    re.IGNORECASE,
)
BETWEEN_GROUPS = re.compile(r"\b(?:between|groups?|arms?|treatments?|formulas)\b", re.IGNORECASE)

_UP = (
    r"increas\w*|higher|greater|more|longer|larger|rose|rise|elevat\w*|gain(?:ed)?"
    r"|enhanc\w*|raised?|prolong\w*"
    r"|accelerat\w*|exceed\w*|doubled|tripled|augment\w*|faster|stronger|heavier"
    r"|stimulat\w*|promot\w*|up-?regulat\w*"
)
_DOWN = (
    r"decreas\w*|lower(?:ed|ing|s)?|reduc\w*|fewer|less|rarer|shorter|shorten\w*|smaller"
    r"|declin\w*|fell|fall|drop(?:ped)?"
    r"|diminish\w*|attenuat\w*|suppress\w*|prevent\w*|inhibit\w*|blunt\w*|lessen\w*|halved|slower|weaker"
    r"|down-?regulat\w*|minimi[sz]\w*|alleviat\w*|relie[fv]\w*|eliminat\w*|abolish\w*|limited"
    r"|protect(?:ed|s|ing) (?:[\w-]+ )?against"
)
_BETTER = r"improv\w*|better|superior\w*|favou?r\w*|benefi\w*|ameliorat\w*|progress"
_WORSE = r"wors\w*|inferior\w*|deteriorat\w*|impair\w*|poorer"
CHANGED = re.compile(
    rf"\b(?<!one or )(?:(?P<down>{_DOWN})|(?P<up>{_UP})|(?P<better>{_BETTER})|(?P<worse>{_WORSE}))\b",
    re.IGNORECASE,
)
STRENGTH = frozenset("greater larger more higher stronger further bigger".split())
"""Words that only strengthen a change named right behind them: 'a greater reduction'."""
WEAKNESS = frozenset("less smaller".split())

P_VALUE = re.compile(
    r"\b[pP](?:[ -]?values?)?\s?(?P<sign>[<>=\u2264\u2265])[=<>]?\s?(?P<value>\d?\s?[.\u00b7,]\s?\d+)"
)
SIGNIFICANT = re.compile(r"\bsignifican(?:t|tly|ce)\b|\bmarkedly\b|\bsubstantial", re.IGNORECASE)

IN_CONTROL = re.compile(
    r"[^,;.(]{0,60}?\b(?:in|with|for|among|by|on) (?:the |those |patients )?(?:[\w-]{1,30} ){0,2}?"
    r"(?:placebo|controls?|sham|usual care|standard care|conventional|untreated|waiting"
    r"|wait-?list|comparator)\b",
    re.IGNORECASE,
)
# "Placebo was associated with a higher risk", "patients given placebo had more deaths".
CONTROL_HAD = re.compile(
    r"\W*(?:the |patients |participants |those |people |women |men |in |on |with |given |receiving |taking"
    r"|(?:assigned|allocated|randomi[sz]ed) to ){0,4}(?:placebo|controls?|sham|usual care|standard care)"
    r"(?: groups?| arms?| patients| recipients| participants)?,? (?:(?:was|were|is) associated|had|increased|raised"
    r"|led to|resulted in|experienced|showed)\b",
    re.IGNORECASE,
)
THAN = re.compile(r"\b(?:than|compared|versus|vs|relative)\b", re.IGNORECASE)
