"""One dragomand for all processes of a user on a machine. client/load/node_daemon.h has the rules."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import pathlib
import select
import shutil
import stat
import subprocess
import threading
from typing import IO, Iterator, List, Optional

from ._errors import DragomanError

_TRIES = 5


def _absolute(value: str) -> str:
    """Makes the path in DIR or NAME=DIR absolute, if there is one."""
    begin = value.find("=") + 1
    path = value[begin:]
    return value[:begin] + os.path.abspath(path) if os.path.exists(path) else value


def _with_absolute_models(flags: List[str]) -> List[str]:
    flags = list(flags)
    for i, flag in enumerate(flags):
        if flag == "--model" and i + 1 < len(flags):
            flags[i + 1] = _absolute(flags[i + 1])
        elif flag.startswith("--model="):
            flags[i] = "--model=" + _absolute(flag[len("--model=") :])
    return flags


def _make_own_folder(path: pathlib.Path) -> None:
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    info = path.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o022:
        raise PermissionError(f"{path} must be a folder of this user that others cannot write")


class NodeDaemon:
    """A dragomand that processes of this machine share, C++ and Python alike.

    The first process with the same flags starts it, later ones join, and it ends when the last one has left or ended.
    While this object is open, a daemon that dies is started again. Thread-safe. `flags` are those of dragomand, such as
    "--model", "de-en=/models/de-en". The program is $DRAGOMAND, else dragomand on PATH.

    Raises DragomanError if the daemon does not start and PermissionError if others may write its folder.
    """

    def __init__(self, *flags: str) -> None:
        base = os.environ.get("DRAGOMAN_LOCAL_DIR")
        if not base:
            runtime = os.environ.get("XDG_RUNTIME_DIR")
            base = f"{runtime}/dragoman-local" if runtime else f"/tmp/dragoman-{os.geteuid()}"
        self._flags = _with_absolute_models(list(flags))
        digest = hashlib.sha256(b"".join(flag.encode() + b"\0" for flag in self._flags)).hexdigest()
        _make_own_folder(pathlib.Path(base))
        self._folder = pathlib.Path(base) / digest[:16]
        _make_own_folder(self._folder)
        self._child: "Optional[subprocess.Popen[str]]" = None
        self._users = self._enter()
        self._stop_read, self._stop = os.pipe()
        self._watcher = threading.Thread(target=self._watch, name="dragoman-node", daemon=True)
        self._watcher.start()

    @property
    def address(self) -> str:
        """The address for Client and AsyncClient. It stays the same."""
        return f"unix:{self._folder}/sock"

    def close(self) -> None:
        """Leaves. The daemon ends if no other process uses it."""
        if self._stop < 0:
            return
        os.close(self._stop)
        self._stop = -1
        self._watcher.join()
        os.close(self._stop_read)
        if self._child is not None:
            self._child.returncode = 0  # it may outlive this object, of which Popen would warn
        if self._users >= 0:
            os.close(self._users)

    def __enter__(self) -> "NodeDaemon":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _enter(self) -> int:
        """Joins or starts the daemon. Returns the FIFO's writing end."""
        users = self._folder / "users"
        with self._locked():
            with contextlib.suppress(FileNotFoundError):
                try:
                    return os.open(users, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                except OSError as error:
                    if error.errno != errno.ENXIO:  # no reader: there is no daemon
                        raise
            with contextlib.suppress(FileExistsError):
                os.mkfifo(users, 0o600)
            reader = os.open(users, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            # Open for writing before the daemon starts, so that its input has not ended.
            writer = os.open(users, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                with open(self._folder / "log", "w+", encoding="utf-8", errors="replace") as log:
                    self._start(reader, log)
            except BaseException:
                os.close(writer)
                raise
            finally:
                os.close(reader)
            return writer

    def _start(self, reader: int, log: IO[str]) -> None:
        program = os.environ.get("DRAGOMAND") or shutil.which("dragomand")
        if program is None:
            raise DragomanError("found no program dragomand on PATH; DRAGOMAND may name it")
        child = subprocess.Popen(
            [program, *self._flags, "--listen", self.address, "--metrics", "off", "--http", "off", "--exit-at-eof", "on"],
            stdin=reader,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            encoding="utf-8",
        )
        assert child.stdout is not None
        with child.stdout as output:
            line = output.readline()
        if "grpc=" in line:
            self._child = child
            return
        child.wait()
        log.seek(0)
        said = (log.read().splitlines() or [""])[-1]
        with contextlib.suppress(ValueError, AttributeError):
            said = json.loads(said).get("error", said)
        raise DragomanError(f"{program} did not start: {said}")

    def _watch(self) -> None:
        failures = 0
        while failures < _TRIES:
            poll = select.poll()
            poll.register(self._stop_read, select.POLLIN)
            if self._users >= 0:
                poll.register(self._users, 0)  # POLLERR: the FIFO has no reader any more
            ready = poll.poll(None if self._users >= 0 else 1000 << (failures - 1))
            if any(descriptor == self._stop_read for descriptor, _ in ready):
                return
            if self._users >= 0:
                os.close(self._users)
                self._users = -1
            if self._child is not None:
                self._child.wait()
                self._child = None
            try:
                self._users = self._enter()
                failures = 0
            except (OSError, DragomanError):
                failures += 1
