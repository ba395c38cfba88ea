"""marian-decoder and marian-scorer as pipelines call them, beside what Marian's own engine has written."""

import collections
import gzip
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODELS = ROOT / "tests/data/models"
PROGRAMS = pathlib.Path(os.environ["DRAGOMAN_MARIAN"])


def run(program, *arguments, stdin="", status=0):
    done = subprocess.run(
        [PROGRAMS / program, *map(str, arguments)],
        input=stdin.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=300,
    )
    if done.returncode != status:
        raise AssertionError(f"{program}: status {done.returncode}, expected {status}: {done.stderr.decode()}")
    return done.stdout.decode() if status == 0 else done.stderr.decode()


def files(name):
    """The options that name a model's files."""
    folder = MODELS / name
    model, = (file for file in folder.iterdir() if file.suffix in (".npz", ".bin") and file.name.startswith("model"))
    vocabularies = sorted(folder.glob("*vocab*.spm"))  # srcvocab before trgvocab
    return ["-m", model, "-v", vocabularies[0], vocabularies[-1]]


def cases():
    """Marian's translations by model, shortlist and beam: [(text, translation)]."""
    groups = collections.defaultdict(list)
    with gzip.open(ROOT / "tests/parity/fixtures/marian-directories.jsonl.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            case = json.loads(line)
            groups[case["model"], case.get("shortlist", False), case["beam"]].append((case["text"], case["expected"]))
    return groups


class Decoder(unittest.TestCase):
    def test_translations_equal_marians(self):
        compared = 0
        for (model, shortlist, beam), pairs in cases().items():
            if model == "marian-firefox":  # its activations are quantized in another way
                continue
            texts = "".join(text + "\n" for text, _ in pairs)
            out = run("marian-decoder", *files(model), "-b", beam, "-n", "1.0", "--cpu-threads", 1, "--quiet", stdin=texts)
            self.assertEqual(out.splitlines(), [expected for _, expected in pairs], (model, beam))
            compared += len(pairs)
        self.assertEqual(compared, 480)

    def test_a_shortlist_limits_the_words(self):
        pairs = [pair for (model, _, beam), group in cases().items() for pair in group if model == "marian-firefox"]
        shortlist, = (MODELS / "marian-firefox").glob("lex.*.bin")
        texts = "".join(text + "\n" for text, _ in pairs[:40])
        options = [*files("marian-firefox"), "-b", 1, "--int8shiftAlphaAll", "--cpu-threads", 1]
        limited = run("marian-decoder", *options, "--shortlist", shortlist, "false", stdin=texts)
        self.assertEqual(len(limited.splitlines()), 40)
        self.assertNotEqual(limited, run("marian-decoder", *options, stdin=texts))

    def test_lists_have_marians_form_and_a_configuration_file_names_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            model, _, *vocabularies = files("marian-npz")[1:]
            for file in {model, *vocabularies}:
                (work / file.name).symlink_to(file)
            names = "".join(f"  - {file.name}\n" for file in vocabularies)
            (work / "decoder.yml").write_text(
                f"# as OPUS-MT writes it\nrelative-paths: true\nmodels:\n  - {model.name}\nvocabs:\n{names}"
                "beam-size: 12\nnormalize: 1.0\nword-penalty: 0\nmini-batch: 16\nmaxi-batch-sort: src\n"
                "max-length: 200\nmax-length-crop: true\nquiet-translation: True\n"
            )
            with gzip.open(work / "in.gz", "wt", encoding="utf-8") as file:
                file.write("Der Hund schläft.\n\nGuten Morgen!\n")
            run("marian-decoder", "-c", work / "decoder.yml", "-i", work / "in.gz", "-o", work / "out", "--n-best", "-b", 3,
                "--log", work / "log", "-w", 4000, "--cpu-threads", 1)
            lines = (work / "out").read_text(encoding="utf-8").splitlines()
            self.assertIn("done", (work / "log").read_text())
        fields = [line.split(" ||| ") for line in lines]
        self.assertEqual([field[0] for field in fields], list("000111222"))
        for field in fields:
            self.assertEqual(len(field), 4)
            self.assertRegex(field[2], r"^F0= -?\d")
        scores = [float(field[3]) for field in fields]
        self.assertEqual(scores[:3], sorted(scores[:3], reverse=True))
        self.assertLess(float(fields[0][2].split()[1]), scores[0])  # a sum, and that divided by the length

    def test_an_ensemble_of_a_model_with_itself_changes_nothing(self):
        _, model, *rest = files("marian-npz")
        text = "Der Hund schläft.\n"
        options = ["-b", 2, "--cpu-threads", 1]
        alone = run("marian-decoder", "-m", model, *rest, *options, stdin=text)
        self.assertEqual(alone, run("marian-decoder", "-m", model, model, *rest, *options, stdin=text))

    def test_what_would_change_the_output_is_refused_by_name(self):
        some = files("marian-npz")
        for options, error in (
            (["--alignment", "hard"], "--alignment is not supported"),
            (["--word-penalty", "0.5"], "--word-penalty is not supported"),
            (["--word-scores"], "--word-scores is not supported"),
            (["--output-sampling", "topk", "5"], "--output-sampling is not supported, expected it with --beam-size 1"),
            (["--shortlist", "lex.gz", "50", "50"], "--shortlist is not supported"),
            (["--colour"], "unknown option '--colour'"),
            (["-z"], "unknown option '-z'"),
            (["-b", "many"], "--beam-size: expected a number"),
            (["-b", "0"], "--beam-size: expected a number from 1"),
            (["-c", "/nowhere"], "-c: cannot read /nowhere"),
        ):
            self.assertIn(error, run("marian-decoder", *some, *options, status=2))
        self.assertIn("there is no file /nowhere.npz", run("marian-decoder", "-m", "/nowhere.npz", *some[2:], status=1))
        self.assertIn("cannot open /nowhere", run("marian-decoder", *some, "-i", "/nowhere", status=1))

    def test_sampling_draws_texts(self):
        options = [*files("marian-npz"), "-b", 1, "--output-sampling", "--cpu-threads", 1]
        self.assertEqual(len(run("marian-decoder", *options, stdin="Der Hund schläft.\n" * 5).splitlines()), 5)


class Scorer(unittest.TestCase):
    def test_scores_are_those_of_the_lists(self):
        some = files("marian-npz")
        texts = [text for (model, _, beam), group in cases().items() for text, _ in group if (model, beam) == ("marian-npz", 1)]
        stdin = "".join(text + "\n" for text in texts)
        lists = run("marian-decoder", *some, "-b", 1, "--n-best", "-n", "--cpu-threads", 1, stdin=stdin)
        fields = [line.split(" ||| ") for line in lists.splitlines()]
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "s"), pathlib.Path(folder, "t")
            source.write_text(stdin, encoding="utf-8")
            target.write_text("".join(field[1] + "\n" for field in fields), encoding="utf-8")
            score = [*some, "-t", source, target, "--cpu-threads", 1]
            sums = [float(line) for line in run("marian-scorer", *score).splitlines()]
            means = [float(line) for line in run("marian-scorer", *score, "--normalize").splitlines()]
            summary = float(run("marian-scorer", *score, "--summary"))
            perplexity = float(run("marian-scorer", *score, "--summary", "perplexity"))
            target.write_text("one line\n")
            self.assertIn("different numbers of lines", run("marian-scorer", *score, status=1))
        # The model has random weights, so most hypotheses are tokens that their text is not cut into again.
        equal = [
            i for i, field in enumerate(fields)
            if abs(sums[i] - float(field[2].split()[1])) < 1e-3 and abs(means[i] - float(field[3])) < 1e-3
        ]
        self.assertGreater(len(equal), 20)
        self.assertAlmostEqual(summary, -sum(sums) / len(sums), places=3)
        words = sum(round(total / mean) for total, mean in zip(sums, means))
        self.assertAlmostEqual(perplexity / math.exp(-sum(sums) / words), 1, places=3)


if __name__ == "__main__":
    unittest.main()
