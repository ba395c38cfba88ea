"""Checks that what a document promises is tied to tests that are there.

    promises.py [ROOT]

Reads PROMISES of ROOT (default: this repository). One line for each finding, 'PATH:LINE: what is wrong, what was
expected'; exit status 1 if there is any.

A test is named in backticks: `Suite.Case` of a test program of tests/, or `module.attack` of tests/attack, where a star
stands for any characters of attacks ('transport.*'). Every such name of the document must be one. And where a table has
a column "shown by" or "tried by", each of its rows names at least one test there, or a file of tests/, or says "not tried".
"""
import fnmatch
import os
import re
import subprocess
import sys

PROMISES = ('server/SECURITY.md', '.github/SECURITY.md')
COLUMNS = ('shown by', 'tried by')

CASE = re.compile(r'^\s*TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)', re.M)
ATTACK = re.compile(r'^@attack\(\s*"([^"]+)"', re.M)
SPAN = re.compile(r'`([^`\n]+)`')
CASE_NAME = re.compile(r'[A-Z]\w*\.[A-Z]\w*')


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


class Tests:
    def __init__(self, root, paths):
        self.paths = {path for path in paths if path.startswith('tests/')}
        self.folders = {os.path.dirname(path) for path in self.paths}
        self.cases, self.attacks, self.modules = set(), set(), set()
        for path in self.paths:
            if path.endswith('_test.cc'):
                self.cases |= {f'{suite}.{case}' for suite, case in CASE.findall(read(root, path))}
            elif path.startswith('tests/attack/') and path.endswith('.py'):
                module = os.path.basename(path)[:-len('.py')]
                names = ATTACK.findall(read(root, path))
                if names:
                    self.modules.add(module)
                    self.attacks |= {f'{module}.{name}' for name in names}

    def claims(self, name):
        """Whether it looks like the name of a test, true or not."""
        if CASE_NAME.fullmatch(name.rstrip('.')):
            return True
        module, dot, rest = name.partition('.')
        return bool(dot) and module in self.modules and rest not in ('py', '') and '/' not in name

    def has(self, name):
        return name in self.cases or bool(fnmatch.filter(self.attacks, name))

    def shows(self, name):
        """Whether the name is that of a test, or of a file or folder of tests."""
        path = name.rstrip('/')
        if any(path in (known, os.path.basename(known)) for known in self.paths):
            return True
        return self.has(name) or path in self.folders


def cells(line):
    return [cell.strip() for cell in line.strip().strip('|').split('|')]


def check_document(tests, path, text, report):
    column = None  # of the table that this line is in
    before = ''
    for number, line in enumerate(text.splitlines(), 1):
        for name in SPAN.findall(line):
            if tests.claims(name) and not tests.has(name):
                report(path, number, f'{name} is no test, expected the whole name of one')
        if not line.startswith('|'):
            column = None
        elif column is None:
            if re.fullmatch(r'\|[-| ]+\|', line):
                titles = cells(before)
                column = next((i for i, title in enumerate(titles) if title in COLUMNS), -1)
        elif column >= 0:
            row = cells(line)
            cell = row[column] if column < len(row) else ''
            # "the same": as in the row above, which was looked at.
            is_shown = any(tests.shows(name) for name in SPAN.findall(cell))
            if not is_shown and cell not in ('the same', 'not tried'):
                report(path, number, f'the row "{row[0]}" names no test, expected one')
        before = line


def check(root, paths, documents=PROMISES):
    """What is wrong in these documents, as lines."""
    tests = Tests(root, paths)
    findings = []

    def report(path, number, what):
        findings.append(f'{path}:{number}: {what}')

    for path in documents:
        check_document(tests, path, read(root, path), report)
    return findings


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, '..', '..')
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-z', '-c', '-o', '--exclude-standard', 'tests'],
                            check=True, capture_output=True).stdout
    paths = [path for path in listed.decode().split('\0') if path and os.path.isfile(os.path.join(root, path))]
    findings = check(root, paths)
    for line in findings:
        print(line)
    print(f'promises: {len(PROMISES)} documents, {len(findings)} findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
