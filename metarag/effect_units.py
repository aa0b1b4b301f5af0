"""What stands behind a number: a unit that shows it is no ratio, a denominator, percentage points."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.effect_tokens import Token

_UNITS = frozenset(
    "beats bpm breaths beat breath months month mo mos years year yr yrs y days day d"
    " weeks week wk wks hours hour h"
    " hr hrs min mins minutes minute s sec secs seconds second ms msec mg kg g mcg"
    " \u03bcg \u00b5g ug ng pg ml l dl"
    " cl mm cm m km mmhg cmh2o cm2 m2 mm2 cm3 mm3 mmol \u03bcmol \u00b5mol umol nmol pmol"
    " iu u meq kcal kj j w hz"
    " points point units unit items steps patients participants persons people subjects"
    " women men children cases"
    " deaths events episodes db db. \u00b0c c mpa kpa kgf n\u00b7m copies cells log10"
    " degrees degree sessions cycles"
    " times doses visits letters dioptres diopters watts meters metres metre liters litres ppm ppb mile miles"
    " millimeters millimetres percent percentage per mmhg. bpm. mph g/l iu/l mu ku lbs lb"
    " pounds euros dollars usd"
    " stones grades grams kilograms score scores anos a\u00f1os meses d\u00edas jahre"
    " monate tage ans mois jours".split()
)
_TIME_OR_DOSE = frozenset(
    "months month mo mos years year yr yrs y days day d weeks week wk wks hours hour h hr"
    " hrs min mins minutes mg kg"
    " g mcg \u03bcg \u00b5g ug ng ml l mm cm iu u patients participants persons people"
    " subjects women men children"
    " cases deaths events episodes anos a\u00f1os meses d\u00edas jahre monate tage ans"
    " mois jours trials studies"
    " centres centers sites doses cycles sessions times visits".split()
)
_COUNTED = frozenset(
    "patients patient persons people participants women men children births pregnancies treated individuals"
    " population adults infants users procedures operations admissions screened vaccinated residents".split()
)
_TIME = frozenset(
    "person-years personyears person patient years year woman child months days py pys yr week weeks".split()
)
_DENOMINATORS = frozenset((100.0, 1000.0, 10000.0, 100000.0, 1000000.0))
_PEOPLE_TIME = frozenset("year years month months day days week weeks yr".split())


_BEATS = frozenset("minute min minutes second sec s hour h hr breath breaths m".split())
_INCREMENTS = frozenset(
    "increase increment increments decrease higher lower additional doubling sd standard unit units rise"
    " quartile quintile tertile decile allele step point points change reduction z-score fold".split()
)


def is_ratio_unit(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether ``tokens[index]`` is a unit that shows that the number before it is no ratio.

    '72 per minute' and '72/min' are heart rates; '1.20 per 10-year increase' is a ratio.
    """
    if index >= len(tokens):
        return False
    token = tokens[index]
    if token.kind == "slash" or token.norm == "per":
        return index + 1 < len(tokens) and tokens[index + 1].norm in _BEATS
    return token.kind == "percent" or (token.kind in ("word", "interval", "label") and token.norm in _UNITS)


def is_unit_of_time_or_dose(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether the number before ``index`` is a time, a dose or a count ('at 12 weeks', 'with 5 mg')."""
    return index < len(tokens) and tokens[index].kind == "word" and tokens[index].norm in _TIME_OR_DOSE


def names_percentage_points(tokens: Sequence[Token], index: int) -> bool:
    """Tell whether ``tokens[index]`` begins '%', 'percent', 'percentage points' or 'pp'."""
    if index >= len(tokens):
        return False
    return tokens[index].kind == "percent" or tokens[index].norm in (
        "percent",
        "percentage",
        "pp",
        "%-points",
        "ppt",
    )


def is_in_points(tokens: Sequence[Token], label: int) -> bool:
    """Tell whether 'percentage-point' stands before a label ('the percentage-point difference was -4.2')."""
    return any(token.norm in ("percentage", "percent") for token in tokens[max(0, label - 4) : label])


def is_per_increment(tokens: Sequence[Token], start: int, stop: int) -> bool:
    """Tell whether 'per 10 mm Hg', 'for each year' or 'per SD increase' stands within the tokens."""
    for index in range(max(0, start), min(stop, len(tokens) - 1)):
        if tokens[index].norm not in ("per", "each", "every"):
            continue
        following = tokens[index + 1 : index + 6]
        words = {part for token in following for part in (token.norm, *token.norm.split("-"))}
        if words & _INCREMENTS:
            return True
        numbered = following[0].kind in ("num", "name") and following[0].value not in _DENOMINATORS
        if numbered or (tokens[index].norm == "per" and following[0].norm in _UNITS - _COUNTED):
            return True
    return False


def per_of(tokens: Sequence[Token], start: int, stop: int) -> tuple[float | None, bool]:
    """Return the denominator in 'per 1000 patients' within the tokens, and whether it is person-time."""
    for index in range(start, min(stop, len(tokens) - 1)):
        if tokens[index].norm != "per" and tokens[index].kind != "slash":
            continue
        number = tokens[index + 1]
        if number.kind not in ("num", "name") or number.value not in _DENOMINATORS:
            continue
        behind = [token.norm for token in tokens[index + 2 : index + 6]]
        timed = any(
            word in _PEOPLE_TIME or word.endswith("-years") or word == "py" for word in behind
        ) or any(unit in number.norm for unit in ("year", "month", "day"))
        return number.value, timed
    return None, False
