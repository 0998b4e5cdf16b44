"""The rules, notation, knowledge and searchers of the four games. Knows no protocol."""
