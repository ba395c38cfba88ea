"""The programs dragomand and dragoman, and the bundled model, as files of a Python package."""

import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
MODEL = FOLDER / "models/de-en"
# Flags that name a model, or that end without serving one.
WITHOUT_OURS = {"--model", "--models-dir", "--config", "--help", "--version"}


def _become(name):
    """Replaces this process, so that signals, descriptors and the exit status are the program's own."""
    program = str(FOLDER / "bin" / name)
    arguments = sys.argv[1:]
    # Where no model is named there is something to try: the model that came along.
    named = {argument.split("=", 1)[0] for argument in arguments}
    if name == "dragomand" and not named & WITHOUT_OURS:
        arguments = ["--model", f"de-en={MODEL}", *arguments]
    os.execv(program, [name, *arguments])


def dragomand():
    _become("dragomand")


def dragoman():
    _become("dragoman")
