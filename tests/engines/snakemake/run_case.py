"""The rule of deploy/snakemake: undisturbed, and with the daemon and a job killed."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import engine_case as case


def main():
    texts = case.rows()
    wanted = case.expected(texts)
    os.environ["PATH"] = f"{pathlib.Path(os.environ['DRAGOMAN']).parent}:{os.environ['PATH']}"

    def translated(disturb):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            case.write_shards(texts, folder / "de")
            arguments = " ".join(["--field text", *case.local_arguments()])
            (folder / "Snakefile").write_text(
                f"config['dragoman'] = {{'from': 'de', 'to': 'en', 'arguments': {arguments!r}}}\n"
                f"include: {str(case.ROOT / 'deploy/snakemake/corpus.smk')!r}\n"
                "rule all:\n    default_target: True\n"
                "    input: [f'en/{path}' for path in sorted(__import__('os').listdir('de'))]\n",
                encoding="utf-8",
            )
            command = [sys.executable, "-m", "snakemake", "--cores=4", "--quiet=all", f"--directory={folder}"]
            command += [f"--snakefile={folder}/Snakefile"]
            case.during(lambda: subprocess.run(command, check=True), disturb)
            return case.read_shards(folder / "en", lambda record: (record["row"], record["text_translation"]))

    def kill_job():
        jobs = case.wait_for(lambda: case.processes("dragoman corpus", ".jsonl.gz"), "job of Snakemake")
        os.kill(jobs[-1], signal.SIGKILL)
        case.kill_daemon()

    case.check("Snakemake", translated(lambda: None), texts, wanted)
    case.check("Snakemake, a job and the daemon killed", translated(kill_job), texts, wanted)


main()
