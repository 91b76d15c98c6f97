"""The only SQL of candidates: ``structure`` loads what providers are, ``usage`` what of them is used."""
