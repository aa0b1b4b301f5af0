"""Phrases of animal and laboratory studies, and of people, beside whom animals are background."""

from __future__ import annotations

from typing import Final

from metarag.design_text import ABSTRACT, TITLE, TextRule, rule
from metarag.types import StudyDesign as D

HUMAN_PARTICIPANTS: Final = "human_participants"
"""Label: the abstract speaks of people. It makes animals in the text background, not subjects."""

_BEASTS = (
    "(?:rats?|mice|mouse|rabbits?|guinea pigs?|hamsters?|gerbils?|dogs|cats|horses|pigs|piglets"
    "|swine|sheep|lambs|ewes|goats|cattle|cows|calves|heifers|steers"
    "|broilers?|chickens?|hens|monkeys?|macaques?|baboons|zebrafish|ferrets|foals|mares|sows"
    r"|puppies|beagles?|drosophila|c\. elegans|frogs?|fish|trout|salmon)"
)

HUMANS: Final[tuple[TextRule, ...]] = (
    rule(
        "patients|participants|volunteers|women|children|adults|infants|men|subjects|students"
        "|athletes|swimmers|runners|cyclists",
        "(?:patients|participants|volunteers|women|children|adults|infants|men|subjects|students"
        r"|athletes|swimmers|runners|cyclists)\b",
        None,
        0,
        HUMAN_PARTICIPANTS,
        where=(ABSTRACT,),
    ),
)

LABORATORY: Final[tuple[TextRule, ...]] = (
    rule(
        "rat|mice|mouse|rabbit|guinea pig|hamster|gerbil|dog|cat|horse|pig|swine|sheep|lamb|ewe"
        "|goat|cattle|cow|calves|heifer|steer|broiler|chicken|hen|monkey|macaque"
        "|baboon|zebrafish|ferret|foal|mare|sow|pupp|beagle|drosophila|canine|feline|bovine|porcine"
        "|equine|murine|frog|fish|trout|salmon",
        rf"(?:{_BEASTS}|canine|feline|bovine|porcine|equine|murine)\b",
        D.ANIMAL,
        0.70,
        where=(TITLE,),
        unless=r"\b(?:human|patients?|children|allerg|bite|exposure to|infants|men|women|fish oil|monkeypox"
        "|cow'?s milk|guinea-bissau|equine (?:antivenom|serum|assisted)|bird|owner|hot dog|review"
        "|food|consum|intake)",
    ),
    rule(
        "rats|mice|rabbits|guinea pigs|hamsters|gerbils|dogs|cats|horses|pigs|piglets|swine|sheep"
        "|lambs|ewes|goats|cattle|cows|calves|heifers|steers|broiler|chickens|hens|monkeys|macaques"
        "|zebrafish|ferrets|foals|mares|sows|puppies|beagles",
        rf"{_BEASTS}(?:,? <3>(?:were|was|received|treated|fed|with|given|showed|had|infected|injected"
        r"|lacking|exposed|exhibited|developed|underwent)\b|\b)",
        D.ANIMAL,
        0.58,
        where=(ABSTRACT,),
        after=r"\b(?:in|of|the|male|female|adult|wistar|dawley|evans|wild-type|transgenic|knockout"
        "|knock-out|nude|young|old|aged|control|treated|balb/c|c57bl/6j?|anesthetized"
        "|anaesthetized|healthy|client-owned|lactating|weaned|newborn|pregnant|deficient|diabetic"
        r"|\d+|obese|infected|null|mutant|ovariectomi[sz]ed|hypertensive|from|to|new zealand white"
        r"|neonatal|-/-) \(?",
        unless=r"\b(?:patients|participants|volunteers|women|men|children|allerg|exposure to|contact with"
        r"|bites?)\b",
    ),
    rule(
        "mouse model|rat model|animal model|murine model|xenograft|knockout mice",
        r"(?:(?:mouse|rat|murine|animal) models?|xenografts?|knockout mice)\b",
        D.ANIMAL,
        0.35,
        where=(ABSTRACT,),
        unless=r"\b(?:patients|participants|review|have been|has been)\b",
    ),
    rule(
        "cell line|cells|in vitro|cultured",
        r"(?:cell lines?|cells in vitro|in vitro|cultured <3>cells)\b",
        D.IN_VITRO,
        0.60,
        where=(TITLE,),
        unless=r"\b(?:in vitro fertili[sz]|patients|review|in vivo|ivf)",
    ),
    rule(
        "cell line|in vitro|transfect|cultured|western blot|hela cells|hek293|primary cultures"
        "|assay|crystal structure|knockdown|mutagenesis|recombinant",
        r"(?:cell lines?\b|in vitro\b(?! fertili)|transfect|cultured <3>cells|western blot"
        "|hela cells|hek293|primary cultures|crystal structure|knockdown|mutagenesis)",
        D.IN_VITRO,
        0.50,
        where=(ABSTRACT,),
        unless=r"\b(?:patients|participants|volunteers|review|in vitro fertili)",
    ),
)
