"""Runs attacks on real daemons and prints what became of them; see README.md.

A module of this folder registers functions with @attack. Each runs in a process of its own, within a
time limit, and its daemons die with it.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import fnmatch
import http.client
import importlib
import json
import os
import pathlib
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
DAEMON = os.environ.get("DRAGOMAND", str(ROOT / "build/release/server/dragomand"))
CLIENT = os.environ.get("DRAGOMAN", str(ROOT / "build/release/client/dragoman"))
MODEL = ROOT / "deploy/models/de-en"
MIB = 1 << 20

# ------------------------------------------------------------------ the registry


@dataclasses.dataclass
class Attack:
    name: str
    issue: int
    limit: float
    run: object


@dataclasses.dataclass
class Outcome:
    """What an attack came to. `bound`: the figure that the daemon promises, if there is one."""

    text: str
    bound: str = ""


class Failed(Exception):
    """The daemon did not hold. The text is the outcome in the table."""


ATTACKS = {}


def attack(name, issue, limit=120):
    """Registers a function() -> Outcome or str that raises Failed (see check) where the daemon does
    not hold. It is ended after `limit` seconds, which is a failure too. The table names it
    MODULE.name."""

    def register(function):
        full = f"{pathlib.Path(sys.modules[function.__module__].__file__).stem}.{name}"
        if full in ATTACKS:
            raise ValueError(f"two attacks are called {full}")
        ATTACKS[full] = Attack(full, issue, limit, function)
        return function

    return register


def check(holds, text, bound=""):
    """Fails the attack with `text` unless it holds."""
    if not holds:
        raise Failed(text if not bound else f"{text} (bound: {bound})")


# ------------------------------------------------------------------ processes


def _child_of_ours(limits):
    """Runs in the child before exec: it dies with this process, under its resource limits."""
    parent = os.getpid()

    def prepare():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(127)
        for kind, (soft, hard) in limits.items():
            resource.setrlimit(kind, (soft, hard))

    return prepare


class Daemon:
    """dragomand with the bundled model on free ports of the loopback. Use it with `with`: it is
    killed at the end.

    flags:  after the model's and the ports'. A flag of these that is given here wins.
    model:  a directory; None: the flags have it.
    limits: {resource.RLIMIT_NOFILE: (soft, hard)}, the child's.
    stderr: None: a file, for errors() and log(); or what subprocess takes (a pipe's end, say).
    wait:   seconds until it must listen; 0: do not wait (for starts that are to fail).
    """

    def __init__(self, *flags, model=MODEL, limits=None, stderr=None, wait=60, env=None):
        flags = [str(flag) for flag in flags]
        given = {flag.split("=")[0] for flag in flags}
        command = [DAEMON]
        for name, value in (
            ("--model", f"de-en={model}" if str(model) == str(MODEL) else model),
            ("--listen", "127.0.0.1:0"),
            ("--metrics", "127.0.0.1:0"),
            ("--http", "off"),
        ):
            if name not in given and (name != "--model" or model is not None):
                command += [name, str(value)]
        self._errors = tempfile.NamedTemporaryFile(prefix="attack-", suffix=".log")
        self.grpc = self.metrics = self.admin = self.api_address = ""
        self.process = subprocess.Popen(
            command + flags,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors if stderr is None else stderr,
            preexec_fn=_child_of_ours(limits or {}),
            env={**os.environ, **(env or {})},
        )
        if wait:
            try:
                self._await_ports(wait)
            except BaseException:
                self.kill()
                raise

    def _await_ports(self, seconds):
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        line = self.process.stdout.readline().decode()
        timer.cancel()
        match = re.match(r"dragomand listening grpc=(\S+) metrics=(\S+) admin=(\S+) http=(\S+)", line)
        if match is None:
            raise Failed(f"the daemon did not start: {line or self.errors()[-400:]!r}")
        self.grpc, self.metrics, self.admin, self.api_address = match.groups()

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        self.kill()
        if failure is not None:  # what the daemon said last
            print("\n".join(self.errors().splitlines()[-20:]), file=sys.stderr)

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process.poll() is None

    def errors(self):
        """Everything on standard error, as text."""
        return pathlib.Path(self._errors.name).read_text(errors="replace")

    def log(self, message=None):
        """Its log lines as dicts; those with this "msg" alone, if one is given."""
        return [line for line in self.log_lines() if message is None or line.get("msg") == message]

    def memory_bound(self):
        """The line that says what the daemon will hold at most; lines are written after what they tell of."""
        check(wait_until(lambda: self.log("memory bound"), 10), f"no line 'memory bound': {self.errors()[-300:]}")
        return self.log("memory bound")[0]

    def log_lines(self):
        """The same one after another, for logs that are large."""
        with open(self._errors.name, errors="replace") as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    yield json.loads(line)

    def _proc(self, name):
        return pathlib.Path(f"/proc/{self.pid}/{name}").read_text()

    def _status(self, key):
        match = re.search(rf"^{key}:\s+(\d+)", self._proc("status"), re.MULTILINE)
        return int(match.group(1)) if match else 0

    def rss(self):
        """Resident bytes now; peak_rss: at most since the start; vm: of address space."""
        return self._status("VmRSS") * 1024

    def peak_rss(self):
        return self._status("VmHWM") * 1024

    def vm(self):
        return self._status("VmSize") * 1024

    def threads(self):
        return self._status("Threads")

    def fds(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu_seconds(self):
        fields = self._proc("stat").rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def http(self, path, timeout=5.0):
        """(status, body) of GET; raises OSError where nobody answers in time."""
        host, port = self.metrics.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=timeout)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def samples(self):
        """The metrics by "name" or "name{labels}" as they stand in the text."""
        status, body = self.http("/metrics")
        check(status == 200, f"/metrics answers {status}")
        pairs = (line.rsplit(" ", 1) for line in body.splitlines() if line[:1] not in ("", "#"))
        return {key: float(value) for key, value in pairs}

    def rpcs(self, method="Translate", api="dragoman"):
        """Ended calls of a method by code, as counted: {"OK": 3}."""
        pattern = re.compile(rf'dragoman_rpcs_total{{api="{api}",code="(\w+)",method="{method}"}}')
        found = ((pattern.fullmatch(key), value) for key, value in self.samples().items())
        return {match.group(1): int(value) for match, value in found if match and value}

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self, timeout):
        """Its exit status (negative: the signal), or None if it still runs then."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, timeout=20):
        """SIGTERM; fails unless the daemon ends with status 0 in time."""
        self.signal()
        status = self.wait(timeout)
        check(status == 0, f"after SIGTERM: status {status} within {timeout} s")

    def kill(self):
        if self.alive():
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def own_loopback_address():
    """An address of the loopback that no other process of the tests uses. A port of it stays free between two servers:
    any process may be given a port of 127.0.0.1 that was just closed."""
    pid = os.getpid()
    return f"127.{1 + (pid >> 16) % 254}.{pid >> 8 & 255}.{pid & 255}"


def wait_until(holds, timeout, step=0.05):
    """Whether holds() became true in time. For states that nothing announces."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(step)
    return bool(holds())


# ------------------------------------------------------------------ clients


class Client:
    """Calls by grpcio on a connection of its own."""

    def __init__(self, address, credentials=None, **options):
        import grpc
        from dragoman.v1 import translation_pb2_grpc

        arguments = {"grpc.use_local_subchannel_pool": 1, "grpc.enable_retries": 0, **options}
        if credentials is None:
            self.channel = grpc.insecure_channel(address, options=list(arguments.items()))
        else:
            self.channel = grpc.secure_channel(address, credentials, options=list(arguments.items()))
        self.stub = translation_pb2_grpc.TranslationServiceStub(self.channel)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()

    def translate(self, *texts, timeout=30.0, metadata=None, compression=None, **fields):
        """The answer of Translate; raises grpc.RpcError."""
        return self.stub.Translate(
            request(*texts, **fields), timeout=timeout, metadata=metadata, compression=compression
        )

    def code(self, *texts, **options):
        """The name of the status that Translate ends with."""
        import grpc

        try:
            self.translate(*texts, **options)
        except grpc.RpcError as error:
            return error.code().name
        return "OK"


class HttpClient:
    """Calls of our REST (/v1/translate) on a connection of its own, which is opened again once it
    has ended."""

    def __init__(self, address, timeout=30.0):
        host, port = address.rsplit(":", 1)
        self._connection = http.client.HTTPConnection(host, int(port), timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def ask(self, method, path, body=None, headers=None, timeout=30.0):
        """(status, headers, body) of a request; raises OSError or HTTPException without an answer."""
        self._connection.timeout = timeout
        if self._connection.sock is not None:
            self._connection.sock.settimeout(timeout)
        try:
            self._connection.request(method, path, body, headers or {})
            response = self._connection.getresponse()
            return response.status, response.headers, response.read()
        except BaseException:
            self._connection.close()
            raise

    def code(self, *texts, timeout=30.0, headers=None, **fields):
        """The name of the status that the call ends with, as gRPC's; UNAVAILABLE without an answer."""
        body = json.dumps({"contents": texts, **fields})
        headers = {"Content-Type": "application/json", **(headers or {})}
        try:
            status, _, answer = self.ask("POST", "/v1/translate", body, headers, timeout)
        except TimeoutError:
            return "DEADLINE_EXCEEDED"
        except (OSError, http.client.HTTPException):
            return "UNAVAILABLE"
        if status == 200:
            return "OK"
        try:
            return json.loads(answer)["error"]["status"]
        except (ValueError, KeyError, TypeError):
            return f"HTTP {status}"


def request(*texts, **fields):
    from dragoman.v1 import translation_pb2

    return translation_pb2.TranslateRequest(contents=texts, **fields)


class Bystander:
    """Another client that translates one short sentence after the other while an attack goes on:
    what it notices of it. Use it with `with`. `client`: Client or HttpClient, by the address."""

    def __init__(self, address, timeout=30.0, client=Client):
        self._client = client(address)
        self._timeout = timeout
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.seconds = []
        self.failures = []

    def _run(self):
        while not self._stop.is_set():
            begin = time.monotonic()
            code = self._client.code("Das ist ein Test.", timeout=self._timeout)
            if code == "OK":
                self.seconds.append(time.monotonic() - begin)
            else:
                self.failures.append(code)

    def __enter__(self):
        # Connected, and the first call's costs paid.
        code = self._client.code("Das ist ein Test.")
        check(code == "OK", f"before the attack a client gets {code}")
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(self._timeout + 5)
        self._client.__exit__()

    def quantile(self, q):
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else float("inf")

    def summary(self):
        if not self.seconds:
            return f"bystander: no answer, {len(self.failures)} failures"
        return (
            f"bystander: {len(self.seconds)} calls, p50 {statistics.median(self.seconds) * 1e3:.0f} ms, "
            f"p99 {self.quantile(0.99) * 1e3:.0f} ms, {len(self.failures)} failures"
        )


class RawHttp2:
    """One HTTP/2 connection, by frames. `h2` is the h2.connection.H2Connection."""

    TRANSLATE = "/dragoman.v1.TranslationService/Translate"

    def __init__(self, address, timeout=10.0):
        import h2.config
        import h2.connection

        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(
                client_side=True, validate_outbound_headers=False, normalize_outbound_headers=False
            )
        )
        self._ended = {}
        self.sent = 0  # bytes of messages
        self.h2.initiate_connection()
        self.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.socket.sendall(data)

    def begin(self, path=TRANSLATE, headers=(), end=False):
        """Sends a call's headers; returns the stream's number."""
        stream = self.h2.get_next_available_stream_id()
        names = {name for name, _ in headers}
        usual = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
        ]
        self.h2.send_headers(
            stream, [pair for pair in usual if pair[0] not in names] + list(headers), end_stream=end
        )
        self.flush()
        return stream

    def send(self, stream, data, end=False, timeout=10.0):
        """Sends as much of `data` as flow control lets through within the timeout, or until the
        server has ended the stream; returns the number of bytes that went. `end` ends the stream
        only once all went."""
        import h2.exceptions

        sent = 0
        deadline = time.monotonic() + timeout
        while sent < len(data) and stream not in self._ended:
            try:
                window = min(
                    self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size
                )
                if window > 0:
                    part = data[sent : sent + window]
                    last = end and sent + len(part) == len(data)
                    self.h2.send_data(stream, part, end_stream=last)
                    sent += len(part)
                    self.sent += len(part)
                    self.flush()
                self.receive(0 if window > 0 else 0.05)
            except h2.exceptions.StreamClosedError:
                break
            if time.monotonic() >= deadline:
                return sent
        if end and not data:
            self.h2.end_stream(stream)
            self.flush()
        return sent

    def receive(self, timeout):
        """The events that arrive within the timeout, at least one read; [] for none. Raises
        ConnectionError once the peer has closed."""
        self.socket.settimeout(timeout)
        try:
            data = self.socket.recv(1 << 16)
        except (TimeoutError, BlockingIOError):
            return []
        finally:
            self.socket.settimeout(10.0)
        if not data:
            raise ConnectionError("the server has closed the connection")
        events = self.h2.receive_data(data)
        for event in events:
            stream = getattr(event, "stream_id", None)
            length = getattr(event, "flow_controlled_length", 0)
            if length:
                with contextlib.suppress(Exception):
                    self.h2.acknowledge_received_data(length, stream)
            kind = type(event).__name__
            if kind in ("ResponseReceived", "TrailersReceived"):
                names = {_text(k): _text(v) for k, v in event.headers}
                if "grpc-status" in names:
                    result = ("status", names["grpc-status"], names.get("grpc-message", ""))
                    self._ended[stream] = result
            elif kind == "StreamReset":
                self._ended.setdefault(stream, ("reset", str(int(event.error_code)), ""))
        self.flush()
        return events

    def outcome(self, stream, timeout=10.0):
        """How a stream ended: ("status", "13", message), ("reset", error code, ""), or ("open", "",
        "") if it did not within the timeout."""
        deadline = time.monotonic() + timeout
        while stream not in self._ended and time.monotonic() < deadline:
            self.receive(max(0.01, deadline - time.monotonic()))
        return self._ended.get(stream, ("open", "", ""))

    def ended(self, streams):
        """How many of these streams have ended, as far as was read."""
        return sum(stream in self._ended for stream in streams)


