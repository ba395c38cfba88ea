"""What is compared: each program with one number format, behind the same methods.

A contestant is started for one model and one beam. `setting` is what it is run with; tune() looks for its best one.
Methods raise PeerFailed.
"""
import json
import os
import statistics
import subprocess

from daemon import Daemon, memory_mib
from peers.texts import read, write
from peers.worker import PeerFailed, Worker


class Contestant:
    ours = False
    setting = ""

    def __init__(self, bench, name, compute_type):
        self.bench, self.name, self.type, self.device = bench, name, compute_type, bench.options.device

    def start(self, model, beam):
        """Loads the model and translates nothing."""
        self.model, self.beam = model, beam

    def tune(self, texts):
        """Looks for the best setting, with these texts, and keeps it. Default: there is nothing to look for."""

    def use(self, setting):
        self.setting = setting

    def throughput(self, texts):
        """dict(texts, seconds, target_tokens, ...) of translating all of them."""
        raise NotImplementedError

    def lone(self, path, calls):
        """(p50, p99) in ms of calls with the first line of the file, one after the other."""
        raise NotImplementedError

    def translations(self, path, batch):
        """Of all lines of the file, by this many at a time."""
        raise NotImplementedError

    def memory(self):
        """dict(resident, peak) in MiB."""
        raise NotImplementedError

    def stop(self):
        raise NotImplementedError

    def best_of(self, what, candidates, measure):
        """The candidate with the most texts per second. One that fails is out; all: PeerFailed."""
        found, errors = {}, []
        for candidate in candidates:
            try:
                done = measure(candidate)
            except PeerFailed as e:
                errors.append(f"{candidate}: {e}")
                continue
            found[candidate] = done["texts"] / done["seconds"]
            self.bench.results.add(kind="setting", contestant=self.name, model=self.model.name, beam=self.beam, what=what,
                                   setting=str(candidate), texts_per_s=round(found[candidate], 2))
        if not found:
            raise PeerFailed("; ".join(errors))
        return max(found, key=found.get)


def quantiles(times):
    ordered = sorted(times)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


class Peer(Contestant):
    """One that runs in a Worker."""

    def __init__(self, bench, name, compute_type, module, environment=None):
        super().__init__(bench, name, compute_type)
        self.module, self.environment, self.worker = module, environment, None

    def start(self, model, beam, python=None):
        super().start(model, beam)
        self.worker = Worker(python or self.bench.python, self.module, self.environment)

    def search(self):
        return dict(beam=self.beam, forced=self.model.forced)

    def batch(self):
        """Of the setting."""
        raise NotImplementedError

    def throughput(self, texts):
        return self.worker.call("throughput", path=texts.sorted, batch=self.batch(), **self.search())

    def lone(self, path, calls):
        return quantiles(self.worker.call("lone", path=path, calls=calls, **self.search()))

    def translations(self, path, batch):
        return self.worker.call("translations", path=path, batch=batch, **self.search())

    def memory(self):
        return self.worker.call("memory")

    def stop(self):
        if self.worker is not None:
            worker, self.worker = self.worker, None
            worker.stop()


