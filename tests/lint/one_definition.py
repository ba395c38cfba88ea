#!/usr/bin/env python3
"""Finds types and functions that two files define by the same name. Linked into one program they violate the
one-definition rule, which compilers do not report. Finds namespaces of a library's files, too, that are not the
library's own: dragoman::kernels, dragoman::engine, dragoman::server or dragoman::client.

    one_definition.py [ROOT]

Reads the C++ and CUDA files of ROOT (default: this repository) that git knows, except tests/. It compares the types and
the functions that are defined at the scope of a namespace. Names in an unnamed namespace have internal linkage and do
not count, nor do names outside of any namespace. One line for each finding; exit status 1 if there is any.
"""
import collections
import os
import re
import subprocess
import sys

TOKEN = re.compile(r'''(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
                      |(?P<text>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
                      |(?P<word>[A-Za-z_]\w*)
                      |(?P<sign>::|\S)''', re.S | re.M | re.X)
# Files of which a build takes one.
ALTERNATIVES = (
    {'engine/decode/cuda/cuda_none.cc', 'engine/decode/cuda/cuda_probe.cc'},
    {'kernels/cpu/isa_arm.cc', 'kernels/cpu/isa_x86.cc'},
    {'server/call/detect/fasttext_detector.cc', 'server/call/detect/no_detector.cc'},
)
LIBRARIES = ('kernels', 'engine', 'server', 'client')
TYPE_KEYS = ('class', 'struct', 'union', 'enum')
NO_FUNCTION = ('if', 'for', 'while', 'switch', 'return', 'operator', 'static_assert', 'decltype', 'noexcept', 'alignas')


def tokens_of(text):
    return [match.group() for match in TOKEN.finditer(text) if match.lastgroup != 'skip']


def is_word(token):
    return token[0].isalpha() or token[0] == '_'


def without_attributes(tokens):
    """The tokens without [[...]], alignas(...) and __attribute__((...)), and without parameters of templates."""
    out, depth, at = [], 0, 0
    while at < len(tokens):
        token = tokens[at]
        if token == '[' and at + 1 < len(tokens) and tokens[at + 1] == '[':
            while at + 1 < len(tokens) and tokens[at:at + 2] != [']', ']']:
                at += 1
            at += 2
            continue
        if token in ('alignas', '__attribute__', '__launch_bounds__') and at + 1 < len(tokens) and tokens[at + 1] == '(':
            at = end_of(tokens, at + 1, '(', ')')
            continue
        if token == 'template' and at + 1 < len(tokens) and tokens[at + 1] == '<':
            at = end_of(tokens, at + 1, '<', '>')
            continue
        out.append(token)
        at += 1
    return out


def end_of(tokens, at, opening, closing):
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at] == opening) - (tokens[at] == closing)
        at += 1
        if depth == 0:
            break
    return at


def type_of(head):
    """The name of the type that a statement's head defines, with the arguments of a specialisation; '' if none."""
    for at, token in enumerate(head):
        if token == '(':
            return ''
        if token not in TYPE_KEYS:
            continue
        rest = [word for word in head[at + 1:] if word not in ('class', 'struct')]
        name = ''
        for word in rest:
            if word in (':', 'final'):
                break
            name += word
        return name if name and is_word(name) else ''
    return ''


def function_of(head):
    """The name and parameter types of the function that a statement's head begins, as text; '' if it is none."""
    if '(' not in head or '=' in head[:head.index('(')] or 'static' in head:
        return ''
    at = head.index('(')
    name = head[at - 1] if at > 0 else ''
    if not name or not is_word(name) or name in NO_FUNCTION or at < 2 or head[at - 2] == '::' or 'operator' in head[:at]:
        return ''
    parameters = head[at:end_of(head, at, '(', ')')]
    return name + ''.join(parameters)


def definitions(text):
    """Yields (kind, qualified name) of what the text defines at the scope of a namespace."""
    tokens = tokens_of(text)
    scopes, head, at = [], [], 0  # the names of the namespaces; None for an unnamed one
    while at < len(tokens):
        token = tokens[at]
        if token == ';':
            head = []
        elif token == '}':
            if scopes:
                scopes.pop()
            head = []
        elif token == '{':
            clean = without_attributes(head)
            if 'namespace' in clean:
                name = ''.join(clean[clean.index('namespace') + 1:])
                scopes.append(name or None)
                head = []
            elif clean[:1] == ['extern'] and len(clean) == 2:
                scopes.append('')
                head = []
            else:
                kind, name = 'type', type_of(clean)
                if not name:
                    kind, name = 'function', function_of(clean)
                if name and scopes and None not in scopes:
                    yield kind, '::'.join([scope for scope in scopes if scope] + [name])
                at = end_of(tokens, at, '{', '}') - 1
                # A body ends a function; a type's declarators and a variable's initialiser go on to ';'.
                if kind == 'function' and name or (at + 1 < len(tokens) and tokens[at + 1] != ';'):
                    head = []
        else:
            head.append(token)
        at += 1


def files_of(root):
    listed = subprocess.run(['git', '-C', root, 'ls-files', '--cached', '--others', '--exclude-standard'], check=True,
                            capture_output=True, text=True).stdout
    return [path for path in listed.splitlines()
            if path.endswith(('.h', '.cc', '.cu', '.cuh')) and not path.startswith('tests/')
            and os.path.exists(os.path.join(root, path))]


def other_namespaces(path, text):
    """The namespaces of the project that a file opens outside of its library's own."""
    library = path.split('/', 1)[0]
    opened = re.findall(r'^namespace (dragoman(?:::\w+)*)', text, re.M)
    if library not in LIBRARIES:
        return []
    own = f'dragoman::{library}'
    return [f'{path} opens namespace {name}, expected {own}' for name in opened
            if name != own and not name.startswith(own + '::')]


def findings(root):
    places = collections.defaultdict(set)
    found = []
    for path in files_of(root):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            text = file.read()
        found += other_namespaces(path, text)
        for kind, name in definitions(text):
            places[kind, name].add(path)
    return found + [f'{kind} {name} is defined in {" and ".join(sorted(paths))}, expected one of them'
                    for (kind, name), paths in sorted(places.items()) if len(paths) > 1 and paths not in ALTERNATIVES]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    found = findings(root)
    print('\n'.join(found + [f'one definition: {len(files_of(root))} files, {len(found)} findings']))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
