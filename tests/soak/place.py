"""What the daemon reads from disk, and what an operator changes in it while it serves."""

import asyncio
import collections
import contextlib
import json
import pathlib
import shutil
import signal
import tempfile
import time

import grpc
from dragoman.v1 import translation_pb2 as pb
from dragoman.v1 import translation_pb2_grpc

from cases import FIRST, GLOSSARY, GLOSSARY_TSV, GUEST, GUEST_LANGUAGES, LANGUAGES, PIVOT, SECOND, Case
from harness import MODEL, Failed, check, wait_until
from security import Certificates, keys_file

# Of the first model; the second has float32 and twice that. Small enough that pages run short sometimes.
KV_MIB = 24


class Place:
    """The directory that a daemon reads from: two models, a glossary, certificates, keys; and what
    changes in them while it serves. Use it with `with`."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="soak-")
        self.root = pathlib.Path(self._folder.name)
        self.certificates = Certificates()
        self._keys_file, keys = keys_file(web={}, batch={"share": 2})
        self.keys = list(keys.values())
        self._changes = 0
        # There is one real model here. The others are the same and say that they know other languages.
        self._copy(FIRST, LANGUAGES[FIRST])
        self._copy(SECOND, LANGUAGES[SECOND])
        self._copy(GUEST, GUEST_LANGUAGES)
        (self.root / "glossaries").mkdir()
        self._write_glossary()
        models = [{"name": FIRST, "directory": str(self.root / FIRST), "kv-memory-mb": KV_MIB},
                  {"name": SECOND, "directory": str(self.root / SECOND), "kv-memory-mb": 2 * KV_MIB,
                   "compute-type": "float32"}]  # fmt: skip
        (self.root / "config.json").write_text(
            json.dumps({"models": models, "pivot": f"{PIVOT}={FIRST}+{SECOND}",
                        "glossary-dir": str(self.root / "glossaries")}))  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()
        self.certificates.folder.cleanup()
        self._keys_file.close()

    def _copy(self, name, languages):
        (self.root / name).mkdir()
        for file in ("config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm",
                     "vocab.json"):  # fmt: skip
            shutil.copy(MODEL / file, self.root / name)
        tokenizer = json.loads((MODEL / "tokenizer_config.json").read_text())
        tokenizer.update(source_lang=languages[0], target_lang=languages[1])
        (self.root / name / "tokenizer_config.json").write_text(json.dumps(tokenizer))

    def flags(self):
        return ("--config", self.root / "config.json", "--admin-listen", "127.0.0.1:0", "--api-keys",
                self._keys_file.name, *self.certificates.flags())  # fmt: skip

    def _write_glossary(self):
        text = GLOSSARY_TSV + f"Quastenflosser Nummer {self._changes}\tcoelacanth\n"
        (self.root / "glossaries" / f"{GLOSSARY}.tsv").write_text(text)

    def change(self):
        """Another second model to the checksum, another glossary, certificate and file of keys; nothing that
        an answer shows."""
        self._changes += 1
        # A byte in one of the model's own files: what else lies there is no change.
        with (self.root / SECOND / "config.json").open("a") as file:
            file.write("\n")
        self._write_glossary()
        self.certificates.renew()
        path = pathlib.Path(self._keys_file.name)
        path.write_text(path.read_text().rstrip() + "\n" * (1 + self._changes % 2))

    @contextlib.contextmanager
    def broken(self):
        """The second model's directory has half a file."""
        path = self.root / SECOND / "config.json"
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        try:
            yield
        finally:
            path.write_bytes(whole)

    def credentials(self):
        return grpc.ssl_channel_credentials(pathlib.Path(self.certificates["ca.pem"]).read_bytes())


