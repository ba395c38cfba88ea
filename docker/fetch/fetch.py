#!/usr/bin/env python3
"""Brings models from a hub, a store or a web server into a directory, before dragomand starts.

    dragoman-fetch --into CACHE DIRECTORY=URL...

    hf://OWNER/NAME@REVISION[#include=PATTERN...]   a model of a Hugging Face hub; HF_ENDPOINT names a mirror
    s3://BUCKET/PREFIX                              all objects below a prefix; AWS_ENDPOINT_URL_S3 names a store
    https://HOST/PATH#sha256=HEX                    an archive: tar, compressed or not, zip, .argosmodel

CACHE/DIRECTORY appears at once and whole, by a rename, after every file's checksum was compared with the source's. It
holds a file .dragoman-fetch.json with the checksums, by which every later start compares the files again. What was cut
off is resumed or thrown away. No model is larger than --max-mb, nor is anything fetched for longer than
--timeout-seconds: of one that is too large nothing stays. Any number of pods may share CACHE. With --offline nothing is fetched: what is not there
and whole is an error, for which --wait-seconds waits."""
import argparse
import contextlib
import errno
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import socket
import sys
import time

import sources

MARKER = '.dragoman-fetch.json'
# Of flock, on file systems that have none.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class Late(BaseException):
    """The time is up. Not an Exception, because the libraries try again after those."""


def log(text):
    print(f'dragoman-fetch: {text}', file=sys.stderr, flush=True)


def pod():
    """The pod's name; a container that restarts in it finds what it has downloaded."""
    return os.environ.get('HOSTNAME') or socket.gethostname()


def files_of(directory):
    """{path below the directory: its bytes and SHA-256} of all files, the marker excepted."""
    found = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            below = os.path.relpath(path, directory)
            if below != MARKER:
                found[below] = {'bytes': os.path.getsize(path), 'sha256': sources.digest(path, 'sha256')}
    return found


class Model:
    """One directory of the cache and where it comes from. Not thread-safe; processes may have the same one."""

    def __init__(self, cache, directory, url, limit=1 << 40, seconds=3600):
        self.limit = limit  # bytes of all files
        self.seconds = seconds  # that a fetch takes at most
        self.directory = directory
        self.url = url
        self.path = os.path.join(cache, directory)
        self.lock = os.path.join(cache, f'.{directory}.lock')
        self.partial = os.path.join(cache, f'.{directory}.partial-{pod()}')

    def finding(self):
        """What keeps the directory from being used, in words; None if it is whole."""
        try:
            with open(os.path.join(self.path, MARKER), encoding='utf-8') as file:
                marker = json.load(file)
            wanted = marker['files']
            if marker['from'] != self.url:
                return f'{self.path} comes from {marker["from"]}, expected {self.url}'
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
        """Keeps pods from fetching the same at once. On a file system without locks they do, each in a place of its own,
        and the first one's rename counts."""
        with open(self.lock, 'a', encoding='utf-8') as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                log(f'{self.directory}: another pod is fetching it')
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
                log(f'{self.directory}: the file system has no locks')
            yield

    def fetch(self):
        """Makes the directory whole. Raises sources.Refused, sources.Mismatch, or what a network or a disk raises."""
        with self.locked():
            finding = self.finding()
            if finding is None:
                log(f'{self.directory}: there, its checksums are right')
                return
            if os.path.isdir(self.path) and not os.path.exists(os.path.join(self.path, MARKER)):
                raise sources.Refused(f'{finding}, so it is not ours to replace; expected nothing there')
            log(f'{self.directory}: {finding}; fetching {self.url}')
            try:
                self.fetch_locked()
            except Exception as error:
                # Without locks another pod may have been first, and has then removed this one's files.
                if self.finding() is None:
                    return
                if isinstance(error, OSError) and error.errno == errno.EFBIG:
                    error = sources.too_large(self.url, self.limit)
                if isinstance(error, sources.Refused):
                    shutil.rmtree(self.partial, ignore_errors=True)
                raise error

    def fetch_locked(self):
        self.remove_partials(lambda path: time.time() - os.path.getmtime(path) > self.seconds)
        os.makedirs(self.partial, exist_ok=True)
        os.utime(self.partial)
        resolved = sources.fetch(self.url, self.partial, self.limit)
        files = files_of(self.partial)
        with open(os.path.join(self.partial, MARKER), 'w', encoding='utf-8') as file:
            json.dump({'from': self.url, 'resolved': resolved, 'files': files}, file, indent=1, sort_keys=True)
        self.publish()
        log(f'{self.directory}: {len(files)} files, {sum(one["bytes"] for one in files.values())} bytes, '
            f'checksums are right: {resolved}')

    def publish(self):
        """Puts the partial directory in the place of the whole one, and removes what others have left of theirs."""
        if os.path.isdir(self.path) and self.finding() is not None:
            # Damaged: a daemon that has it open keeps its files.
            os.rename(self.path, f'{self.partial}.damaged')
        os.rename(self.partial, self.path)
        self.remove_partials(lambda path: True)

    def remove_partials(self, is_done):
        """Removes what other pods have left: those that were killed come back under another name."""
        cache, prefix = os.path.dirname(self.path), f'.{self.directory}.partial-'
        for name in os.listdir(cache):
            path = os.path.join(cache, name)
            with contextlib.suppress(FileNotFoundError):
                if name.startswith(prefix) and path != self.partial and is_done(path):
                    shutil.rmtree(path, ignore_errors=True)

    def fetch_patiently(self, attempts, pause):
        """As fetch, again after errors that may pass; the pause doubles."""
        for attempt in range(1, attempts + 1):
            try:
                return self.fetch()
            except sources.Refused:
                raise
            except Exception as error:  # the libraries' own kinds of network errors have no common base
                if attempt == attempts:
                    raise
                log(f'{self.directory}: attempt {attempt} of {attempts}: {sources.words(error)}; again in {pause:g} s')
                time.sleep(pause)
                pause *= 2
        return None

    def wait(self, seconds):
        """Until the directory is whole; raises sources.Refused with the finding when it is not in time."""
        deadline = time.monotonic() + seconds
        pause = 0.25
        said = None
        while (finding := self.finding()) is not None:
            if time.monotonic() >= deadline:
                raise sources.Refused(finding)
            if finding != said:
                log(f'{self.directory}: waiting: {finding}')
                said = finding
            # A damaged directory is read again each time.
            time.sleep(min(pause, max(0, deadline - time.monotonic())))
            pause = min(2 * pause, 8)
        log(f'{self.directory}: there, its checksums are right')


