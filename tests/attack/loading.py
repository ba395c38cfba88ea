"""Attacks on the loading of models: what it takes of memory, of files that are none of the model's, and of time."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import tempfile
import time

import made_models
import opus_base
from control_group import SKIPPED, Watch, daemons_in, memory_group
from harness import MIB, MODEL, ROOT, Client, Daemon, Outcome, attack, check, mib, wait_until

TEXT = "Das ist ein Test."
SLACK = 20 * MIB  # beside the bound that the daemon prints
# K/V of a given size: else they take what there is.
SMALL = ("--kv-memory-mb", 64, "--max-rows", 16, "--cpu-workers", 1, "--device", "cpu", "--receive-memory-mb", 8,
         "--max-connections", 64, "--max-queue-segments", 256, "--max-queue-tokens", 8192)  # fmt: skip
ADMIN = ("--admin-listen", "127.0.0.1:0")


class Admin:
    """Calls of AdminService."""

    def __init__(self, address):
        import grpc
        from dragoman.v1 import translation_pb2, translation_pb2_grpc

        self._messages = translation_pb2
        self._channel = grpc.insecure_channel(address)
        self.stub = translation_pb2_grpc.AdminServiceStub(self._channel)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._channel.close()

    def load(self, name, directory, **settings):
        """The call of LoadModel, under way."""
        settings = {key.replace("_", "-"): str(value) for key, value in settings.items()}
        request = self._messages.LoadModelRequest(name=name, directory=str(directory), settings=settings)
        return self.stub.LoadModel.future(request, timeout=100)

    def reload(self, name, only_if_changed=False):
        request = self._messages.ReloadModelRequest(name=name, only_if_changed=only_if_changed)
        return self.stub.ReloadModel.future(request, timeout=100)

    def drain(self):
        return self.stub.Drain.future(self._messages.DrainRequest(), timeout=100)


def _answer(call):
    """(code, message) of a call."""
    import grpc

    try:
        call.result()
    except grpc.RpcError as error:
        return error.code().name, error.details()
    return "OK", ""


def _bound(daemon):
    return daemon.memory_bound()["sum_bytes"]


def _ends(daemon, what, seconds=5.0):
    """How long it takes after SIGTERM, which must be followed by status 0 in time."""
    begin = time.monotonic()
    daemon.signal(signal.SIGTERM)
    status = daemon.wait(60)
    took = time.monotonic() - begin
    check(status == 0 and took < seconds, f"{what}: after SIGTERM status {status} in {took:.1f} s")
    return took


# ------------------------------------------------------------------ memory


@attack("package larger than memory", issue=29, limit=300)
def package_larger_than_memory():
    """A package of 17 MB that unpacks to 1.3 GiB, in a control group of 1,024 MiB."""
    with memory_group(1024 * MIB) as group, tempfile.TemporaryDirectory(prefix="attack-") as name:
        if group is None:
            return SKIPPED
        package = made_models.argos_bomb(pathlib.Path(name) / "bomb.argosmodel", 1331 * MIB)
        with daemons_in(group):
            with Daemon("--kv-memory-mb", 100, *ADMIN) as daemon, Admin(daemon.admin) as admin:
                bound = _bound(daemon)
                with Watch(group) as watch:
                    code, message = _answer(admin.load("bomb", package))
                check(daemon.alive(), f"LoadModel: the daemon ended with {daemon.wait(1)}")
                check(code == "RESOURCE_EXHAUSTED", f"LoadModel: {code}: {message}")
                for words in ("model.bin", "1331 MiB", "the cgroup"):
                    check(words in message, f"'{words}' is not in: {message}")
                with Client(daemon.grpc) as client:
                    check(client.code(TEXT) == "OK", "the other model does not translate any more")
                daemon.stop()
            with Daemon(model=package, wait=0) as daemon:
                status = daemon.wait(60)
                check(status == 1 and "1331 MiB" in daemon.errors(), f"start: {status}, {daemon.errors()[-300:]}")
            check(group.kills() == 0, f"{group.kills()} processes were killed")
            size = package.stat().st_size
    return Outcome(f"{size / 1e6:.0f} MB refused by LoadModel and at the start; {mib(watch.peak)} held at most",
                   bound=mib(bound))  # fmt: skip


def _cases(place):
    """(what, directory or package, flags) of every way in which files come into memory whole."""
    small = ROOT / "tests/data/models"
    yield "bundled model", MODEL, ()
    yield "Argos' package, 168 MB unpacked", made_models.argos_package(place / "large.argosmodel", 64), ()
    torch = opus_base.make(_made(place / "torch"))
    sharded = _made(place / "sharded")
    shutil.copytree(torch, sharded, dirs_exist_ok=True)
    made_models.to_torch_zip(torch)
    yield "PyTorch's zip archive, 296 MB", torch, ()
    _shard(sharded)
    yield "three shards, 296 MB", sharded, ()
    yield "Marian's .npz", small / "marian-npz", ()
    glossaries = _made(place / "glossaries")
    with open(glossaries / "large.tsv", "w") as file:
        for i in range(2_000_000):
            file.write(f"Wort{i}\tword\n")
    yield "a glossary of 2,000,000 terms, 35 MB", MODEL, ("--glossary-dir", glossaries)


def _made(path):
    path.mkdir()
    return path


def _shard(directory):
    """Its model.safetensors in three files."""
    tensors = made_models.safetensors_of(directory / "model.safetensors")
    (directory / "model.safetensors").unlink()
    names = list(tensors)
    index = {}
    for shard in range(3):
        file = f"model-{shard + 1:05}-of-00003.safetensors"
        part = names[len(names) * shard // 3 : len(names) * (shard + 1) // 3]
        made_models.write_safetensors(directory / file, {name: tensors[name] for name in part})
        index.update({name: file for name in part})
    (directory / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))


@attack("every way into memory", issue=29, limit=900)
def every_way_into_memory():
    """Each is started in a group of the bound that it printed and 20 MiB, and loaded a second time beside itself."""
    rows = []
    with memory_group(1 << 40) as group, tempfile.TemporaryDirectory(prefix="attack-") as name:
        if group is None:
            return SKIPPED
        for what, model, flags in _cases(pathlib.Path(name)):
            flags = (*SMALL, *ADMIN, *flags)
            with Daemon(*flags, model=f"m={model}", wait=200) as daemon:
                bound = _bound(daemon)
            group.set_limit(bound + SLACK)
            with daemons_in(group), Watch(group) as watch:
                with Daemon(*flags, model=f"m={model}", wait=200) as daemon, Admin(daemon.admin) as admin:
                    with Client(daemon.grpc) as client:
                        code = client.code("Haus", timeout=60)
                        check(code == "OK", f"{what}: Translate ends with {code}")
                    code, message = _answer(admin.load("again", model))
                    check(code in ("OK", "RESOURCE_EXHAUSTED"), f"{what}: LoadModel: {code}: {message}")
                    check(daemon.alive(), f"{what}: ended with {daemon.wait(1)}")
                    daemon.stop()
            check(group.kills() == 0, f"{what}: {group.kills()} processes were killed")
            group.set_limit(1 << 40)
            rows.append(f"{what}: bound {mib(bound)}, {mib(watch.peak)} held, again {code}")
            print(rows[-1], flush=True)
    return Outcome("; ".join(rows))


# ------------------------------------------------------------------ files, and the end


@contextlib.contextmanager
def _beside(model, **sparse):
    """A copy of a model with sparse files beside its own, by name and size, and links to what never ends."""
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        copy = pathlib.Path(name) / "model"
        shutil.copytree(model, copy)
        for file, size in sparse.items():
            with open(copy / file, "wb") as out:
                out.truncate(size)
        (copy / "messages").symlink_to("/proc/kmsg")
        (copy / "zeros").symlink_to("/dev/zero")
        yield copy


@attack("files beside a model", issue=29, limit=200)
def files_beside_a_model():
    """A sparse file of 200 GiB and links to /proc beside a model that is loaded, and SIGTERM then."""
    with _beside(MODEL, giant=200 << 30) as model:
        with Daemon(*SMALL, *ADMIN) as daemon, Admin(daemon.admin) as admin:
            begin = time.monotonic()
            call = admin.load("beside", model)
            check(wait_until(call.done, 20), "LoadModel has not ended after 20 s")
            code, message = _answer(call)
            took = time.monotonic() - begin
            check(code == "OK", f"LoadModel: {code}: {message}")
            ended = _ends(daemon, "after the load")
        with Daemon(*SMALL, *ADMIN, model=model, wait=20) as daemon:
            daemon.signal(signal.SIGHUP)
            check(wait_until(lambda: daemon.log("configuration applied"), 20), "SIGHUP is not done after 20 s")
            _ends(daemon, "after SIGHUP")
    return Outcome(f"loaded in {took:.2f} s, ended in {ended:.2f} s")


def _large_glossary(place):
    folder = pathlib.Path(place) / "glossaries"
    folder.mkdir()
    with open(folder / "large.tsv", "w") as file:
        for i in range(1_500_000):
            file.write(f"Wort{i}\tdas ist ein langes Wort {i}\n")
    return folder


@attack("terminate in every phase", issue=29, limit=600)
def terminate_in_every_phase():
    """SIGTERM at moments of a start, a load, a reload, a reading of glossaries, a drain: the end within 5 s."""
    slowest = {}

    def note(phase, took):
        slowest[phase] = max(slowest.get(phase, 0.0), took)

    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        large = _made(pathlib.Path(name) / "large")
        opus_base.make(large)
        glossaries = _large_glossary(name)
        flags = (*SMALL, *ADMIN)
        for delay in (0, 0.2, 0.4, 0.8, 1.5):
            with Daemon(*flags, "--glossary-dir", glossaries, model=large, wait=0) as daemon:
                check(wait_until(lambda d=daemon: d.log("loading model"), 20), "it does not begin to load")
                time.sleep(delay)
                phase = "serving" if daemon.log("serving") else "start"
                note(phase, _ends(daemon, f"{delay} s after the start"))
        # A load goes on for as long as nobody has ended it: so every part of it is met.
        for phase in ("load", "reload"):
            delay, done = 0.0, False
            while not done and delay < 8:
                with Daemon(*flags) as daemon, Admin(daemon.admin) as admin:
                    if phase == "load":
                        call = admin.load("large", large, glossary_dir=glossaries)
                    else:
                        check(_answer(admin.load("large", large))[0] == "OK", "the first load fails")
                        os.utime(large / "model.safetensors")  # so its checksum is computed
                        call = admin.reload("large", only_if_changed=True)
                    time.sleep(delay)
                    done = call.done()
                    note(phase, _ends(daemon, f"{delay:.1f} s after the {phase} began"))
                delay += 0.4
        with Daemon(*flags, "--glossary-dir", glossaries, wait=200) as daemon:
            daemon.signal(signal.SIGHUP)
            time.sleep(0.5)
            note("glossaries", _ends(daemon, "while glossaries are read"))
        with Daemon(*flags) as daemon, Admin(daemon.admin) as admin:
            call = admin.load("large", large, glossary_dir=glossaries)
            begin = time.monotonic()
            check(_answer(admin.drain())[0] == "OK", "Drain fails")
            waited = time.monotonic() - begin
            check(waited < 2 and not call.done(), f"Drain waited {waited:.1f} s for a load")
            note("drained", _ends(daemon, "after a drain with nothing in flight"))
    return Outcome("slowest: " + ", ".join(f"{phase} {took:.2f} s" for phase, took in slowest.items()), bound="5 s")
