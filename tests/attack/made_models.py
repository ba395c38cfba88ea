"""Models of a given size in the layouts that are packed, made of noise: Argos' package, PyTorch's zip archive, shards;
and what only seems to be a model. Nothing here needs torch or ctranslate2."""

import io
import json
import pathlib
import pickle
import random
import struct
import sys
import types
import zipfile

from harness import ROOT

SMALL_PACKAGE = ROOT / "tests/data/models/argos-de-en.argosmodel"
SMALL_WIDTH = 32  # of that package's model; its vocabulary and positions are no multiples of it


def _ct2(data, times):
    """CTranslate2's model.bin of version 6, `times` as wide, its numbers noise."""
    at = 0

    def take(kind):
        nonlocal at
        (value,) = struct.unpack_from("<" + kind, data, at)
        at += struct.calcsize("<" + kind)
        return value

    def text():
        nonlocal at
        size = take("H")
        at += size
        return data[at - size : at]

    out = io.BytesIO()
    noise = random.Random(1).choices(range(256), k=1_000_003)
    noise = bytes(b % 7 - 3 & 255 for b in noise)
    out.write(struct.pack("<I", take("I")))
    name = text()
    out.write(struct.pack("<H", len(name)) + name + struct.pack("<I", take("I")))
    count = take("I")
    out.write(struct.pack("<I", count))
    for _ in range(count):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        kind, size = take("B"), take("I")
        value = data[at : at + size]
        at += size
        wide = [n * times if n % SMALL_WIDTH == 0 else n for n in shape]
        if wide != shape:
            size = size // _product(shape) * _product(wide)
            if kind == 1:  # int8
                value = (noise * (size // len(noise) + 1))[:size]
            else:
                one = 300.0 if b"weight_scale" in name else 1.0 if b"gamma" in name else 0.0
                value = struct.pack("<f", one) * (size // 4)
        out.write(struct.pack("<H", len(name)) + name + struct.pack("<B", len(shape)))
        out.write(b"".join(struct.pack("<I", n) for n in wide) + struct.pack("<BI", kind, len(value)) + value)
    out.write(data[at:])
    return out.getvalue()


def _product(shape):
    size = 1
    for n in shape:
        size *= n
    return size


def _package_files():
    with zipfile.ZipFile(SMALL_PACKAGE) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def argos_package(path, times):
    """A package whose model.bin, int8, takes about 41 KiB * times^2 unpacked and less than that packed."""
    files = _package_files()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in files.items():
            archive.writestr(name, _ct2(data, times) if name.endswith("model.bin") else data)
    return path


def argos_bomb(path, size):
    """A package whose model.bin is `size` bytes, compressed as much as is let through."""
    files = _package_files()
    block = random.Random(1).randbytes(600) + bytes((64 << 10) - 600)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in files.items():
            if not name.endswith("model.bin"):
                archive.writestr(name, data)
                continue
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as out:
                for _ in range(size // len(block)):
                    out.write(block)
    return path


def safetensors_of(path):
    """dict(name: (shape, bytes)) of an F32 file."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {name: (entry["shape"], data[8 + size + entry["data_offsets"][0] : 8 + size + entry["data_offsets"][1]])
            for name, entry in header.items()}  # fmt: skip


def write_safetensors(path, tensors):
    """The reverse of safetensors_of."""
    header, end = {}, 0
    for name, (shape, data) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, data in tensors.values():
            file.write(data)


def to_torch_zip(directory):
    """Writes pytorch_model.bin, as torch.save does, in place of a directory's model.safetensors (F32)."""
    directory = pathlib.Path(directory)
    tensors = safetensors_of(directory / "model.safetensors")
    torch = types.ModuleType("torch")
    utils = types.ModuleType("torch._utils")

    def _rebuild_tensor_v2(*_):
        raise NotImplementedError

    class FloatStorage:
        pass

    for thing, module in ((_rebuild_tensor_v2, "torch._utils"), (FloatStorage, "torch")):
        thing.__module__, thing.__qualname__ = module, thing.__name__
    utils._rebuild_tensor_v2, torch.FloatStorage, torch._utils = _rebuild_tensor_v2, FloatStorage, utils

    class Storage:
        def __init__(self, key, size):
            self.id = ("storage", FloatStorage, key, "cpu", size)

    class Tensor:
        def __init__(self, key, shape):
            self.arguments = (key, shape)

        def __reduce__(self):
            key, shape = self.arguments
            strides = [_product(shape[i + 1 :]) for i in range(len(shape))]
            return _rebuild_tensor_v2, (Storage(key, _product(shape)), 0, tuple(shape), tuple(strides), False, {})

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            return value.id if isinstance(value, Storage) else None

    text = io.BytesIO()
    known = {name: sys.modules.get(name) for name in ("torch", "torch._utils")}
    sys.modules.update({"torch": torch, "torch._utils": utils})
    try:
        Pickler(text, protocol=2).dump({name: Tensor(str(i), shape) for i, (name, (shape, _)) in enumerate(tensors.items())})
    finally:
        for name, module in known.items():
            sys.modules.pop(name) if module is None else sys.modules.update({name: module})
    with zipfile.ZipFile(directory / "pytorch_model.bin", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("pytorch_model/data.pkl", text.getvalue())
        for i, (_, data) in enumerate(tensors.values()):
            archive.writestr(f"pytorch_model/data/{i}", data)
    (directory / "model.safetensors").unlink()
