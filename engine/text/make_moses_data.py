#!/usr/bin/env python3
"""Writes moses_data.inc: the character classes of Moses's scripts and their lists of abbreviations, as sacremoses 0.2.0
has them (MIT licence). Run in this folder with sacremoses installed, after its release has changed."""

from sacremoses.corpus import NonbreakingPrefixes, Perluniprops
from sacremoses.indic import NUKTAS, VIRAMAS

LANGUAGES = ("de", "en", "ru")  # of the models that were published with this tokenizer


def ranges(characters):
    found = []
    for code in sorted(map(ord, characters)):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return [f"{{0x{first:X}, 0x{last:X}}}," for first, last in found]


def escaped(text):
    return "".join(c if c.isascii() else f"\\u{ord(c):04X}" for c in text)


def write(out, head, entries, tail="};"):
    print(head, file=out)
    line = "   "
    for entry in entries:
        if len(line) + 1 + len(entry) > 100:
            print(line, file=out)
            line = "   "
        line += " " + entry
    print(line, file=out)
    print(tail, file=out)


def main():
    def category(name):
        return {c for c in Perluniprops().chars(name) if not c.isspace()}

    alpha = category("IsAlpha")
    alnum = category("IsAlnum")
    assert alpha < alnum
    with open("moses_data.inc", "w", encoding="ascii") as out:
        print("// Made by make_moses_data.py from sacremoses 0.2.0.", file=out)
        for name, characters in [("Alpha", alpha), ("AlnumNoAlpha", alnum - alpha), ("IndicSigns", set(VIRAMAS + NUKTAS)),
                                 ("Number", category("IsN")), ("Lower", category("IsLower")), ("Currency", category("IsSc"))]:
            write(out, f"constexpr CharacterRange k{name}[] = {{", ranges(characters))
        write(out, "constexpr Abbreviation kAbbreviations[] = {", [
            f'{{"{language}", "{escaped(word.strip())}"}},' for language in LANGUAGES
            for word in NonbreakingPrefixes().words(language)])


if __name__ == "__main__":
    main()
