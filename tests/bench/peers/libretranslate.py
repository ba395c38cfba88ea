"""LibreTranslate's server over HTTP beside the daemon over gRPC: as many clients, each with one call in flight.

The same sentences, one a call, beam 4 and length penalty 0.2, which are Argos Translate's own; the model is converted for it.
"""
import atexit
import http.client
import json
import os
import queue
import socket
import subprocess
import tempfile
import threading
import time

from peers.contestants import Contestant, Dragoman, quantiles
from peers.parts import Turns
from peers.texts import Texts, read
from peers.worker import PYTHON_PATH, PeerFailed

BEAM, LENGTH_PENALTY = 4, "0.2"
START_SECONDS = 120


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
            return self.post("GET", "/health", None, http.client.HTTPConnection("127.0.0.1", self.port, timeout=10))[0] == 200
        except OSError:
            return False

    @staticmethod
    def post(method, path, body, connection):
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")

    def under_clients(self, path):
        """(seconds, ms of each call)"""
        left, times, errors = queue.SimpleQueue(), [], []
        for line in read(path):
            left.put(line)

        def client():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
            while not errors:
                try:
                    line = left.get_nowait()
                except queue.Empty:
                    return
                began = time.perf_counter()
                try:
                    status, answer = self.post("POST", "/translate", dict(q=line, source="de", target="en", format="text"), connection)
                    if status != 200 or not json.loads(answer).get("translatedText"):
                        errors.append(f"status {status}: {answer[:200]}")
                except (OSError, http.client.HTTPException, ValueError) as e:
                    errors.append(f"{type(e).__name__}: {e}")
                times.append((time.perf_counter() - began) * 1e3)

        threads = [threading.Thread(target=client) for _ in range(self.bench.options.clients)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise PeerFailed(errors[0])
        return time.perf_counter() - began, times

    def tune(self, texts):
        cores = self.bench.processors
        path = texts.some(min(self.bench.options.tune_texts, 128))

        def measure(setting):
            self.use(setting)
            self.under_clients(path)  # the first call loads the model
            seconds, times = self.under_clients(path)
            return dict(texts=len(times), seconds=seconds)

        self.use(self.best_of("threads", sorted({f"{cores}x1", f"1x{cores}"}), measure))
        self.under_clients(path)

    def calls(self, texts):
        seconds, times = self.under_clients(texts.random)
        return texts.count / seconds, *quantiles(times)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class OursUnderClients(Dragoman):
    def calls(self, texts):
        report = self.load(texts.random, texts.count, self.bench.options.clients, "--length-penalty", LENGTH_PENALTY)
        return texts.count / report["seconds"], report["latency_ms"]["p50"], report["latency_ms"]["p99"]


def run(bench, model):
    o = bench.options
    texts = Texts(bench.scratch, "libretranslate", o.input, o.server_texts, join=1)

    def measure(contestant, number):
        speed, p50, p99 = contestant.calls(texts)
        for metric, value in (("texts/s", speed), ("p50 ms", p50), ("p99 ms", p99)):
            bench.results.measured(contestant, metric, value, number, clients=o.clients, texts=texts.count,
                                   detail=f"{o.clients} clients, {texts.count} sentences")

    those = [LibreTranslate(bench, kind) for kind in ("float32", "int8")] + [OursUnderClients(bench, kind) for kind in o.types]
    with Turns(bench, "libretranslate", model, BEAM, those) as turns:
        turns.each(lambda c: c.start(model, BEAM))
        turns.each(lambda c: c.tune(texts))
        turns.rounds(measure)
