"""LibreTranslate's server over HTTP beside the daemon over gRPC and over HTTP: as many clients, each with one call in flight.

The same sentences, one a call, beam 4 and length penalty 0.2, which are Argos Translate's own; the model is converted for it.
The same client, http_load, asks both servers in LibreTranslate's dialect. That has no option for a search, so the daemon
gets a copy of the model whose generation_config.json has them.
"""
import atexit
import dataclasses
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from peers.contestants import Contestant, Dragoman
from peers.parts import Turns
from peers.texts import Texts, read
from peers.worker import PYTHON_PATH, PeerFailed

BEAM, LENGTH_PENALTY = 4, "0.2"
START_SECONDS = 120
LOAD_SECONDS = 1800


def calls_over_http(bench, address, path):
    """(texts/s, p50 ms, p99 ms) of translating each line of the file, at the server there."""
    count = len(read(path))
    try:
        done = subprocess.run([bench.options.http_load, "--server", address, "--input", path, "--requests", str(count),
                               "--concurrency", str(bench.options.clients)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LOAD_SECONDS)
    except subprocess.TimeoutExpired:
        raise PeerFailed(f"no end of {count} calls within {LOAD_SECONDS} s") from None
    if not done.stdout:
        raise PeerFailed(f"http_load: {done.stderr.strip()[-400:]}")
    return read_report(json.loads(done.stdout))


def read_report(report):
    """(texts/s, p50 ms, p99 ms). Raises PeerFailed unless every call was answered with a translation."""
    if not report["sent"] or report["ok"] != report["sent"]:
        raise PeerFailed(f"of {report['sent']} calls {report['ok']} were answered: {report['first_error']}")
    return report["ok"] / report["seconds"], report["latency_ms"]["p50"], report["latency_ms"]["p99"]


class LibreTranslate(Contestant):
    """Its setting is INTERxINTRA, threads of CTranslate2 within it."""

    def __init__(self, bench, compute_type):
        super().__init__(bench, f"LibreTranslate {compute_type}", compute_type)
        self.process = None

    def start(self, model, beam):
        super().start(model, beam)
        self.packages = self.bench.models.argos_packages(model, self.type)
        self.use(f"{self.bench.processors}x1")

    def use(self, setting):
        self.stop()
        super().use(setting)
        inter, intra = setting.split("x")
        home = os.path.join(self.bench.options.work, "libretranslate-home")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [self.bench.libretranslate_python, "-m", "peers.libretranslate_server", "--host", "127.0.0.1", "--port",
             str(self.port), "--threads", str(self.bench.options.clients), "--disable-web-ui", "--disable-files-translation"],
            stdout=self.log, stderr=self.log, cwd=self.bench.scratch,
            env={**os.environ, "PYTHONPATH": PYTHON_PATH, "PYTHONDONTWRITEBYTECODE": "1", "HOME": home, "XDG_DATA_HOME": home,
                 "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "ARGOS_PACKAGES_DIR": self.packages,
                 "ARGOS_INTER_THREADS": inter, "ARGOS_INTRA_THREADS": intra, "ARGOS_COMPUTE_TYPE": self.type,
                 "ARGOS_BEAM_SIZE": str(self.beam)})
        atexit.register(self.process.kill)
        end = time.monotonic() + START_SECONDS
        while not self.healthy():
            if self.process.poll() is not None or time.monotonic() > end:
                self.log.seek(0)
                raise PeerFailed(f"LibreTranslate does not serve: {(self.log.read().strip().splitlines() or [''])[-1][:400]}")
            time.sleep(0.1)  # until it is asked again

    def healthy(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def under_clients(self, path):
        return calls_over_http(self.bench, f"127.0.0.1:{self.port}", path)

    def tune(self, texts):
        cores = self.bench.processors
        path = texts.some(min(self.bench.options.tune_texts, 128))

        def measure(setting):
            self.use(setting)
            self.under_clients(path)  # the first call loads the model
            return dict(texts=self.under_clients(path)[0], seconds=1)

        self.use(self.best_of("threads", sorted({f"{cores}x1", f"1x{cores}"}), measure))
        self.under_clients(path)

    def calls(self, texts):
        return self.under_clients(texts.random)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class OursUnderClients(Dragoman):
    def calls(self, texts):
        report = self.load(texts.random, texts.count, self.bench.options.clients, "--length-penalty", LENGTH_PENALTY)
        return read_report(report)


class OursOverHttp(Dragoman):
    """Asked as LibreTranslate is."""

    def __init__(self, bench, compute_type):
        super().__init__(bench, compute_type)
        self.name += " over HTTP"

    def start(self, model, beam):
        path = os.path.join(self.bench.scratch, f"searching-{self.type}")
        shutil.copytree(model.path, path)
        with open(os.path.join(path, "generation_config.json"), "r+", encoding="utf-8") as f:
            config = {**json.load(f), "num_beams": beam, "length_penalty": float(LENGTH_PENALTY)}
            f.seek(0)
            f.truncate()
            json.dump(config, f)
        super().start(dataclasses.replace(model, path=path), beam)

    def flags(self):
        return ["--http", "127.0.0.1:0"]

    def calls(self, texts):
        return calls_over_http(self.bench, self.daemon.api_address, texts.random)


def run(bench, model):
    o = bench.options
    texts = Texts(bench.scratch, "libretranslate", o.input, o.server_texts, join=1)

    def measure(contestant, number):
        speed, p50, p99 = contestant.calls(texts)
        for metric, value in (("texts/s", speed), ("p50 ms", p50), ("p99 ms", p99)):
            bench.results.measured(contestant, metric, value, number, clients=o.clients, texts=texts.count,
                                   detail=f"{o.clients} clients, {texts.count} sentences")

    those = [LibreTranslate(bench, kind) for kind in ("float32", "int8")]
    those += [ours(bench, kind) for kind in o.types for ours in (OursUnderClients, OursOverHttp)]
    with Turns(bench, "libretranslate", model, BEAM, those) as turns:
        turns.each(lambda c: c.start(model, BEAM))
        turns.each(lambda c: c.tune(texts))
        turns.rounds(measure)
