"""Runs the examples of README.md and client/OPTIONS.md on every instruction set that this machine has, and compares
what comes out with what the documents print.

    DRAGOMAND=... DRAGOMAN=... tests/client/examples_test.py

An example is a line of an indented block that begins with '$ ', and its output the lines after it: standard output,
then standard error. Texts have to be equal everywhere; of scores, numbers with a fraction of four digits or more, the
documents promise no more than SCORES_DIFFER. A block's daemon serves the rest of its block; one that ends its block
serves the document from there on. Also compared are the sentences that README.md says deploy/quickstart.sh prints.
"""
import contextlib
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRAGOMAND = os.environ.get('DRAGOMAND', os.path.join(ROOT, 'build', 'release', 'server', 'dragomand'))
DRAGOMAN = os.environ.get('DRAGOMAN', os.path.join(ROOT, 'build', 'release', 'client', 'dragoman'))
QUICKSTART = ('dragomand --model deploy/models/de-en --http 127.0.0.1:8080 '
              '--language-model deploy/models/lid.176/lid.176.ftz')
SCORE = re.compile(r'-?\d+\.\d{4,}(?:e-?\d+)?')
SCORES_DIFFER = 2e-5  # at most, relative: client/OPTIONS.md


class Example:
    def __init__(self, document, number, command):
        self.where, self.command, self.output = f'{document}:{number}', command, []


def blocks(document):
    """Lists of the examples of each indented block."""
    with open(os.path.join(ROOT, document), encoding='utf-8') as file:
        lines = [*file.read().split('\n'), 'end']
    found, block, blank = [], [], 0
    for number, line in enumerate(lines, 1):
        if line == '':
            blank += 1
            continue
        if not line.startswith('    '):
            if block:
                found.append(block)
            block = []
        elif block and block[-1].command.endswith('\\'):
            block[-1].command = block[-1].command[:-1] + line[4:]
        elif line.startswith('    $ '):
            block.append(Example(document, number, line[6:]))
        elif block:
            block[-1].output += [''] * blank + [line[4:]]
        blank = 0
    return found


def instruction_sets():
    """Those that this machine has, lowest first, as the daemon names them."""
    text = subprocess.run([DRAGOMAND, '--version', '--verbose'], check=True, capture_output=True, text=True).stdout
    return re.search(r'^instruction set +\S+, of (.+)$', text, re.M)[1].split()


def differences(expected, found):
    """What is wrong with the found lines, or ''. Scores may differ a little."""
    if SCORE.sub('#', expected) != SCORE.sub('#', found):
        return f'expected\n{expected}\nfound\n{found}'
    for one, other in zip(SCORE.findall(expected), SCORE.findall(found)):
        if not math.isclose(float(one), float(other), rel_tol=SCORES_DIFFER):
            return f'expected the score {one}, found {other}, in\n{found}'
    return ''


@contextlib.contextmanager
def workplace():
    """A folder in which the commands of the documents can be run as they are."""
    with tempfile.TemporaryDirectory() as folder:
        for path, target in (('build/release/server/dragomand', DRAGOMAND), ('build/release/client/dragoman', DRAGOMAN),
                             ('deploy', os.path.join(ROOT, 'deploy'))):
            os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
            os.symlink(os.path.abspath(target), os.path.join(folder, path))
        yield folder


