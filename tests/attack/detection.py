"""Detection of languages: lists that are longer than they may be; and classifiers of languages that are not the
published one, or change while they are read."""

import contextlib
import http.client
import json
import os
import pathlib
import resource
import tempfile
import threading
import time

from harness import MIB, ROOT, Client, Daemon, Outcome, attack, check, mib

CLASSIFIER = ROOT / "deploy/models/lid.176/lid.176.ftz"
# The defaults of --max-items and --max-code-points.
MOST_ITEMS, MOST_CODE_POINTS = 1024, 30_000


def _detecting(*flags):
    return Daemon("--http", "127.0.0.1:0", "--language-model", CLASSIFIER, *flags)


# ------------------------------------------------------------------ lists


def _post(daemon, path, body, timeout=60.0):
    """(status, JSON) of one request, on a connection of its own."""
    host, port = daemon.api_address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def _detect(client, texts, timeout=60.0):
    from dragoman.v1 import translation_pb2

    return client.stub.DetectLanguage(translation_pb2.DetectLanguageRequest(contents=texts), timeout=timeout)


def _refusal(client, texts):
    """The code and message with which a list is refused over gRPC."""
    import grpc

    try:
        _detect(client, texts)
    except grpc.RpcError as error:
        return error.code().name, error.details()
    return "OK", ""


@attack("lists_beyond_the_limits", issue=31, limit=60)
def lists_beyond_the_limits():
    """Lists of 10,000 items and texts of a megabyte, through every adapter that detects."""
    many, large = ["Guten Tag"] * 10_000, ["Guten Tag. " * 95_000]
    with _detecting() as daemon, Client(daemon.grpc) as client:
        for texts, words in ((many, ("contents", "10000", str(MOST_ITEMS))), (large, ("contents", str(MOST_CODE_POINTS)))):
            code, message = _refusal(client, texts)
            check(code == "INVALID_ARGUMENT" and all(word in message for word in words), f"gRPC: {code} {message[:200]}")
            for path, body in (
                ("/v1/detect", {"contents": texts}),
                ("/v3/projects/p:detectLanguage", {"content": texts[0]}),
                ("/language/translate/v2/detect", {"q": texts}),
                ("/detect", {"q": texts if len(texts) > 1 else texts[0]}),
            ):
                if len(texts) > 1 and path.startswith("/v3/"):
                    continue  # it takes one text
                status, answer = _post(daemon, path, body)
                check(status in (400, 413), f"{path}: {status} {json.dumps(answer)[:200]}")
        begin = daemon.cpu_seconds()
        for _ in range(20):
            _refusal(client, many)
        spent = (daemon.cpu_seconds() - begin) / 20
        check(daemon.alive(), "the daemon is dead")
    return Outcome(f"refused by field and limit; a refused list of 10,000 costs {spent * 1e3:.0f} ms of a processor")


# ------------------------------------------------------------------ classifiers


def _refuses(file, what, seconds=30):
    """Fails unless a daemon ends with status 1 and one error line that names the file."""
    with Daemon("--language-model", file, wait=0) as daemon:
        status = daemon.wait(seconds)
        errors = [line for line in daemon.log() if line.get("level") == "error"]
        check(status == 1, f"{what}: status {status}, expected 1: {daemon.errors()[-300:]}")
        check(len(errors) == 1, f"{what}: {len(errors)} error lines")
        said = errors[0].get("error", "")
        check(f"--language-model: {file}: " in said, f"{what}: {said}")


@attack("classifiers_that_are_not_ones", issue=31, limit=240)
def classifiers_that_are_not_ones():
    """Files for --language-model that do not end, are huge, or are no files at all."""
    count, slowest = 0, 0.0
    with tempfile.TemporaryDirectory(prefix="attack-classifier-") as folder:
        file = pathlib.Path(folder) / "lid.ftz"
        os.truncate(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), 200 << 30)
        pipe = pathlib.Path(folder) / "pipe"
        os.mkfifo(pipe)
        for path, what in ((file, "a sparse file of 200 GiB"), (pipe, "a pipe that nobody writes to"),
                           (pathlib.Path("/dev/zero"), "a device"), (pathlib.Path(folder), "a directory"),
                           (pathlib.Path("/proc/self/mem"), "memory"), (pathlib.Path(folder) / "nothing", "no file")):
            begin = time.monotonic()
            _refuses(path, what)
            slowest = max(slowest, time.monotonic() - begin)
            count += 1
    # The largest of all those daemons.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    check(peak < 192 * MIB, f"{mib(peak)} resident while a file was refused")
    return Outcome(f"{count} files refused, each with one line that names it; slowest {slowest:.1f} s, at most "
                   f"{mib(peak)} resident", bound="status 1 and 192 MiB")


@attack("classifier_changed_while_it_is_read", issue=31, limit=120)
def classifier_changed_while_it_is_read():
    """A writer that cuts, fills and restores the file all the time that daemons start with it."""
    whole = CLASSIFIER.read_bytes()
    served = refused = 0
    with tempfile.TemporaryDirectory(prefix="attack-classifier-") as folder:
        file = pathlib.Path(folder) / "lid.ftz"
        file.write_bytes(whole)
        stop = threading.Event()

        def write():
            turn = 0
            with open(file, "r+b", buffering=0) as out:
                while not stop.is_set():
                    turn += 1
                    out.seek(0)
                    if turn % 3 == 0:
                        out.truncate(turn * 7919 % len(whole))
                    elif turn % 3 == 1:
                        out.seek(turn * 7919 % len(whole))
                        out.write(b"\xff" * 4096)
                    out.seek(0)
                    out.write(whole)
                    out.truncate(len(whole))

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        try:
            for _ in range(25):
                with Daemon("--language-model", file, wait=0) as daemon:
                    # One that serves is asked, and ended.
                    line = daemon.process.stdout.readline().decode()
                    if line:
                        served += 1
                        daemon.grpc = line.split("grpc=")[1].split()[0]
                        with Client(daemon.grpc) as client:
                            found = _detect(client, ["Wo ist der nächste Bahnhof?"]).detections
                            check(len(found) == 1, f"{len(found)} answers")
                        daemon.stop()
                        continue
                    refused += 1
                    status = daemon.wait(30)
                    check(status == 1 and str(file) in daemon.errors(), f"status {status}: {daemon.errors()[-300:]}")
        finally:
            stop.set()
            with contextlib.suppress(RuntimeError):
                writer.join(10)
    return Outcome(f"{served} starts served, {refused} ended with status 1 and the file's name, none with a signal")
