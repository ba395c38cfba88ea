"""A pipeline of NeMo Curator with its TranslationStage: undisturbed, and with the daemon killed."""

import json
import os
import pathlib
import tempfile

import dragoman.curator
from nemo_curator.backends.ray_data import RayDataExecutor
from nemo_curator.pipeline import Pipeline
from nemo_curator.stages.text.experimental.translation import TranslationStage
from nemo_curator.stages.text.io.reader import JsonlReader
from nemo_curator.stages.text.io.writer import JsonlWriter

import engine_case as case


def main():
    texts = case.rows()
    wanted = case.expected(texts)

    def translated(disturb):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "de").mkdir()
            for shard in range(case.SHARDS):
                with open(folder / "de" / f"{shard}.jsonl", "w", encoding="utf-8") as file:
                    for row in range(shard, len(texts), case.SHARDS):
                        file.write(json.dumps({"row": row, "text": texts[row]}, ensure_ascii=False) + "\n")
            backend = dragoman.curator.backend(local=case.LOCAL, local_flags=case.FLAGS)
            stages = [
                JsonlReader(f"{folder}/de", files_per_partition=1),
                TranslationStage(source_lang="de", target_lang="en", output_mode="both", **backend),
                JsonlWriter(f"{folder}/en"),
            ]
            case.during(lambda: Pipeline(name="translation", stages=stages).run(RayDataExecutor()), lambda: disturb(folder))
            records = []
            for path in (folder / "en").glob("**/*.jsonl"):
                with open(path, encoding="utf-8") as file:
                    records += map(json.loads, file)
            return [(record["row"], record["translated_text"]) for record in records]

    def kill_daemon(folder):
        case.wait_for(lambda: any((folder / "en").glob("**/*.jsonl")), "result of Curator")
        case.kill_daemon()

    case.check("Curator", translated(lambda folder: None), texts, wanted)
    case.check("Curator, daemon killed", translated(kill_daemon), texts, wanted)


main()
