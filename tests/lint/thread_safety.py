"""Runs clang's -Wthread-safety over the sources of engine, server and client that can see an annotation.

    thread_safety.py COMPILE-COMMANDS [JOBS]

g++ builds the project and knows no -Wthread-safety: clang reads the same commands, syntax only. Headers from elsewhere
that many sources include (the standard library, absl, JSON, prometheus) are read and instantiated once, in a
precompiled header: a third of the time. The check itself runs first, on a source with a fault. The fuzz targets, which
only the preset fuzz compiles, are read too, with the options of a source of the server.

The last line is 'thread safety: N files, N failed'; exit status 1 where one failed.
"""
import collections
import concurrent.futures
import functools
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOMS = ('engine', 'server', 'client')
ANNOTATES = re.compile(r'absl/(base/thread_annotations|synchronization/)')
# A header is precompiled where one source of so many includes it.
OFTEN = 10
# The precompiled header and the sources that use it have these alike; clang refuses one read without -pthread.
COMMON = ('-pthread', '-Qunused-arguments', '-Wno-everything', '-Wthread-safety', '-Werror=thread-safety')
FAULTY = '''#include <mutex>
#include "absl/base/thread_annotations.h"
struct ABSL_LOCKABLE Lock { void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION(); void unlock() ABSL_UNLOCK_FUNCTION(); };
struct Counter { Lock lock; int count ABSL_GUARDED_BY(lock) = 0; };
int Read(Counter& counter) { return counter.count; }
'''


@functools.lru_cache(maxsize=None)
def text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def seen_by(path):
    """The project's files that a file includes, directly or not, with itself."""
    if not os.path.isfile(path):
        return frozenset()
    return frozenset([path]).union(*map(seen_by, re.findall(r'#include "([^"]+)"', text(path))))


@functools.lru_cache(maxsize=None)
def foreign(path):
    """The headers from elsewhere that a file includes directly, with their quotes or brackets."""
    names = re.findall(r'^#include (<[^>]+>|"[^"]+\.(?:h|hpp)")', text(path), re.M)
    return frozenset(name for name in names if not os.path.isfile(name[1:-1]))


def options(command):
    """Those of a compile command, without its compiler, source and output."""
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word in ('-c', '-o'):
            next(words)
        elif kept or word.startswith('-'):
            kept.append(word)
    return kept


def folders(arguments):
    """The include folders among arguments, as the words that give each."""
    words = iter(arguments)
    for word in words:
        if word == '-isystem':
            yield word, next(words)
        elif word.startswith('-I'):
            yield (word,)


def sources(database):
    """(path, working folder, options) of each source that can see an annotation, and of each fuzz target."""
    with open(database, encoding='utf-8') as file:
        entries = json.load(file)
    servers = None
    for entry in entries:
        path = os.path.relpath(os.path.join(entry['directory'], entry['file']))
        if path.startswith('server/api/'):
            servers = servers or entry
        if path.split('/')[0] in ROOMS and any(ANNOTATES.search(text(seen)) for seen in seen_by(path)):
            yield path, entry['directory'], options(entry['command'])
    for path in sorted(glob.glob('tests/fuzz/*.cc')):
        yield path, servers['directory'], [*options(servers['command']), '-DDRAGOMAN_SOURCE_DIR="."']


def precompile(commands, folder):
    """The path of a precompiled header of what many of the sources include."""
    counts = collections.Counter()
    for path, _, _ in commands:
        counts.update(frozenset().union(*map(foreign, seen_by(path))))
    header = os.path.join(folder, 'common.h')
    with open(header, 'w', encoding='utf-8') as file:
        file.writelines(f'#include {name}\n' for name in sorted(counts) if counts[name] * OFTEN >= len(commands))
    given = dict.fromkeys(words for _, _, arguments in commands for words in folders(arguments))
    shared = [word for word in commands[0][2] if re.match(r'-std=|-O|-DNDEBUG$', word)]
    subprocess.run(['clang++', *shared, *COMMON, *(word for words in given for word in words),
                    '-fpch-instantiate-templates', '-x', 'c++-header', header, '-o', header + '.pch'], check=True)
    return header + '.pch'


def run(command, precompiled):
    """(path, whether it passed, what clang said) of a source."""
    path, directory, arguments = command
    result = subprocess.run(['clang++', '-include-pch', precompiled, *arguments, *COMMON, '-fsyntax-only',
                             os.path.abspath(path)], cwd=directory, capture_output=True, text=True, check=False)
    return path, result.returncode == 0, result.stderr


def check(database, jobs):
    commands = list(sources(database))
    if not commands:
        sys.exit(f'thread safety: no source with annotations of {", ".join(ROOMS)} in {database}')
    with tempfile.TemporaryDirectory() as folder:
        precompiled = precompile(commands, folder)
        faulty = os.path.join(folder, 'faulty.cc')
        with open(faulty, 'w', encoding='utf-8') as file:
            file.write(FAULTY)
        _, passed, said = run((faulty, folder, commands[0][2]), precompiled)
        if passed or "requires holding mutex 'counter.lock'" not in said:
            sys.exit(f'thread safety: the fault made for the check was not found: {said or "nothing was said"}')
        bad = 0
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for path, passed, said in pool.map(functools.partial(run, precompiled=precompiled), commands):
                if not passed:
                    bad += 1
                    print(f'{said}thread safety: {path} failed')
    print(f'thread safety: {len(commands)} files, {bad} failed')
    return bad


if __name__ == '__main__':
    sys.exit(check(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()) != 0)