class CTranslate2(Peer):
    """Its setting is INTERxINTRA:BATCH, as its options inter_threads, intra_threads, max_batch_size are called."""

    def __init__(self, bench, compute_type, isa=""):
        super().__init__(bench, f"CTranslate2 {compute_type}" + (f" {isa}" if isa else ""), compute_type, "peers.ct2_worker",
                         {"CT2_VERBOSE": "1", **({"CT2_FORCE_CPU_ISA": isa} if isa else {})})
        self.open = None

    def start(self, model, beam):
        super().start(model, beam)
        self.converted = self.bench.models.converted(model, self.type)
        self.open = None
        self.use(f"1x{self.bench.processors}:{self.bench.options.batches[0]}")

    def use(self, setting):
        super().use(setting)
        threads = setting.split(":")[0]
        if threads != self.open:
            first = self.open is None
            inter, intra = (int(n) for n in threads.split("x"))
            got = self.worker.call("open", model=self.model.path, converted=self.converted, compute_type=self.type,
                                   inter=inter, intra=intra, languages=self.model.languages, device=self.device)
            if not got.startswith(self.type):
                raise PeerFailed(f"asked for {self.type}, it runs {got}")
            self.open = threads
            if first:
                self.bench.results.add("instructions", contestant=self.name, says=self.worker.said(r"ISA|MKL|GEMM"))

    def batch(self):
        return int(self.setting.split(":")[1])

    def tune(self, texts):
        cores, count = self.bench.processors, min(self.bench.options.tune_texts, -(-texts.count // 2))
        batches, path = self.bench.batches(count), texts.some(count)
        warm = texts.some(max(1, count // 8))  # first use allocates

        def measure(setting):
            self.use(setting)
            self.worker.call("throughput", path=warm, batch=self.batch(), **self.search())
            return self.worker.call("throughput", path=path, batch=self.batch(), **self.search())

        middle = batches[len(batches) // 2]
        # On a GPU each of INTER has a stream of its own; more than a few only share it.
        workers = [n for n in range(1, cores + 1 if self.device == "cpu" else 5) if cores % n == 0]
        threads = self.best_of("threads", [f"{n}x{cores // n}:{middle}" for n in workers], measure)
        threads = threads.split(":")[0]
        self.use(self.best_of("batch", [f"{threads}:{batch}" for batch in batches], measure))


class Transformers(Peer):
    """Its setting is the batch size."""

    def __init__(self, bench):
        compute_type = "float32" if bench.options.device == "cpu" else "float16"
        super().__init__(bench, f"transformers {compute_type}", compute_type, "peers.transformers_worker")
        self.setting = str(bench.options.batches[0])

    def start(self, model, beam):
        super().start(model, beam)
        self.worker.call("open", model=model.path, device=self.device)

    def batch(self):
        return int(self.setting)

    def throughput(self, texts):
        path = texts.some(self.bench.options.transformers_texts)
        return self.worker.call("throughput", path=path, batch=self.batch(), **self.search())

    def tune(self, texts):
        count = min(self.bench.options.transformers_texts, texts.count)
        path = texts.some(count)
        self.worker.call("throughput", path=texts.some(1), batch=1, **self.search())  # first use

        def measure(batch):
            return self.worker.call("throughput", path=path, batch=int(batch), **self.search())

        self.use(self.best_of("batch", [str(batch) for batch in self.bench.batches(count)], measure))

    def translations(self, path, batch):
        few = write(f"{path}-few", read(path)[: self.bench.options.transformers_texts])
        return super().translations(few, batch)


class FirefoxPeer(Peer):
    """An engine of firefox_worker.py. Marian's setting is its mini-batch-words."""

    def __init__(self, bench, name, engine, shortlist=True):
        super().__init__(bench, name, "int8", "peers.firefox_worker")
        self.engine, self.shortlist = engine, shortlist

    def start(self, model, beam):
        super().start(model, beam, self.bench.firefox_python)
        self.use("1024" if self.engine == "marian" else "defaults")

    def use(self, setting):
        super().use(setting)
        self.worker.call("open", engine=self.engine, folder=self.model.path, threads=self.bench.processors, beam=self.beam,
                         shortlist=self.shortlist, batch=int(setting) if setting.isdigit() else 0)

    def batch(self):
        return 0  # all at once

    def tune(self, texts):
        if self.engine != "marian":
            return
        path = texts.some(min(self.bench.options.tune_texts, -(-texts.count // 2)))

        def measure(setting):
            self.worker.stop()  # of a process there may be one
            self.worker = Worker(self.bench.firefox_python, self.module)
            self.use(setting)
            self.worker.call("throughput", path=path)
            return self.worker.call("throughput", path=path)

        best = self.best_of("mini-batch-words", ["512", "1024", "2048", "4096"], measure)
        self.worker.stop()
        self.worker = Worker(self.bench.firefox_python, self.module)
        self.use(best)


class Dragoman(Contestant):
    """The daemon with its defaults, called through gRPC by `dragoman`, which runs on the same processors. `shortlist`: None, or
    whether the model's lexical shortlist is used."""

    ours = True

    def __init__(self, bench, compute_type, shortlist=None):
        super().__init__(bench, f"Dragoman {compute_type}" + (" shortlist" if shortlist else ""), compute_type)
        self.daemon, self.shortlist = None, shortlist

    def start(self, model, beam):
        super().start(model, beam)
        o = self.bench.options
        self.setting = " ".join(o.daemon_flags) or "defaults"
        try:
            self.daemon = Daemon(o.dragomand, ["--model", model.path, "--device", self.device, "--compute-type", self.type,
                                               # The queue holds every call of the client.
                                               "--max-queue-tokens", "100000000", "--max-queue-segments", "100000",
                                               # All are loaded at the same time.
                                               *(["--device-memory-fraction", "0.5"] if self.device != "cpu" else []),
                                               *self.flags(), *o.daemon_flags])
            self.daemon.wait()
        except RuntimeError as e:
            raise PeerFailed(str(e).strip().replace("\n", " ")) from None

    def flags(self):
        """Further ones of the daemon."""
        return [] if self.shortlist is None else ["--lexical-shortlist", "on" if self.shortlist else "off"]

    def search(self):
        if self.model.name == "firefox":  # the model's own
            return ["--beam-size", str(self.beam), "--split", "none"]
        # Profile ct2 and a ratio that never holds: CTranslate2's search and limits.
        lengths = ["--min-output-tokens", str(self.model.forced), "--max-output-tokens", str(self.model.forced)]
        languages = ["--from", self.model.languages[0], "--to", self.model.languages[1]] if self.model.languages else []
        return [*languages, "--profile", "ct2", "--beam-size", str(self.beam), "--max-length-ratio", "1000", "--split", "none",
                *(lengths if self.model.forced else [])]

    def client(self, command, *flags, text=True):
        out = subprocess.run([self.bench.options.dragoman, command, "--server", self.daemon.grpc, *self.search(), *flags],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text, encoding="utf-8")
        if out.returncode != 0:
            raise PeerFailed(f"dragoman {command}: {out.stderr.strip()[-400:]}")
        return out.stdout

    def load(self, path, requests, concurrency, *flags):
        report = json.loads(self.client("load", "--input", path, "--requests", str(requests), "--concurrency", str(concurrency),
                                        "--count-tokens=false", "--deadline-ms", "1800000", "--json", *flags))
        if report["ok"] != report["sent"] or report["item_errors"]:
            raise PeerFailed(f"of {report['sent']} calls {report['ok']} were answered: {report['errors']} {report['item_errors']}")
        return report

    def throughput(self, texts):
        before = self.daemon.scrape()
        o = self.bench.options
        report = self.load(texts.random, -(-texts.count // o.texts_per_call), -(-o.concurrency // o.texts_per_call),
                           "--batch", str(o.texts_per_call), "--connections", str(o.connections))
        after = self.daemon.scrape()
        moved = after["target_tokens"] - before["target_tokens"]
        # The counter has the EOS of those that the model ends itself.
        return dict(texts=report["sentences"], seconds=report["seconds"], client_cpu_seconds=report["client_cpu_seconds"],
                    cpu_seconds=after["server_cpu"] - before["server_cpu"],
                    target_tokens=int(moved) - (0 if self.model.forced else report["sentences"]))

    def lone(self, path, calls):
        latency = self.load(path, calls, 1)["latency_ms"]
        return latency["p50"], latency["p99"]

    def translations(self, path, batch):
        calls = 1 if batch == 1 else 16
        lines = self.client("translate", "--batch", str(batch), "--concurrency", str(calls), "--timeout", "1800", path)
        return lines.split("\n")[:-1]

    def memory(self):
        return memory_mib(self.daemon.process.pid)

    def stop(self):
        if self.daemon is not None:
            daemon, self.daemon = self.daemon, None
            try:
                daemon.stop()
            except RuntimeError as e:
                raise PeerFailed(str(e)) from None
