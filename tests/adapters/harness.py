"""What the tests of adapters have in common: a daemon with an HTTP address, and a runner of test functions.

A module here has functions test_NAME(server), each against the same daemon unless it starts one of its
own, and ends with run(globals(), ...).
"""

import functools
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import traceback

LANGUAGE_MODEL = pathlib.Path(__file__).resolve().parents[2] / "deploy/models/lid.176/lid.176.ftz"


def _attacks_harness():
    """The attack suite's harness, which starts daemons. Its name is this module's, so it gets another."""
    path = pathlib.Path(__file__).resolve().parents[1] / "attack/harness.py"
    spec = importlib.util.spec_from_file_location("attack_harness", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# Before grpc is imported: its threads in a forked process hinder the start of a daemon.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

_attack = _attacks_harness()
Daemon, Failed, check = _attack.Daemon, _attack.Failed, _attack.check
own_loopback_address = _attack.own_loopback_address

SKIPPED = 77  # of ctest, SKIP_RETURN_CODE

# German, and a word of its translation by the bundled model.
GERMAN = "Der Hund schläft."
ENGLISH = "dog"

GLOSSARY = {"Hund": "hound", "Katze": "tomcat"}


@functools.cache
def _detects():
    """Whether the daemon was built with detection of languages."""
    told = subprocess.run([_attack.DAEMON, "--version", "--verbose"], check=True, capture_output=True, text=True).stdout
    return re.search(r"^detection +fastText$", told, re.MULTILINE) is not None


class AdapterDaemon(Daemon):
    """dragomand with the bundled model, all its adapters on a free port of the loopback.

    keys:   {"client": "key"}: calls need one of these.
    models: {"name": directory} in place of the bundled one alone.
    glossary: {"source": "target"}, which is loaded as "animals".
    """

    def __init__(self, *flags, keys=None, models=None, glossary=None, **options):
        self._folder = tempfile.TemporaryDirectory(prefix="adapters-")
        folder = pathlib.Path(self._folder.name)
        flags = [str(flag) for flag in flags]
        if "--language-model" not in flags and _detects():
            flags += ["--language-model", str(LANGUAGE_MODEL)]
        if "--http" not in flags:
            flags += ["--http", "127.0.0.1:0"]
        if keys is not None:
            clients = [
                {"name": name, "keys": ["sha256:" + hashlib.sha256(key.encode()).hexdigest()], "models": ["*"]}
                for name, key in keys.items()
            ]
            (folder / "keys.json").write_text(json.dumps({"clients": clients}))
            flags += ["--api-keys", str(folder / "keys.json")]
        if glossary is not None:
            (folder / "glossaries").mkdir()
            rows = "".join(f"{source}\t{target}\n" for source, target in glossary.items())
            (folder / "glossaries" / "animals.tsv").write_text(rows)
            flags += ["--glossary-dir", str(folder / "glossaries")]
        for name, directory in (models or {}).items():
            flags += ["--model", f"{name}={directory}"]
        self.http_address = ""
        super().__init__(*flags, **options)

    def _await_ports(self, seconds):
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        line = self.process.stdout.readline().decode()
        timer.cancel()
        match = re.match(r"dragomand listening grpc=(\S+) metrics=(\S+) admin=(\S+) http=(\S+)", line)
        if match is None:
            raise Failed(f"the daemon did not start: {line or self.errors()[-400:]!r}")
        self.grpc, self.metrics, self.admin, self.http_address = match.groups()

    @property
    def url(self):
        return f"http://{self.http_address}"

    def kill(self):
        super().kill()
        self._folder.cleanup()

    def logs(self, *texts):
        """Whether the log has all of these texts soon. Its lines are written after the answers."""
        return _attack.wait_until(lambda: all(text in self.errors() for text in texts), 30)

    def detects(self):
        """Whether this build finds out languages."""
        import requests

        url = f"{self.url}/language/translate/v2/detect"
        return requests.post(url, data={"q": GERMAN}, timeout=30).status_code == 200


def raises(kind, call, *texts):
    """Fails unless call() raises an exception of this kind whose text has all of `texts`; returns it."""
    try:
        found = call()
    except kind as error:
        for text in texts:
            check(text in str(error), f"the error has no {text!r}: {error}")
        return error
    raise Failed(f"no {kind.__name__}, but {found!r}")


def skip(why):
    """Skips the module, aloud."""
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def need(*packages):
    """Skips the module where one of these packages is missing; run.sh has them all."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        skip(f"no Python package {', '.join(missing)} (tests/adapters/run.sh has it)")


def run(module, *flags, **options):
    """Runs the functions test_NAME(server) of a module, or those that the command line names, and ends
    the process: 0 if all have passed."""
    names = sys.argv[1:] or [name for name in module if name.startswith("test_")]
    failed = 0
    with AdapterDaemon(*flags, **options) as server:
        for name in names:
            begin = time.monotonic()
            try:
                module[name](server)
                print(f"passed  {name}  {time.monotonic() - begin:.1f} s", flush=True)
            except Exception as error:  # whatever a client raises
                failed += 1
                if not isinstance(error, Failed):
                    traceback.print_exc()
                print(f"FAILED  {name}: {error}", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
