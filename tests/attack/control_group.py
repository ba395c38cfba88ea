"""Control groups that bound a daemon's memory, where there is the right to make them."""

import contextlib
import os
import pathlib
import tempfile
import threading
import time

import harness
from harness import Outcome


class MemoryGroup:
    """A group of this much memory, in either version of control groups."""

    def __init__(self, path, limit_file):
        self._path = path
        self._limit_file = limit_file
        self.unified = limit_file == "memory.max"

    def set_limit(self, limit):
        (self._path / self._limit_file).write_text(str(limit))

    @property
    def procs(self):
        return self._path / "cgroup.procs"

    def held(self):
        """Bytes that cannot be given up: of processes, and of files in memory."""
        stat = dict(line.split() for line in (self._path / "memory.stat").read_text().splitlines())
        return int(stat["anon" if self.unified else "rss"]) + int(stat["shmem"])

    def kills(self):
        """How many processes the system has killed in it for want of memory."""
        file = self._path / ("memory.events" if self.unified else "memory.oom_control")
        stat = dict(line.split() for line in file.read_text().splitlines())
        return int(stat.get("oom_kill", 0))


@contextlib.contextmanager
def memory_group(limit):
    """Yields a MemoryGroup, or None where there is no right to make one."""
    for root, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        path = pathlib.Path(root) / f"dragoman-attack-{os.getpid()}"
        try:
            path.mkdir()
        except OSError:
            continue
        try:
            group = MemoryGroup(path, name)
            try:
                group.set_limit(limit)
            except OSError:
                continue
            yield group
            return
        finally:
            for _ in range(50):
                try:
                    path.rmdir()
                    break
                except OSError:
                    time.sleep(0.1)
    yield None


SKIPPED = Outcome("skipped: no right to make a control group")


@contextlib.contextmanager
def daemons_in(group):
    """Daemons that are started meanwhile run in the group."""
    before = harness.DAEMON
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        wrapper = pathlib.Path(name) / "dragomand"
        wrapper.write_text(f'#!/bin/sh\necho $$ > {group.procs}\nexec {before} "$@"\n')
        wrapper.chmod(0o755)
        harness.DAEMON = str(wrapper)
        try:
            yield
        finally:
            harness.DAEMON = before


class Watch:
    """The most that a group held while it is open, looked at every few milliseconds."""

    def __init__(self, group):
        self._group = group
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.peak = 0

    def _run(self):
        while not self._stop.wait(0.003):
            self.peak = max(self.peak, self._group.held())

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
