"""Checks that citations lead somewhere: to sections of SEARCH.md, documents, their sections, linked files.

    citations.py [ROOT]

Reads the tracked files of ROOT (default: this repository). One line for each finding, 'PATH:LINE: what is wrong, what
was expected'; exit status 1 if there is any.

A citation stands in prose: in a comment (in Python also a docstring) or in a Markdown document outside of code blocks.
It is one of these:
  * A label such as a.7 or d.2.4, outside of backticks: a letter of a to f, a dot, a number. A second number is an item
    of the section's numbered list. Behind 'SEARCH.md' also d, 0.2 and lists ('SEARCH.md a.4, c'). The file must name
    SEARCH.md no later than its first label.
  * The name of a document that ends in .md. With a folder it is looked for from the citing file's folder, then from the
    root. Without one it is looked for in that folder and those above it (the README.md of the root is meant only by
    files of the root), then anywhere, if just one document has the name.
  * The title of a section behind either of these: a comma, then the whole title in double quotes.
  * A relative link of a Markdown document, with or without an anchor.
"""
import io
import os
import posixpath
import re
import subprocess
import sys
import tokenize

SEARCH = 'kernels/search/SEARCH.md'
C_LIKE = ('.h', '.cc', '.cu', '.cuh', '.inc', '.proto')
HASH = ('.sh', '.cmake', 'CMakeLists.txt')

LABEL = r'[a-f]\.[1-9]\d*(?:\.[1-9]\d*)?(?![\w]|\.\d)'
LOOSE = rf'(?:{LABEL}|0(?:\.[1-9]\d*)?(?![\w.]*\w)|[a-z](?!\w))'
LABELS = re.compile(rf'(?<![\w.]){LABEL}')
OWN_LABELS = re.compile(rf'(?<![\w.])(?:{LABEL}|0\.[1-9](?!\w))')
AFTER_NAME = re.compile(rf'SEARCH\.md\)?\s+({LOOSE}(?:(?:,|,?\s+and)\s+{LOOSE})*)')
NAMES = re.compile(r'(?<![\w/.:-])[\w./-]*[\w-]\.md\b(?!\w)')
TITLE = re.compile(r'[`)]*(?:\([^()\s]*\))?[`)]*,\s+"([^"]+)"')
LINK = re.compile(r'\[[^\]]*\]\(([^()\s]+)\)')
C_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\[^\n\']+|[^\'\\\n])\'', re.S)
HASH_COMMENT = re.compile(r'(?:^|(?<=\s))#[^\n]*', re.M)
FENCE = re.compile(r'^ *```.*?^ *```[^\n]*$', re.M | re.S)
INDENTED = re.compile(r'(?:(?<=\n\n)|\A)(?: {4}[^\n]*\n|\n(?= {4}))+')
SPAN = re.compile(r'`[^`\n]*`')
HEADING = re.compile(r'^(#{1,6})[ \t]+(.*?)[ \t]*$', re.M)


def blank(text):
    return re.sub(r'[^\n]', ' ', text)


def only(text, ranges):
    """`text` with everything outside of the ranges blanked."""
    parts, at = [], 0
    for begin, end in ranges:
        parts += [blank(text[at:begin]), text[begin:end]]
        at = end
    return ''.join(parts + [blank(text[at:])])


