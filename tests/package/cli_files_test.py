"""What deploy/package/cli_files.py makes: completion, in the shells themselves, and manual pages without warnings.

    DRAGOMAND=... DRAGOMAN=... tests/package/cli_files_test.py

bash is needed; zsh, fish, man and mandoc are used where they are, and what is not is said.
"""
import gzip
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DRAGOMAND = os.environ.get('DRAGOMAND', str(ROOT / 'build/release/server/dragomand'))
DRAGOMAN = os.environ.get('DRAGOMAN', str(ROOT / 'build/release/client/dragoman'))


def made(folder):
    subprocess.run([sys.executable, '-B', ROOT / 'deploy/package/cli_files.py', '--dragoman', DRAGOMAN, '--dragomand',
                    DRAGOMAND, '--output', folder], check=True)


class Terminal:
    """A shell that believes that a person types into it."""

    def __init__(self, command, setup, folder):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            environment = {'PATH': os.environ['PATH'], 'TERM': 'dumb', 'HOME': str(folder), 'PS1': '> ', 'LC_ALL': 'C.UTF-8'}
            os.execvpe(command[0], command, environment)
        self.pid = pid
        self.text = ''
        self.type(f'{setup}; echo re""ady\n')
        self.wait_for('ready')

    def type(self, text):
        self.text = ''
        os.write(self.fd, text.encode())

    def wait_for(self, pattern):
        """The match of a pattern in what came since the last `type`."""
        end = time.monotonic() + 30
        while not (match := re.search(pattern, self.text)):
            if time.monotonic() > end or not select.select([self.fd], [], [], end - time.monotonic())[0]:
                raise AssertionError(f'expected {pattern}, found {self.text!r}')
            try:
                self.text += os.read(self.fd, 4096).decode(errors='replace')
            except OSError as error:  # the shell has ended
                raise AssertionError(f'expected {pattern}, found {self.text!r} and the end') from error
        return match

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def completed(terminal, line):
    """The arguments that the command gets when Tab is pressed at the end of the line, and Enter then: told by TALKS."""
    terminal.type(f'{line}\t\n')
    return terminal.wait_for(r'GOT<([^>]*)>')[1]