def model(text):
    directory, separator, url = text.partition('=')
    if not separator or not re.fullmatch(r'[A-Za-z0-9_][-._A-Za-z0-9]*', directory):
        raise argparse.ArgumentTypeError(f'found {text!r}, expected DIRECTORY=URL, where DIRECTORY has letters, digits, '
                                         '"-", "_" and "."')
    try:
        sources.parse(url)
    except sources.Refused as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return directory, url


def positive(text):
    value = float(text)
    if not 0 <= value < 1e6:
        raise argparse.ArgumentTypeError(f'found {text}, expected a number from 0 to 999999')
    return value


def main():
    parser = argparse.ArgumentParser(prog='dragoman-fetch', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--into', required=True, metavar='CACHE', help='a directory that is there; with --offline it may '
                        'be read-only')
    parser.add_argument('--offline', action='store_true', help='fetch nothing')
    parser.add_argument('--wait-seconds', type=positive, default=0, metavar='N', help='with --offline: how long another '
                        'process may take to fill the cache (0)')
    parser.add_argument('--attempts', type=int, default=5, choices=range(1, 101), metavar='N', help='how often each model '
                        'is tried, from 1 to 100 (5)')
    parser.add_argument('--retry-seconds', type=positive, default=2, metavar='N', help='pause after the first attempt, '
                        'which doubles with each (2)')
    parser.add_argument('--max-mb', type=positive, default=65536, metavar='N', help='the most MiB that a model may have, '
                        'all its files together (65536)')
    parser.add_argument('--timeout-seconds', type=positive, default=3600, metavar='N', help='for all that is fetched '
                        'together, pauses too (3600); a container that starts again goes on')
    parser.add_argument('models', nargs='+', type=model, metavar='DIRECTORY=URL')
    arguments = parser.parse_args()
    if arguments.wait_seconds and not arguments.offline:
        parser.error('--wait-seconds: found without --offline')
    directories = [directory for directory, _ in arguments.models]
    if len(set(directories)) != len(directories):
        parser.error(f'found {directories}, expected each directory once')
    if not os.path.isdir(arguments.into):
        parser.error(f'--into: found no directory {arguments.into}')
    # So that another user of the same group may replace what this one fetched.
    os.umask(0o002)
    limit = int(arguments.max_mb * (1 << 20))
    if not arguments.offline:
        # Whatever library writes a file: one that has no end is cut off with EFBIG.
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(limit, 1 << 20), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

        def time_is_up(*_):
            raise Late(f'not done after {arguments.timeout_seconds:g} s (--timeout-seconds)')

        signal.signal(signal.SIGALRM, time_is_up)
        signal.setitimer(signal.ITIMER_REAL, arguments.timeout_seconds or 1e-6)
    failed = 0
    for directory, url in arguments.models:
        one = Model(arguments.into, directory, url, limit, arguments.timeout_seconds)
        try:
            if arguments.offline:
                one.wait(arguments.wait_seconds)
            else:
                one.fetch_patiently(arguments.attempts, arguments.retry_seconds)
        except Exception as error:  # whatever a library raises: the others are still tried
            log(f'{directory}: {url}: {sources.words(error)}')
            failed = 1
        except Late as error:
            log(f'{directory}: {url}: {error}')
            return 1
    return failed


if __name__ == '__main__':
    sys.exit(main())
