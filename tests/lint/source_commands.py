"""Writes a compilation database in which each source has its own command.

    source_commands.py COMPILE-COMMANDS OUT

With DRAGOMAN_UNITY cmake compiles sources in groups, and its database has the groups' commands alone. A group is a file
that includes sources by absolute paths, one a line. Commands lose the compiler's precompiled header, which no other
compiler can read.
"""
import json
import os
import re
import sys

GROUP = re.compile(r'/Unity/unity_\d+_cxx\.cxx$')
PRECOMPILED = re.compile(r' -Winvalid-pch -include \S+/cmake_pch\.hxx')


def expand(entries):
    """The entries, those of a group once for each of its sources."""
    for entry in entries:
        if not GROUP.search(entry['file']):
            yield entry
            continue
        with open(entry['file'], encoding='utf-8') as file:
            sources = re.findall(r'^#include "(/[^"]+)"$', file.read(), re.M)
        if not sources:
            sys.exit(f"source_commands: found no source in {entry['file']}, expected one a line")
        for source in sources:
            yield {**entry, 'file': source, 'command': entry['command'].replace(entry['file'], source)}


def main(database, out):
    with open(database, encoding='utf-8') as file:
        entries = [{**entry, 'command': PRECOMPILED.sub('', entry['command'])} for entry in expand(json.load(file))
                   if not entry['file'].endswith('/cmake_pch.hxx.cxx')]
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out, 'w', encoding='utf-8') as file:
        json.dump(entries, file, indent=1)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('source_commands: expected COMPILE-COMMANDS OUT')
    main(*sys.argv[1:])