class Place:
    """Runs commands of a document with one instruction set."""

    def __init__(self, folder, isa):
        self.folder = folder
        self.environment = {**os.environ, 'DRAGOMAN_CPU_ISA': isa,
                            'PATH': os.pathsep.join([f'{folder}/build/release/client', f'{folder}/build/release/server',
                                                     os.environ['PATH']])}
        self.environment.pop('DRAGOMAN_API_KEY', None)

    @contextlib.contextmanager
    def daemon(self, command):
        """The daemon of a command line, on free ports. Yields (gRPC, the HTTP address of the document, the real one)."""
        words = shlex.split(command)
        http = words.index('--http') + 1 if '--http' in words else None
        documented = words[http] if http else None
        if http:
            words[http] = '127.0.0.1:0'
        else:
            words += ['--http', 'off']
        process = subprocess.Popen([*words, '--listen', '127.0.0.1:0', '--metrics', 'off', '--device', 'cpu'],
                                   cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        try:
            line = process.stdout.readline()
            addresses = dict(re.findall(r'(grpc|http)=(\S+)', line))
            if 'grpc' not in addresses:
                raise RuntimeError(f'{command}: found {line!r}, expected the line of a daemon that listens')
            yield addresses['grpc'], documented, addresses['http']
        finally:
            process.terminate()
            process.wait(timeout=60)
            process.stdout.close()

    def run(self, command, serving):
        """What a command prints, standard output first."""
        grpc, documented, http = serving
        if documented:
            command = command.replace(documented, http)
        command = re.sub(r'^curl ', 'curl --silent --show-error ', command)  # as on a terminal: without its meter
        done = subprocess.run(['bash', '-c', command], cwd=self.folder, text=True, capture_output=True, timeout=120,
                              env={**self.environment, 'DRAGOMAN_SERVER': grpc})
        return done.stdout + done.stderr


def is_daemon(example):
    return re.match(r'(build/release/server/)?dragomand ', example.command) is not None


class Examples(unittest.TestCase):
    maxDiff = None

    def check(self, place, serving, block):
        compared = 0
        for example in block:
            file = re.match(r'cat (\S+)', example.command)
            if file:  # what the document shows of a file is the file
                path = os.path.join(place.folder, file[1])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, 'w', encoding='utf-8') as out:
                    out.write(''.join(line + '\n' for line in example.output))
                continue
            self.assertFalse(is_daemon(example), f'{example.where}: a second daemon in a block')
            found = place.run(example.command, serving)
            # A document breaks no lines, and curl ends none.
            wrong = differences('\n'.join(example.output).rstrip('\n'), found.rstrip('\n'))
            with self.subTest(example.where, isa=place.environment['DRAGOMAN_CPU_ISA']):
                self.assertEqual(wrong, '', example.command)
            compared += 1
        return compared

    def run_document(self, place, document, first_daemon):
        compared = 0
        with contextlib.ExitStack() as stack:
            serving = stack.enter_context(place.daemon(first_daemon)) if first_daemon else None
            for block in blocks(document):
                of_block = [number for number, example in enumerate(block) if is_daemon(example)]
                if not of_block:
                    compared += self.check(place, serving, block)
                    continue
                before, command, after = block[:of_block[0]], block[of_block[0]].command, block[of_block[0] + 1:]
                compared += self.check(place, serving, before)
                if not after:
                    stack.close()
                    serving = stack.enter_context(place.daemon(command))
                    continue
                with place.daemon(command) as of_this_block:
                    compared += self.check(place, of_this_block, after)
        return compared

    def test_every_instruction_set_prints_what_the_documents_say(self):
        isas = instruction_sets()
        for isa in isas:
            with workplace() as folder:
                place = Place(folder, isa)
                compared = (self.run_document(place, 'README.md', QUICKSTART),
                            self.run_document(place, 'client/OPTIONS.md', None))
                print(f'{isa}: {compared[0]} examples of README.md and {compared[1]} of client/OPTIONS.md')
                self.assertGreaterEqual(compared[0], 2)
                self.assertGreaterEqual(compared[1], 30)

    def test_the_quickstart_prints_what_the_readme_shows(self):
        with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
            shown = re.findall(r'^    de  (.+)\n    en  (.+)$', file.read(), re.M)
        with open(os.path.join(ROOT, 'deploy', 'quickstart.sh'), encoding='utf-8') as file:
            asked = re.findall(r'^  "(.+)"$', re.search(r'^german=\(\n(.*?)^\)', file.read(), re.M | re.S)[1], re.M)
        self.assertEqual([german for german, _ in shown], asked)
        for isa in instruction_sets():
            with workplace() as folder, self.subTest(isa):
                place = Place(folder, isa)
                with place.daemon(QUICKSTART) as serving:
                    lines = ' '.join(shlex.quote(german) for german in asked)
                    found = place.run(f"printf '%s\\n' {lines} | dragoman translate --from de --to en", serving)
                self.assertEqual(found.splitlines(), [english for _, english in shown])

    def test_differences_are_seen(self):
        self.assertEqual(differences('1\t-0.10880132\tYes.', '1\t-0.10880133\tYes.'), '')
        self.assertIn('score', differences('1\t-0.1088\tYes.', '1\t-0.1089\tYes.'))
        self.assertIn('found', differences('1\t-0.1088\tYes.', '1\t-0.1088\tNo.'))
        self.assertIn('found', differences('one', 'one\ntwo'))


if __name__ == '__main__':
    for program in (DRAGOMAND, DRAGOMAN):
        if not os.access(program, os.X_OK):
            sys.exit(f'found no {program}, expected what deploy/build.sh builds')
    unittest.main()