def _text(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def frame(message, length=None, compressed=0):
    """A gRPC message with its prefix of five bytes; `length` lies about how long it is."""
    size = len(message) if length is None else length
    return bytes([compressed]) + size.to_bytes(4, "big") + message


def mib(count):
    return f"{count / MIB:.0f} MiB"


# ------------------------------------------------------------------ running them


def _load_modules():
    # This file runs as __main__; modules import it by its name and must meet the same registry.
    sys.modules["harness"] = sys.modules["__main__"]
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        if path.stem != "harness":
            importlib.import_module(path.stem)


def _run_here(name, result_path):
    """In a process of its own: runs one attack and writes what came out."""
    try:
        outcome = ATTACKS[name].run()
        if not isinstance(outcome, Outcome):
            outcome = Outcome(str(outcome))
        result = {"passed": True, "text": outcome.text, "bound": outcome.bound}
    except Failed as failure:
        result = {"passed": False, "text": str(failure), "bound": ""}
    except BaseException as error:  # an attack that breaks has not passed
        traceback.print_exc()
        result = {"passed": False, "text": f"{type(error).__name__}: {error}"[:300], "bound": ""}
    pathlib.Path(result_path).write_text(json.dumps(result))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads of gRPC may hang


def _run_apart(name):
    with tempfile.NamedTemporaryFile(prefix="attack-", suffix=".json") as file:
        child = subprocess.Popen(
            [sys.executable, __file__, "--one", name, "--result", file.name],
            stdin=subprocess.DEVNULL,
            preexec_fn=_child_of_ours({}),
        )
        limit = ATTACKS[name].limit
        try:
            child.wait(limit)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return {"passed": False, "text": f"no end after {limit:.0f} s", "bound": ""}
        text = pathlib.Path(file.name).read_text()
    if not text:
        return {"passed": False, "text": f"the attacker ended with {child.returncode}", "bound": ""}
    return json.loads(text)


def _print_table(rows):
    head = ("attack", "issue", "bound", "outcome", "s", "")
    print()
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |")


def main():
    parser = argparse.ArgumentParser(prog="run.sh")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--result", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    _load_modules()
    if arguments.one:
        _run_here(arguments.one, arguments.result)
    chosen = []
    for pattern in arguments.names or ["*"]:
        found = [name for name in ATTACKS if fnmatch.fnmatch(name, pattern) and name not in chosen]
        if not found and pattern not in chosen:
            sys.exit(f"run.sh: no attack is called {pattern!r}; --list names them")
        chosen += found
    if arguments.list:
        print("\n".join(chosen))
        return
    if not os.access(DAEMON, os.X_OK):
        sys.exit(f"run.sh: no {DAEMON}; build the target dragomand")
    rows = []
    failed = 0
    for name in chosen:
        begin = time.monotonic()
        result = _run_apart(name)
        seconds = time.monotonic() - begin
        failed += not result["passed"]
        verdict = "passed" if result["passed"] else "FAILED"
        print(f"{name}: {verdict}: {result['text']}", flush=True)
        rows.append(
            (name, ATTACKS[name].issue, result["bound"], result["text"], f"{seconds:.0f}", verdict)
        )
    _print_table(rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
