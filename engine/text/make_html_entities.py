#!/usr/bin/env python3
"""Writes html_entity_table.inc: the named character references of the HTML standard, section 13.5,
as Python's html.entities has them. Run in this folder after the list has changed, which it says it
never will."""

from html.entities import html5


def escaped(text):
    return "".join(
        f"\\x{ord(c):02X}" if ord(c) < 0xA0 else
        f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}" for c in text)


names = sorted(name[:-1] for name in html5 if name.endswith(";"))
bare = {name for name in html5 if not name.endswith(";")}
assert len(names) == 2125 and len(bare) == 106 and bare < set(names)
for name in names:
    assert name.isascii() and name.isalnum()

with open("html_entity_table.inc", "w", encoding="ascii") as out:
    out.write("// Made by make_html_entities.py: name, text, 1 if the semicolon after the name is optional.\n")
    line = ""
    for name in names:
        entry = f'{{"{name}", "{escaped(html5[name + ";"])}", {int(name in bare)}}},'
        if len(line) + len(entry) >= 100:
            out.write(line.rstrip() + "\n")
            line = ""
        line += entry + " "
    out.write(line.rstrip() + "\n")
