"""Weights of the evaluation, in hundredths of the natural logarithm of the odds (scripts/tune/fit_junqi.py)."""

TERMS = {
    "commander": 24.9,
    "corps": 15.1,
    "division": 19.3,
    "brigade": 6.4,
    "regiment": 16.6,
    "battalion": 22.4,
    "company": 12.1,
    "platoon": 10.1,
    "engineer": 11.9,
    "mine": 7.8,
    "bomb": 34.9,
    "unbeaten": 33.6,
    "beaten by": -1.5,
    "bombs on unbeaten": 7.0,
    "engineers at siege": 17.1,
    "hidden ranks": 14.7,
    "in camps": 5.6,
    "steps open": 0.6,
    "few mobile": -15.0,
    "mines at flag": 68.5,
    "guards at flag": 33.8,
    "foes at flag": -250.6,
    "foes near flag": -28.4,
    "approach": 1.0,
    "quiet": 6.4,
    "tempo": 6.8,
}

WORTH = (120.6, 79.3, 68.3, 44.7, 35.6, 34.9, 18.2, 9.0, 13.9, 29.3, 42.1)
"""The worth of pieces, commander to bomb, if nothing except material counts."""
