"""Whether a question is written in another language than English, by the small words that every sentence needs."""

from __future__ import annotations

import re
from typing import Final

# German, French, Spanish, Italian, Portuguese, Dutch: articles, prepositions, conjunctions, forms of "to be". Left
# out is what is a word of English or of its medicine too ("die", "on", "con", "per", "de novo", "en bloc").
_OTHER: Final = frozenset(
    """der das den dem ein eine einer einen einem bei beim und ist sind mit für von vom zum zur oder nicht wie
    wird werden welche hat nach auf aus durch über gegen kann hilft wirkt
    le les des du une est en sont contre chez pour dans avec sur que quel quelle quels quelles et aux ou
    la el los las una para del por entre sobre cuál qué más son
    il gli nel nell dell nella nei nelle della delle dei degli che è sono alla negli
    os um uma com em não são dos das pelo pela
    het een van voor bij met zijn wordt naar""".split()
)
# Words that no English sentence has, one of which is enough where nothing in it is English: what a short question
# asks (verbs and question words), and for whom.
_TELLING: Final = frozenset(
    """ist sind für ein eine einer einen einem bei beim gegen oder nicht sich wird werden hilft helfen wirkt wirken
    senkt senken verhindert verhindern verbessert schützt reduziert heilt lindert verursacht erhöht verringert beugt
    nützt schadet macht kann können soll sollte sollten darf welche welcher welches wie warum wann gefährlich sicher
    nötig sinnvoll verlängert kinder kindern erwachsene erwachsenen schwangere schwangeren frauen behandlung
    vorbeugung wirkung wirksam wirksamkeit blutdruck schlaganfall herzinfarkt kopfschmerzen schmerzen
    chez dans avec sont quel quelle quels quelles comment combien pourquoi peut peuvent doit faut prévient prévenir
    réduit réduire aident améliore guérit soigne soulage diminue augmente efficace efficacité traitement traite
    traiter utile utiles dangereux dangereuse enfants enfant adultes femmes maladie risque grossesse douleur
    douleurs évite protège
    una cuál cuáles qué cómo por ayuda ayudan previene previenen mejora mejoran sirve sirven cura alivia eficaz
    eficacia tratamiento trata puede pueden debe niños adultos mujeres embarazo enfermedad riesgo pacientes
    disminuye aumenta funciona seguro segura peligroso
    nell nella nei nelle dell della delle dei degli negli aiuta aiutano prevengono riduce riducono migliora
    migliorano guarisce allevia può possono deve quale quali quanto contro bambini adulti donne gravidanza malattia
    rischio terapia trattamento efficacia sicuro sicura utili
    uma pela pelo qual quais como ajuda ajudam previne previnem reduz reduzem melhora melhoram pode podem não
    tratamento crianças mulheres gravidez doença risco eficácia diminui perigoso
    het een zijn bij tegen voor naar wordt helpt helpen voorkomt voorkomen verlaagt verlagen vermindert verbetert
    werkt werken geneest beschermt veilig gevaarlijk nodig welke waarom kinderen volwassenen vrouwen zwangerschap
    behandeling hoofdpijn beroerte risico""".split()
)
_ENGLISH: Final = frozenset(
    """the of and are does do did with for to than what which who how by from should when whether there been
    have has be can could will would""".split()
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_SIGN: Final = re.compile(
    r"[¿¡]"
    # An article before a small letter; "La Crosse virus" and "à la carte" are English.
    r"|\b(?<!de )(?<!à )(?<!a )(?<!-)(?:la|el|les|gli)\s+(?!crosse|leche|carte|mode|grippe|belle)[a-zà-ÿ]{4}"
    # "L'aspirine", "all'ictus", "cos'è"; not "d'", which English has borrowed (peau d'orange).
    r"|\b(?:qu|[lnsc]|(?:d|n|s|c)?(?:e|a|u)ll|un|cos|dov|quest)['’](?!hermitte)(?=[aeiouhyàâèéêëîïôöù])"
    r"|-t-(?:elle|il|on)s?\b|\best-(?:ce|il|elle)\b|\bpeut-(?:on|il|elle)\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"\b[Ll]['’](?=[A-ZÀ-Þ])")
"""Of a person: L'Hermitte."""
_LETTER: Final = re.compile(r"[äöüßàâçéèêëîïôûùñáíóúìòãõ]")
_SURNAME: Final = re.compile(r"\bvan (?:der|den|de) (?=[A-Z])", re.IGNORECASE)
"""Of a disease that is named after somebody."""
_FEWEST: Final = 2


def seems_foreign(text: str) -> bool:
    """Tell whether a text is in another language than English, from two small words of it or one that tells.

    Two small words of another language tell it where they are more than those of English. Where no word is
    of English, one sign is enough: a verb or noun that short questions are asked with ("hilft", "previene"),
    a mark or an elision ("¿", "l'aspirine"), or two words that are small or have letters that English lacks.
    Abbreviations do not count: "DES" is a stent, "des" is French.

    Parameters
    ----------
    text : str
        A question.
    """
    text = _SURNAME.sub(" ", text)
    words = {word.lower() for word in _WORD.findall(text) if word[1:].islower()}
    other, english = len(words & _OTHER), len(words & _ENGLISH)
    if other >= _FEWEST and other > english:
        return True
    if english:
        return False
    lettered = {word for word in _WORD.findall(text) if word.islower() and _LETTER.search(word)}
    return (
        bool(words & _TELLING or _SIGN.search(_NAMED.sub(" ", text)))
        or len(lettered | words & _OTHER) >= _FEWEST
    )