def python_prose(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    ranges = []
    begins = True  # a statement; a string there is a docstring
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (begins and token.type == tokenize.STRING):
            ranges.append((starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return only(text, ranges)


def prose_of(path, text):
    """The prose of a file, at its places; what is none is spaces."""
    if path.endswith('.md'):
        text = FENCE.sub(lambda m: blank(m.group()), text)
        return INDENTED.sub(lambda m: blank(m.group()), text)
    if path.endswith('.py'):
        return python_prose(text)
    if path.endswith(HASH):
        prose = only(text, [m.span() for m in HASH_COMMENT.finditer(text)])
        return re.sub(r'#', ' ', prose)
    comments = [m.span() for m in C_TOKENS.finditer(text) if m.group().startswith(('//', '/*'))]
    return re.sub(r'//+', lambda m: ' ' * len(m.group()), only(text, comments))


def one_line(text):
    return ' '.join(text.split())


def plain(title):
    """A heading as it is read: without marks of code, emphasis and links."""
    return one_line(re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', title).replace('`', '').replace('*', ''))


def slug(title):
    return re.sub(r'[^\w\- ]', '', plain(title).lower()).replace(' ', '-')


class Tree:
    def __init__(self, root, paths):
        self.root = root
        self.paths = set(paths)
        self.folders = {''}
        for path in paths:
            while path := posixpath.dirname(path):
                self.folders.add(path)
        self.headings = {}

    def read(self, path):
        with open(os.path.join(self.root, path), encoding='utf-8', errors='replace') as file:
            return file.read()

    def headings_of(self, path):
        if path not in self.headings:
            found = HEADING.findall(prose_of(path, self.read(path)))
            self.headings[path] = [title for _, title in found]
        return self.headings[path]

    def labels(self):
        """The labels of SEARCH.md: those of its headings, and of the numbered items below them."""
        if SEARCH not in self.paths:
            return set()
        labels, section = set(), None
        for line in self.read(SEARCH).splitlines():
            heading = re.match(r'#{2,3} ((?:0|[a-f])(?:\.\d+)?)\.? ', line)
            item = re.match(r'(\d+)\. ', line)
            if heading:
                section = heading.group(1)
                labels.add(section)
            elif item and section:
                labels.add(f'{section}.{item.group(1)}')
            elif line.startswith('#'):
                section = None
        return labels

    def document(self, name, citing):
        """The document that a file means by a name, or None."""
        folder = posixpath.dirname(citing)
        if '/' in name:
            for base in (folder, ''):
                path = posixpath.normpath(posixpath.join(base, name))
                if path in self.paths:
                    return path
            return None
        while True:
            path = posixpath.join(folder, name)
            if path in self.paths and (folder or not posixpath.dirname(citing) or name != 'README.md'):
                return path
            if not folder:
                break
            folder = posixpath.dirname(folder)
        same = [path for path in self.paths if posixpath.basename(path) == name]
        return same[0] if len(same) == 1 else None


def check_file(tree, labels, path, report):
    text = tree.read(path)
    if '.md' not in text and not LABELS.search(text):
        return
    prose = prose_of(path, text)
    bare = SPAN.sub(lambda m: blank(m.group()), prose)

    def title_behind(end, document):
        title = TITLE.match(prose, end)
        if title is None:
            return
        wanted = one_line(title.group(1))
        if wanted not in map(plain, tree.headings_of(document)):
            report(path, prose, title.start(1), f'"{wanted}" is no heading of {document}, expected a title of it')

    cited = {}  # place -> label
    for match in (OWN_LABELS if path == SEARCH else LABELS).finditer(bare):
        cited[match.start()] = match.group()
    first_name = 0 if path == SEARCH else prose.find('SEARCH.md')
    for match in AFTER_NAME.finditer(prose):
        for label in re.finditer(rf'(?<![\w.]){LOOSE}', match.group(1)):
            cited[match.start(1) + label.start()] = label.group()
    for place, label in sorted(cited.items()):
        if label not in labels:
            report(path, prose, place, f'{label} is no section of {SEARCH}, expected one of its labels')
        elif not 0 <= first_name <= place:
            report(path, prose, place, f'{label} before any mention of SEARCH.md, expected "SEARCH.md {label}" here')
            first_name = 0
        else:
            title_behind(place + len(label), SEARCH)

    for match in NAMES.finditer(prose):
        before = prose[max(0, match.start() - 200):match.start()]
        if before.endswith('](') or re.search(r'https?:\S*$', before):
            continue
        document = tree.document(match.group(), path)
        if document is None:
            report(path, prose, match.start(), f'{match.group()} names no document, expected one that is there')
        else:
            title_behind(match.end(), document)
    if not path.endswith('.md'):
        return
    for match in LINK.finditer(bare):
        target, _, anchor = match.group(1).partition('#')
        if re.match(r'[a-z]+:', target):
            continue
        document = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
        if document not in tree.paths and document not in tree.folders:
            report(path, prose, match.start(), f'the link to {match.group(1)} leads nowhere, expected a file or folder')
        elif anchor and anchor not in map(slug, tree.headings_of(document)):
            report(path, prose, match.start(), f'#{anchor} is no heading of {document}, expected the anchor of one')
        elif document in tree.paths:
            title_behind(match.end(), document)


def check(root, paths):
    """What is wrong in these files of `root`, as lines, in the order of the paths."""
    tree = Tree(root, paths)
    labels = tree.labels()
    findings = []

    def report(path, prose, place, what):
        findings.append((path, prose.count('\n', 0, place) + 1, what))

    for path in sorted(paths):
        if path.endswith(C_LIKE + HASH + ('.md', '.py')):
            check_file(tree, labels, path, report)
    return [f'{path}:{line}: {what}' for path, line, what in sorted(set(findings))]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, '..', '..')
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-z'], check=True, capture_output=True).stdout
    paths = [path for path in listed.decode().split('\0') if path and os.path.isfile(os.path.join(root, path))]
    findings = check(root, paths)
    for line in findings:
        print(line)
    print(f'citations: {len(paths)} files, {len(findings)} findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