# A function in place of a program.
TALKS = '{name}() {{ printf "GO%s<%s>" T "$*"; }}'


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        cls.share = cls.folder / 'share'
        made(cls.share)
        cls.client = json.loads(subprocess.run([DRAGOMAN, 'help', '--json'], check=True, capture_output=True).stdout)
        cls.server = json.loads(subprocess.run([DRAGOMAND, '--help', 'json'], check=True, capture_output=True).stdout)
        (cls.folder / 'texts-german.txt').write_text('Guten Morgen!\n')

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def texts(self):
        """{name: the text of a page}."""
        return {path.name.removesuffix('.gz'): gzip.decompress(path.read_bytes()).decode()
                for path in sorted(self.share.glob('man/*/*.gz'))}

    def test_the_same_programs_make_the_same_bytes(self):
        again = self.folder / 'again'
        made(again)
        for path in (path for path in self.share.rglob('*') if path.is_file()):
            self.assertEqual(path.read_bytes(), (again / path.relative_to(self.share)).read_bytes(), path)

    def test_every_flag_is_in_the_page_of_its_command_and_in_every_completion(self):
        pages = self.texts()
        scripts = {name: (self.share / name).read_text() for name in (
            'bash-completion/completions/dragoman', 'bash-completion/completions/dragomand',
            'zsh/vendor-completions/_dragoman', 'zsh/vendor-completions/_dragomand',
            'fish/vendor_completions.d/dragoman.fish', 'fish/vendor_completions.d/dragomand.fish')}
        expected = [('dragomand', 'dragomand.8', flag) for flag in self.server['flags']]
        for command in self.client['commands']:
            expected += [('dragoman', f"dragoman-{command['name']}.1", flag) for flag in command['flags']]
        self.assertGreater(len(expected), 150)
        for program, page, flag in expected:
            for name in filter(None, (flag['name'], flag.get('alias'))):
                in_page = '\\-\\-' + name.replace('-', '\\-') + '\\fR'
                self.assertIn(in_page, pages[page], page)
                for script, text in scripts.items():
                    if re.search(rf'/_?{program}(\.fish)?$', script):
                        self.assertRegex(text, rf'(--|-l ){name}\b(?!-)', script)
        for keys in self.server['objects'].values():
            for key in keys:
                self.assertIn('\\fB' + key['name'].replace('-', '\\-') + '\\fR', pages['dragomand.8'])
        for command in self.client['commands']:
            self.assertIn('dragoman ' + command['usage'].replace('-', '\\-'), pages['dragoman.1'])

    def test_pages_have_no_warnings(self):
        checks = [['groff', '-man', '-Tutf8', '-ww', '-z', '-rLL=78n'], ['mandoc', '-Tlint', '-Wwarning']]
        for check in checks:
            if not shutil.which(check[0]):
                print(f'SKIPPED {check[0]}: not here')
                continue
            for name, text in self.texts().items():
                done = subprocess.run(check, input=text, text=True, capture_output=True)
                self.assertEqual((done.stdout + done.stderr).strip(), '', f'{check[0]}: {name}')

    def test_man_shows_what_the_help_says(self):
        if not shutil.which('man'):
            self.skipTest('no man')
        for page, flag in (('man1/dragoman-load.1.gz', '--max-failed'), ('man8/dragomand.8.gz', '--tls-client-ca')):
            shown = subprocess.run(['man', '-l', self.share / 'man' / page], check=True, capture_output=True, text=True,
                                   env={**os.environ, 'MANWIDTH': '100', 'MAN_KEEP_FORMATTING': '', 'LC_ALL': 'C.UTF-8'})
            self.assertEqual(shown.stderr, '')
            self.assertIn(flag, shown.stdout)
            self.assertIn('SIGHUP' if 'dragomand' in page else 'EXIT STATUS', shown.stdout)

    def check_shell(self, terminal):
        try:
            for line, expected in (('dragoman transl', 'translate'),
                                   ('dragoman load --max-fai', 'load --max-failed'),
                                   ('dragoman translate --priority inter', 'translate --priority interactive'),
                                   ('dragoman translate texts-', 'translate texts-german.txt'),
                                   ('dragoman admin relo', 'admin reload'),
                                   ('dragomand --metrics-tls mut', '--metrics-tls mutual'),
                                   ('dragomand --tls-client', '--tls-client-ca')):
                with self.subTest(line):
                    self.assertEqual(completed(terminal, line).strip().rstrip('='), expected)
        finally:
            terminal.close()

    def setup_of(self, *lines):
        return '; '.join([*lines, *(TALKS.format(name=name) for name in ('dragoman', 'dragomand'))])

    def test_bash_completes(self):
        folder = self.share / 'bash-completion/completions'
        for script in folder.iterdir():
            subprocess.run(['bash', '-n', script], check=True)
        setup = self.setup_of(f'. {folder}/dragoman', f'. {folder}/dragomand')
        terminal = Terminal(['bash', '--norc', '--noprofile', '-i'], setup, self.folder)
        self.assertEqual(completed(terminal, 'dragoman translate --priority=inter').strip(),
                         'translate --priority=interactive')
        self.check_shell(terminal)

    def test_zsh_completes(self):
        if not shutil.which('zsh'):
            self.skipTest('no zsh')
        setup = self.setup_of(f'fpath=({self.share}/zsh/vendor-completions $fpath)', 'autoload -Uz compinit',
                              'compinit -D -u', 'unsetopt zle_bracketed_paste 2>/dev/null', "PS1='> '")
        self.check_shell(Terminal(['zsh', '-f', '-i'], setup, self.folder))

    def test_fish_completes(self):
        if not shutil.which('fish'):
            self.skipTest('no fish')
        folder = self.share / 'fish/vendor_completions.d'
        for line, expected in (('dragoman transl', 'translate'), ('dragoman load --max-fai', '--max-failed'),
                               ('dragoman translate --priority inter', 'interactive'),
                               ('dragoman translate texts-', 'texts-german.txt'), ('dragoman admin relo', 'reload'),
                               ('dragomand --metrics-tls mut', 'mutual'), ('dragomand --tls-client', '--tls-client-ca')):
            script = f"source {folder}/{line.split()[0]}.fish; complete -C '{line}'"
            done = subprocess.run(['fish', '--no-config', '-c', script], capture_output=True, text=True, cwd=self.folder,
                                  env={**os.environ, 'HOME': str(self.folder)})
            self.assertEqual(done.stderr, '')
            self.assertEqual([row.split('\t')[0] for row in done.stdout.splitlines()], [expected], line)


if __name__ == '__main__':
    for program in (DRAGOMAND, DRAGOMAN):
        if not os.access(program, os.X_OK):
            sys.exit(f'found no {program}, expected what deploy/build.sh builds')
    unittest.main()
