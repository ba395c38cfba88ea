"""A peer in a process of its own: it has the packages, and sees the environment variables that are read at import.

Both ends of the pipe. Requests and replies are JSON objects, one a line; whatever else the process writes, and its
libraries, goes to its log.
"""
import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
PYTHON_PATH = os.pathsep.join(os.path.join(ROOT, folder) for folder in ("tests/bench", "tests/attack"))


class PeerFailed(Exception):
    """A program could not do what was asked of it. The text goes into the table."""


def serve(commands):
    """The process's end: each public method of `commands` is a command. Its exception is its answer; the process goes on."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"value": getattr(commands, request.pop("do"))(**request)}
        except Exception as e:  # whatever it is, the table shows it
            reply = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(reply), file=replies, flush=True)


class Worker:
    """The other end: `python -m MODULE` with `python`, which ends with this process."""

    def __init__(self, python, module, environment=None, limit=1800):
        self.module, self.limit = module, limit
        self.log = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [python, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={**os.environ, "PYTHONPATH": PYTHON_PATH, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})})
        atexit.register(self.process.kill)

    def call(self, do, **arguments):
        """What the command returns. Raises PeerFailed: an error of the command, or a process that is gone or hangs."""
        late = []
        timer = threading.Timer(self.limit, lambda: (late.append(True), self.process.kill()))
        timer.start()
        try:
            print(json.dumps({"do": do, **arguments}), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            status = self.process.wait()
            why = f"no answer within {self.limit} s" if late else f"ended with status {status}"
            raise PeerFailed(f"{self.module}: {why}: {self.end_of_log()}")
        reply = json.loads(line)
        if "error" in reply:
            raise PeerFailed(reply["error"])
        return reply["value"]

    def end_of_log(self):
        """Its last line."""
        self.log.seek(0)
        lines = [line.strip() for line in self.log.read().splitlines() if line.strip()]
        return lines[-1][:400] if lines else "nothing in its log"

    def said(self, pattern):
        """The lines of its log in which the pattern is, without what stands before a bracket's end."""
        self.log.seek(0)
        return [line.rsplit("]", 1)[-1].strip(" -") for line in self.log.read().splitlines() if re.search(pattern, line)]

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
