"""Checks the English of comments, messages and documents where a rule can see it (.github/CONTRIBUTING.md, "Rules").

    english.py [ROOT]

Reads the tracked files of ROOT (default: this repository). Three kinds of findings:

  opening   a comment block of C++, CUDA or proto that begins with Of, As, What, Those, By or For: mostly a fragment
            without a subject ("Of such memory.")
  idiom     a phrase of IDIOMS in a comment, a message or a document
  columns   a line of Markdown beyond 120 columns; tables, code and pictures apart

ALLOWED says how many of a kind a room may have: what is left from before the rule, and sentences that are whole though
they begin so. Rooms without a number may have none. A room with more fails, and all its findings are printed, as
'PATH:LINE: kind: text'; exit status 1. A room that has fewer can have its number lowered.
"""
import collections
import os
import re
import subprocess
import sys

C_LIKE = ('.h', '.cc', '.cu', '.cuh', '.inc', '.proto')
COLUMNS = 120
OPENING = re.compile(r'//+ ?(Of|As|What|Those|By|For)\b')
# The wrong phrase, and what to write.
IDIOMS = {
    r'in any company': 'whatever else is in the batch',
    r'(?:have|has) to be said': 'must be given',
    r'not had here': 'not reproduced here',
    r'cannot be had': 'cannot be allocated, is not available',
    r'turned about': 'transposed, reversed',
    r'asks nobody who': 'does not authenticate',
    r'\bthat are the\b(?= [a-z]+\.)': 'these are the',
    r'\b(?:is|are) no numbers?\b': 'is not a number',
    r'\bbehind (?:the|its|their) (?:end|prefix|last)\b': 'after the end',
    r'\bnobody wants\b': 'is unused',
}
IDIOM = re.compile('|'.join(f'(?:{idiom})' for idiom in IDIOMS), re.I)

ALLOWED = {
    'opening': {},
    'idiom': {},
    'columns': {},
}


def rooms():
    """The rooms with numbers of their own, the longest name first."""
    return sorted({room for allowed in ALLOWED.values() for room in allowed}, key=len, reverse=True)


def room_of(path):
    for room in rooms():
        if path.startswith(room + '/'):
            return room
    return path.split('/')[0] if '/' in path else '.'


def advice(text):
    for idiom, better in IDIOMS.items():
        if re.search(idiom, text, re.I):
            return better
    return ''


def comment_of(line):
    """The comment of a line of C++ and the texts in its quotes."""
    quoted = ' '.join(re.findall(r'"((?:[^"\\]|\\.)*)"', line))
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
    _, slashes, comment = bare.partition('//')
    return f'{quoted} {comment}' if slashes else quoted


def check_source(path, text, report):
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        is_comment = line.lstrip().startswith('//')
        if is_comment and not in_block and OPENING.match(line.strip()):
            report('opening', path, number, line.strip())
        in_block = is_comment
        if IDIOM.search(comment_of(line)):
            report('idiom', path, number, f'{line.strip()} [{advice(line)}]')


def check_document(path, text, report):
    fenced = False
    before = ''
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith('```'):
            fenced = not fenced
        is_code = fenced or line.startswith('    ') and (not before.strip() or before.startswith('    '))
        if not is_code:
            if len(line) > COLUMNS and not line.lstrip().startswith(('|', '![')):
                report('columns', path, number, f'{len(line)} columns')
            # The rule quotes what it forbids, in its table and in backticks.
            prose = re.sub(r'`[^`]*`|"[^"]*"', '', line)
            if not line.startswith('| `') and IDIOM.search(prose):
                report('idiom', path, number, f'{line.strip()} [{advice(prose)}]')
        before = line


def check(root, paths):
    found = collections.defaultdict(list)

    def report(kind, path, number, text):
        found[kind, room_of(path)].append(f'{path}:{number}: {kind}: {text}')

    for path in paths:
        if not path.endswith(C_LIKE + ('.md',)):
            continue
        with open(os.path.join(root, path), encoding='utf-8') as file:
            text = file.read()
        (check_document if path.endswith('.md') else check_source)(path, text, report)
    lines = []
    for (kind, room), texts in sorted(found.items()):
        most = ALLOWED.get(kind, {}).get(room, 0)
        if len(texts) > most:
            lines += texts + [f'english: {len(texts)} of kind {kind} in {room}, expected at most {most}']
    return lines, {key: len(texts) for key, texts in found.items()}


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
    tracked = subprocess.run(['git', 'ls-files', '-z'], cwd=root, check=True, capture_output=True, text=True).stdout
    paths = [path for path in tracked.split('\0') if path and os.path.isfile(os.path.join(root, path))]
    lines, counts = check(root, paths)
    print('\n'.join(lines), end='\n' if lines else '')
    total = collections.Counter()
    for (kind, _), count in counts.items():
        total[kind] += count
    print('english: ' + (', '.join(f'{count} {kind}' for kind, count in sorted(total.items())) or 'nothing found'))
    sys.exit(bool(lines))


if __name__ == '__main__':
    main()
