"""The peers' packages, in virtual environments of their own: LibreTranslate wants other versions than the rest."""
import filecmp
import os
import shutil
import subprocess
import sys

from peers.worker import HERE, ROOT

MAIN = os.path.join(ROOT, "tests/parity/requirements.txt")
LIBRETRANSLATE = os.path.join(HERE, "libretranslate.txt")
FIREFOX = os.path.join(HERE, "firefox.txt")


def make(folder, requirements, interpreter=sys.executable):
    """The path of a Python in `folder` that has these packages; pip's own settings say where they come from."""
    python, done = os.path.join(folder, "bin/python"), os.path.join(folder, "requirements.txt")
    if os.path.exists(done) and filecmp.cmp(requirements, done, shallow=False):
        return python
    print(f"installing {os.path.relpath(requirements, ROOT)} into {folder}", file=sys.stderr, flush=True)
    for command in ([interpreter, "-m", "venv", folder],
                    [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements]):
        if subprocess.run(command).returncode != 0:
            sys.exit(f"peers: {' '.join(command)} failed; needs Python's venv module and access to PyPI")
    shutil.copy(requirements, done)
    return python


def versions(python, names):
    code = "import importlib.metadata as m, sys; print(' '.join(m.version(n) for n in sys.argv[1:]))"
    out = subprocess.run([python, "-c", code, *names], stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(names, out.stdout.split()))
