"""The programs dragomand and dragoman, and the bundled model, as files of a Python package."""

import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
MODEL = FOLDER / "models/de-en"


def _become(name):
    """Replaces this process, so that signals, descriptors and the exit status are the program's own."""
    program = str(FOLDER / "bin" / name)
    arguments = sys.argv[1:]
    # Without any argument there is something to try: the model that came along.
    if name == "dragomand" and not arguments:
        arguments = ["--model", f"de-en={MODEL}"]
    os.execv(program, [name, *arguments])


def dragomand():
    _become("dragomand")


def dragoman():
    _become("dragoman")
