"""What the tests of engines have in common: rows, what `dragoman translate` makes of them, and the shared daemon."""

import gzip
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import dragoman

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "deploy/models/de-en"
LOCAL = f"de-en={MODEL}"
FLAGS = ("--cpu-workers=1",)
ROWS = int(os.environ.get("ROWS", "20000"))
SHARDS = 8


def rows():
    """ROWS different German texts."""
    lines = [line for line in (ROOT / "tests/data/german.txt").read_text(encoding="utf-8").splitlines() if line.strip()]
    return [f"{lines[i % len(lines)]} {i // len(lines)}" if i >= len(lines) else lines[i] for i in range(ROWS)]


def expected(texts):
    """What `dragoman translate` makes of the texts."""
    with tempfile.TemporaryDirectory() as folder, dragoman.NodeDaemon("--model", LOCAL, *FLAGS) as node:
        source = pathlib.Path(folder, "texts.txt")
        source.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        command = [os.environ["DRAGOMAN"], "translate", "--server", node.address, "--output", folder + "/out", source]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return pathlib.Path(folder, "out").read_text(encoding="utf-8").splitlines()


def local_arguments():
    """The arguments of `dragoman corpus` for the shared daemon."""
    return ["--local", LOCAL, *(f"--local-flag={flag}" for flag in FLAGS)]


def write_shards(texts, folder):
    """Writes records with "row" and "text", as SHARDS files."""
    folder.mkdir()
    for shard in range(SHARDS):
        with gzip.open(folder / f"part-{shard}.jsonl.gz", "wt", encoding="utf-8") as file:
            for row in range(shard, len(texts), SHARDS):
                file.write(json.dumps({"row": row, "text": texts[row]}, ensure_ascii=False) + "\n")


def read_shards(folder, pick):
    """What `pick` makes of each record of the .jsonl.gz files in a folder, such as (row, translation)."""
    found = []
    for path in folder.glob("**/*.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            found += [pick(json.loads(line)) for line in file]
    return found


def wait_for(condition, what, seconds=300):
    """Waits until `condition()` is true, and returns its value. Fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            sys.exit(f"FAILED: found no {what} within {seconds} s")
        time.sleep(0.05)
    return value


def kill_daemon():
    """Kills the daemon that the tasks share, once there is one."""
    os.kill(wait_for(_daemon, "daemon to kill"), signal.SIGKILL)


def _daemon():
    """The process id of the daemon that the tasks share, or None."""
    for path in pathlib.Path(os.environ["DRAGOMAN_LOCAL_DIR"]).glob("*/sock"):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(path))
            except OSError:
                continue
            return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    return None


def processes(*words):
    """The processes of this test whose command lines contain all words."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ours = f"DRAGOMAN_LOCAL_DIR={os.environ['DRAGOMAN_LOCAL_DIR']}".encode() in environment
        if ours and all(word in line for word in words):
            found.append(int(entry.name))
    return found


def check(name, found, texts, wanted):
    """Fails unless every row came once and has the translation of the command, to the byte."""
    if sorted(row for row, _ in found) != list(range(len(texts))):
        sys.exit(f"FAILED: {name}: {len(found)} rows, {len({row for row, _ in found})} different, expected {len(texts)}")
    wrong = [row for row, text in found if text != wanted[row]]
    if wrong:
        row = wrong[0]
        sys.exit(f"FAILED: {name}: {len(wrong)} rows differ, such as {dict(found)[row]!r}, expected {wanted[row]!r}")
    print(f"passed: {name}: {len(texts)} rows once each, all bytes equal to the command's", flush=True)


def during(run, disturb):
    """Returns what `run` does on another thread, while `disturb` is called on this one."""
    result = []
    failure = []

    def work():
        try:
            result.append(run())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    disturb()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
