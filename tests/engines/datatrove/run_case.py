"""A datatrove pipeline of eight tasks: undisturbed, with the daemon killed, and killed as a whole and run again."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import dragoman.datatrove
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

import engine_case as case


def pipeline(folder):
    """Runs the tasks that an earlier run has not completed."""
    LocalPipelineExecutor(
        pipeline=[
            JsonlReader(f"{folder}/de", default_metadata={}),
            dragoman.datatrove.Translator(to="en", local=case.LOCAL, local_flags=case.FLAGS),
            JsonlWriter(f"{folder}/en", output_filename="${rank}.jsonl.gz"),
        ],
        tasks=case.SHARDS,
        workers=4,
        logging_dir=f"{folder}/log",
    ).run()


def main():
    texts = case.rows()
    wanted = case.expected(texts)

    def started(folder):
        command = [sys.executable, __file__, str(folder)]
        log = open(folder / "output", "ab")
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def check(name, disturb):
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work)
            case.write_shards(texts, folder / "de")
            process = started(folder)
            if disturb is not None:
                case.wait_for(lambda: len(list(folder.glob("log/completions/*"))) >= 2, "completed tasks of datatrove")
                disturb(process)
            if process.wait() != 0:
                process = started(folder)
            if process.wait() != 0:
                sys.exit((folder / "output").read_text(encoding="utf-8")[-4000:])
            found = case.read_shards(folder / "en", lambda record: (record["metadata"], record["text"]))
            assert all(metadata["source"] == texts[metadata["row"]] for metadata, _ in found)
            found = [(metadata["row"], text) for metadata, text in found]
            case.check(name, found, texts, wanted)

    check("datatrove", None)
    check("datatrove, daemon killed", lambda process: case.kill_daemon())
    check("datatrove, killed and run again", lambda process: os.killpg(process.pid, signal.SIGKILL))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        pipeline(sys.argv[1])
    else:
        main()
