"""client/python/generate.py, which is no part of the wheel, as a module."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]


def load():
    spec = importlib.util.spec_from_file_location("dragoman_generate", ROOT / "client/python/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_table():
    return load().read_table(ROOT / "proto/options/decoding_options.inc")
