"""The models that are compared, and their conversions: made once, kept in the work directory."""
import dataclasses
import json
import os
import shutil
import subprocess

import opus_base
from peers.worker import ROOT, PeerFailed, Worker

BUNDLED = os.path.join(ROOT, "deploy/models/de-en")
NLLB = os.path.join(ROOT, "tests/bench/nllb_shape.py")


@dataclasses.dataclass
class Model:
    name: str
    path: str  # in the Hugging Face layout
    forced: int = 0  # tokens of every translation; 0: as many as the model wants, at most 256
    languages: tuple = ()  # source and target, as the model writes them, where it has to be told


class Models:
    def __init__(self, folder, python, forced, firefox_python=None):
        self.folder, self.python, self.forced, self.firefox_python = folder, python, forced, firefox_python

    def get(self, name):
        if name == "bundled":
            return Model(name, BUNDLED)
        if name == "firefox":
            worker = Worker(self.firefox_python, "peers.firefox_worker")
            try:
                return Model(name, os.path.join(worker.call("models"), "enpt-1693087644"))
            finally:
                worker.stop()
        if name == "nllb":
            path = _once(os.path.join(self.folder, "nllb"), self._make_nllb)
            return Model(name, path, self.forced, ("deu_Latn", "eng_Latn"))
        path = _once(os.path.join(self.folder, "opus"), opus_base.make)
        return Model(name, path, self.forced)

    def _make_nllb(self, out):
        if subprocess.run([self.python, NLLB, out]).returncode != 0:
            raise PeerFailed("nllb: its directory could not be written")

    def converted(self, model, quantization):
        """The directory of CTranslate2's conversion. Raises PeerFailed."""
        def convert(out):
            worker = Worker(self.python, "peers.ct2_worker")
            try:
                worker.call("convert", model=model.path, out=os.path.join(out, "model"), quantization=quantization)
            finally:
                worker.stop()
        folder = _once(os.path.join(self.folder, f"ctranslate2-{model.name}-{quantization}"), convert)
        return os.path.join(folder, "model")

    def argos_packages(self, model, quantization):
        """A directory of packages for Argos Translate with this model from German to English."""
        def pack(out):
            package = os.path.join(out, "de_en")
            shutil.copytree(self.converted(model, quantization), os.path.join(package, "model"))
            path = os.path.join(package, "model/config.json")
            with open(path, encoding="utf-8") as f:
                config = json.load(f)
            with open(path, "w", encoding="utf-8") as f:
                json.dump({**config, "add_source_eos": True}, f)  # Argos Translate gives pieces alone
            # Argos Translate has one SentencePiece model for both sides; the bundled model's two are the same.
            with open(os.path.join(model.path, "source.spm"), "rb") as a, open(os.path.join(model.path, "target.spm"), "rb") as b:
                if a.read() != b.read():
                    raise PeerFailed(f"{model.name}: source.spm and target.spm differ, Argos Translate has room for one")
            shutil.copy(os.path.join(model.path, "source.spm"), os.path.join(package, "sentencepiece.model"))
            with open(os.path.join(package, "metadata.json"), "w", encoding="utf-8") as f:
                json.dump(dict(package_version="1.0", argos_version="1.9", from_code="de", from_name="German", to_code="en",
                               to_name="English"), f)
        return _once(os.path.join(self.folder, f"argos-{model.name}-{quantization}"), pack)


def _once(path, make):
    """The directory `path`; if it is not there, what make(directory) writes."""
    if not os.path.isdir(path):
        half = f"{path}.half"
        shutil.rmtree(half, ignore_errors=True)
        os.makedirs(half)
        make(half)
        os.rename(half, path)
    return path