class Operator:
    """What happens in each minute, beside the calls: a reload, a model that comes and goes, other files and
    SIGHUP, a reload of a broken model."""

    def __init__(self, daemon, place, clients):
        self._daemon = daemon
        self._place = place
        self._clients = clients
        self._channel = grpc.aio.insecure_channel(daemon.admin)
        self._stub = translation_pb2_grpc.AdminServiceStub(self._channel)
        self._turn = asyncio.Lock()
        self._begin = time.monotonic()
        self.rests = []  # (seconds since the start, resident bytes)
        self.done = collections.Counter()
        self.wrong = []

    async def run(self, seconds):
        begin = time.monotonic()
        minute = 0
        steps = [(5, self._reload), (20, self._guest), (35, self._hang_up), (50, self._reload_broken)]
        while True:
            for second, step in steps:
                wait = begin + 60 * minute + second - time.monotonic()
                if time.monotonic() + wait > begin + seconds - 5:
                    return
                await asyncio.sleep(max(0, wait))
                try:
                    async with self._turn:
                        await step(minute)
                except (grpc.aio.AioRpcError, AssertionError, Failed) as error:
                    self.wrong.append(f"minute {minute}, {step.__name__}: {error}"[:400])
            minute += 1

    async def rest(self):
        """With no call in flight: models as fresh as at the start, and nothing left of those before. What is
        resident then depends on nothing but what has been."""
        async with self._turn:
            try:
                for name in (FIRST, SECOND):
                    await self._stub.ReloadModel(pb.ReloadModelRequest(name=name), timeout=60)
            except grpc.aio.AioRpcError as error:
                self.wrong.append(f"a reload at rest: {error}"[:400])
            self.rests.append((time.monotonic() - self._begin, await asyncio.to_thread(self._resident)))

    def _resident(self):
        versions = [f'dragoman_live_workers{{model="{name}"}}' for name in (FIRST, SECOND)]

        def alone():
            samples = self._daemon.samples()
            return all(samples[name] == 1 for name in versions)

        check(wait_until(alone, 30), "a version is left 30 s after its last call")
        least = self._daemon.rss()
        for _ in range(30):  # the last version's memory goes beside its end
            time.sleep(0.1)
            least = min(least, self._daemon.rss())
        return least

    async def close(self):
        await self._channel.close()

    async def _reload(self, minute):
        name = (FIRST, SECOND)[minute % 2]
        answer = await self._stub.ReloadModel(pb.ReloadModelRequest(name=name), timeout=60)
        assert answer.reloaded, f"{name} was not reloaded"
        self.done["reloads"] += 1

    async def _guest(self, _):
        directory = str(self._place.root / GUEST)
        load = pb.LoadModelRequest(name=GUEST, directory=directory, settings={"max-rows": "32"})
        await self._stub.LoadModel(load, timeout=60)
        request = pb.TranslateRequest(contents=["Das ist ein Test."], model=GUEST)
        codes = [await self._clients.call(Case(GUEST, request, stream)) for stream in (False, True)]
        assert codes == ["OK", "OK"], f"the guest answers {codes}"
        await self._stub.UnloadModel(pb.UnloadModelRequest(name=GUEST), timeout=60)
        self.done["guests loaded and unloaded"] += 1

    async def _hang_up(self, minute):
        if minute % 3 != 1:
            return
        name = f'dragoman_model_version{{model="{SECOND}"}}'
        before = (await asyncio.to_thread(self._daemon.samples))[name]
        self._place.change()
        self._daemon.signal(signal.SIGHUP)
        for _ in range(300):
            await asyncio.sleep(0.1)
            if (await asyncio.to_thread(self._daemon.samples))[name] > before:
                break
        else:
            raise Failed("nothing was reloaded 30 s after SIGHUP")
        self.done["SIGHUP with new files"] += 1

    async def _reload_broken(self, minute):
        level = "warn" if minute % 2 else "info"
        await self._stub.SetLogLevel(pb.SetLogLevelRequest(level=level), timeout=10)
        if minute % 3 != 2:
            return
        with self._place.broken():
            try:
                await self._stub.ReloadModel(pb.ReloadModelRequest(name=SECOND), timeout=60)
                raise AssertionError("a broken directory was loaded")
            except grpc.aio.AioRpcError as error:
                assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
        self.done["reloads of a broken directory"] += 1
