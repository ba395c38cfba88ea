#!/usr/bin/env python3
"""Which folder may include which. The tables below are the architecture; the rest holds the tree to them.

    tests/lint/includes.py [--root DIR]            every include against the tables; exit status 1 if one is wrong
    tests/lint/includes.py [--root DIR] --graph    the edges between rooms as they are, with their counts

Read are the C++ and CUDA files that git knows or would add, tests/ apart: tests may include everything.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

# Room of a path: the longest prefix wins. A prefix is a folder, or a file where a room has no folder yet.
ROOMS = {
    'proto/': 'proto',
    # The contract's options as data, without protobuf: the engine has them too.
    'proto/options/': 'options',
    'kernels/base/': 'kernels/base',
    'kernels/cpu/': 'kernels/cpu',
    'kernels/cuda/': 'kernels/cuda',
    'kernels/search/': 'kernels/search',
    'kernels/ops/': 'kernels/ops',
    'engine/base/': 'engine/base',
    'engine/api/': 'engine/api',
    'engine/request/': 'engine/request',
    'engine/text/': 'engine/text',
    'engine/network/': 'engine/network',
    'engine/documents/': 'engine/documents',
    'engine/model/formats/': 'engine/model/formats',
    'engine/model/tokenizers/': 'engine/model/tokenizers',
    'engine/model/families/': 'engine/model/families',
    'engine/model/layouts/': 'engine/model/layouts',
    'engine/model/layouts/base/': 'engine/model/layouts/base',
    'engine/model/layouts/hf/': 'engine/model/layouts/hf',
    'engine/model/layouts/ct2/': 'engine/model/layouts/ct2',
    'engine/model/layouts/marian/': 'engine/model/layouts/marian',
    'engine/model/layouts/argos/': 'engine/model/layouts/argos',
    'engine/decode/': 'engine/decode',
    'engine/decode/cuda/': 'engine/decode/cuda',
    'engine/schedule/': 'engine/schedule',
    'engine/profile/': 'engine/profile',
    'engine/': 'engine',
    'server/base/': 'server/base',
    'server/settings/': 'server/settings',
    'server/observe/': 'server/observe',
    'server/transport/': 'server/transport',
    'server/models/': 'server/models',
    'server/call/': 'server/call',
    'server/api/': 'server/api',
    'server/compat/': 'server/compat',
    'server/process/': 'server/process',
    'client/': 'client',
}

# Libraries count as rooms. The standard library and the system's headers are open to all.
LIBRARIES = {
    'absl/': 'absl',
    'boost/': 'boost',
    'cublas': 'cuda',
    'cuda': 'cuda',
    'fasttext/': 'fasttext',
    'google/protobuf/': 'protobuf',
    'grpc/': 'grpc',
    'grpcpp/': 'grpc',
    'nlohmann/': 'json',
    'nvtx3/': 'cuda',
    'omp.h': 'openmp',
    'openssl/': 'openssl',
    'prometheus/': 'prometheus',
    'spdlog/': 'spdlog',
    'unicode/': 'icu',
}

# What a room may include besides itself. Each line names only rooms of the lines above it, so that no cycle can be
# written down.
ALLOWED = {
    'proto': '',
    'options': '',
    'kernels/base': '',
    'kernels/cpu': 'kernels/base openmp',
    'kernels/cuda': 'kernels/base cuda',
    'kernels/search': 'kernels/base kernels/cpu kernels/cuda cuda',
    'kernels/ops': 'kernels/base kernels/cpu kernels/cuda kernels/search cuda',
    'engine/base': 'absl json',
    'engine/api': 'options engine/base kernels/base kernels/search absl icu',
    'engine/text': 'engine/base engine/api absl icu',
    'engine/network': 'kernels/base absl',
    'engine/model/formats': 'engine/base absl json',
    'engine/documents': 'engine/base engine/api engine/text engine/model/formats absl icu json',
    'engine/model/tokenizers': 'engine/model/formats engine/base engine/text absl json',
    'engine/model/families': 'engine/model/formats engine/model/tokenizers engine/base engine/network kernels/base '
                             'absl json',
    'engine/model/layouts/base': 'engine/model/families engine/model/formats engine/model/tokenizers '
                                 'engine/base engine/network kernels/base absl',
    'engine/model/layouts/hf': 'engine/model/families engine/model/formats engine/model/layouts/base '
                               'engine/model/tokenizers engine/base engine/network engine/text kernels/base '
                               'kernels/search absl json',
    'engine/model/layouts/ct2': 'engine/model/families engine/model/formats engine/model/layouts/base '
                                'engine/model/tokenizers engine/base engine/network kernels/base absl json',
    'engine/model/layouts/marian': 'engine/model/families engine/model/formats engine/model/layouts/base '
                                   'engine/model/tokenizers engine/base engine/network kernels/base '
                                   'kernels/search absl',
    'engine/model/layouts/argos': 'engine/model/formats engine/model/layouts/base engine/model/layouts/ct2 '
                                  'engine/model/tokenizers engine/base engine/text absl json',
    'engine/model/layouts': 'engine/model/layouts/argos engine/model/layouts/base engine/model/layouts/ct2 '
                            'engine/model/layouts/hf engine/model/layouts/marian engine/base kernels/base absl',
    'engine/decode': 'engine/base engine/network kernels/base kernels/search kernels/ops absl',
    'engine/decode/cuda': 'engine/base engine/api engine/network engine/decode '
                          'kernels/base kernels/cuda kernels/search kernels/ops absl cuda',
    'engine/schedule': 'engine/base engine/api engine/decode kernels/search absl',
    'engine/request': 'engine/base engine/api engine/text engine/model/families engine/model/formats '
                      'engine/model/layouts engine/decode engine/schedule kernels/search absl icu',
    'engine': 'kernels/cpu engine/base engine/api engine/text engine/network engine/model/families '
              'engine/model/formats engine/model/layouts engine/model/layouts/marian engine/decode engine/decode/cuda engine/schedule '
              'engine/request kernels/search absl',
    'engine/profile': 'engine/base engine/api engine/network engine/decode engine/decode/cuda engine '
                      'kernels/base kernels/cuda kernels/search kernels/ops absl cuda',
    'server/base': 'engine/base absl json openssl spdlog',
    'server/settings': 'engine/base engine/api server/base absl json',
    'server/observe': 'proto engine/base engine/api server/base absl grpc prometheus protobuf',
    'server/transport': 'engine/base server/base server/settings absl boost grpc json openssl',
    'server/models': 'engine/base engine/api server/base server/settings server/observe absl openssl',
    'server/call': 'proto options engine/base engine/api engine/text engine/documents server/base server/observe server/models absl '
                   'fasttext icu json openssl protobuf',
    'server/api': 'proto engine/base engine/api engine/documents server/base server/observe server/transport server/models server/call '
                  'absl grpc icu json protobuf',
    'server/compat': 'proto engine/base engine/api engine/documents server/base server/observe server/transport server/models '
                     'server/call server/api absl grpc icu json protobuf',
    'server/process': 'engine/base engine/api engine/profile server/base server/settings server/observe server/transport '
                      'server/models server/call server/api server/compat absl grpc protobuf',
    'client': 'proto options absl grpc json openssl protobuf',
}

# The headers of a room that other rooms may include; a room that is not here has no inner ones.
INTERFACES = {
    'engine/model/formats': [f'engine/model/formats/{name}.h' for name in (
        'byte_reader', 'json', 'lexical_shortlist', 'model_folder', 'tensor_file', 'yaml', 'zip_directory', 'zip_folder')],
    'engine/model/tokenizers': [f'engine/model/tokenizers/{name}.h' for name in (
        'checkpoint_tokenizer', 'ct2_vocabularies', 'marian_vocabularies', 'model_tokens', 'tokenizer_description',
        'tokenizer_rules', 'tokenizer_scheme')],
    'engine/model/families': [f'engine/model/families/{name}.h' for name in (
        'transformer_network', 'family', 'model_spec')],
    'engine/model/layouts/argos': ['engine/model/layouts/argos/package.h'],
    'engine/model/layouts/ct2': ['engine/model/layouts/ct2/directory.h'],
    'engine/model/layouts/hf': ['engine/model/layouts/hf/directory.h'],
    'engine/model/layouts/marian': ['engine/model/layouts/marian/directory.h'],
}

# Edges that the code has and should not: (room, room) -> header -> the files that include it. The list only
# shrinks: an entry that no longer holds fails the check as a new violation does.
KNOWN_VIOLATIONS = {}

SOURCE = re.compile(r'\.(h|cc|cu|cuh|inc)$')
INCLUDE = re.compile(r'\s*#\s*include(?:_next)?\b\s*(.*)')
HEADER = re.compile(r'"([^"]+)"|<([^>]+)>')


class Tables:
    """The five tables; an argument for each that a test has of its own."""

    def __init__(self, rooms=None, libraries=None, allowed=None, known=None, interfaces=None):
        self.rooms = ROOMS if rooms is None else rooms
        self.libraries = LIBRARIES if libraries is None else libraries
        table = ALLOWED if allowed is None else allowed
        self.allowed = {room: names.split() for room, names in table.items()}
        self.known = KNOWN_VIOLATIONS if known is None else known
        self.interfaces = INTERFACES if interfaces is None else interfaces


def longest(prefixes, path):
    """The value of the longest prefix of `path`, or None."""
    fitting = [prefix for prefix in prefixes if path.startswith(prefix)]
    return prefixes[max(fitting, key=len)] if fitting else None


def files_of(root):
    listed = subprocess.run(
        ['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return sorted({path for path in listed.split('\0') if os.path.isfile(os.path.join(root, path))})


def source_of(header, files):
    """The file behind a header: itself, or what it is generated from. None where the tree has neither."""
    message = re.fullmatch(r'(.*?)(\.grpc)?\.pb\.h', header)
    candidates = [header, header + '.in'] + ([f'proto/{message[1]}.proto'] if message else [])
    if header.startswith('options/'):
        candidates.append('proto/' + header)  # the include path of dragoman_options
    return next((path for path in candidates if path in files), None)


class Check:
    def __init__(self, root, tables):
        self.tables = tables
        self.findings = []
        self.edges = collections.Counter()  # (room, room) -> includes
        self.wrong = set()                  # (path, header) of each edge that is not allowed
        files = files_of(root)
        self.files = set(files)
        self.check_tables()
        for path in files:
            if SOURCE.search(path) and not path.startswith('tests/'):
                self.check_file(root, path)
        self.check_known()

    def check_tables(self):
        above = set(self.tables.libraries.values())
        for room, others in self.tables.allowed.items():
            for other in others:
                if other not in above:
                    self.findings.append(f'ALLOWED: {room} -> {other}, which is not above it: '
                                         'a cycle, the wrong order, or no room')
            above.add(room)
        for room in sorted(set(self.tables.rooms.values()) - set(self.tables.allowed)):
            self.findings.append(f'ALLOWED: no line for room {room}')

    def check_file(self, root, path):
        room = longest(self.tables.rooms, path)
        if room is None:
            self.findings.append(f'{path}:1: in no room: ROOMS of tests/lint/includes.py has no prefix of it')
            return
        with open(os.path.join(root, path), encoding='utf-8') as lines:
            for number, line in enumerate(lines, 1):
                if found := INCLUDE.match(line):
                    wrong = self.check_include(path, room, found[1])
                    if wrong:
                        self.findings.append(f'{path}:{number}: {wrong}')

    def check_include(self, path, room, what):
        """What is wrong with one include, or None."""
        header = HEADER.match(what)
        if not header:
            return f'an include that cannot be read: {what.strip()}'
        name = header[1] or header[2]
        if name.startswith('tests/'):
            return f'room {room} may not include tests ("{name}")'
        source = source_of(name, self.files)
        other = longest(self.tables.rooms, source) if source else longest(self.tables.libraries, name)
        # Stubs of services are gRPC's.
        if source and name.endswith('.grpc.pb.h'):
            other = longest(self.tables.libraries, 'grpcpp/')
        if other is None:
            missing = 'is in no room' if source else 'does not exist; paths start at the root of the tree'
            return f'"{name}" {missing}' if source or header[1] else None
        if other == room:
            return None
        self.edges[room, other] += 1
        allowed = self.tables.allowed.get(room, [])
        if other in allowed:
            public = self.tables.interfaces.get(other, [source])
            return None if source in public else (
                f'"{name}" is an inner header of room {other}; others include {", ".join(public)}')
        self.wrong.add((path, name))
        if path in self.tables.known.get((room, other), {}).get(name, ()):
            return None
        return (f'room {room} may not include room {other} ("{name}"); '
                f'allowed: {", ".join(allowed) or "nothing"}')

    def check_known(self):
        for (room, other), headers in self.tables.known.items():
            for header, paths in headers.items():
                for path in paths:
                    if (path, header) not in self.wrong:
                        self.findings.append(
                            f'{path}: no longer a violation of {room} -> {other} ("{header}"): '
                            'remove it from KNOWN_VIOLATIONS of tests/lint/includes.py')

    def graph(self):
        for (room, other), count in sorted(self.edges.items()):
            verdict = ('' if other in self.tables.allowed.get(room, ()) else
                       '  known violation' if (room, other) in self.tables.known else '  WRONG')
            yield f'{room} -> {other}  {count}{verdict}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument('--root', default=os.path.dirname(os.path.dirname(here)), help='of the tree')
    parser.add_argument('--graph', action='store_true', help='print the edges between rooms and stop')
    arguments = parser.parse_args()
    check = Check(arguments.root, Tables())
    if arguments.graph:
        print('\n'.join(check.graph()))
        return 0
    for finding in check.findings:
        print(finding)
    known = sum(len(paths) for headers in check.tables.known.values() for paths in headers.values())
    print(f'includes: {sum(check.edges.values())} between rooms, {known} known violations, '
          f'{len(check.findings)} findings')
    return 1 if check.findings else 0


if __name__ == '__main__':
    sys.exit(main())
