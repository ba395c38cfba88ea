#!/usr/bin/env python3
"""Writes the PyTorch files that torch_file_test.cc reads. Tried with torch 2.6.0.

Usage: make_torch_files.py [OUT_DIR]; the default is this script's folder.
"""

import os
import sys
from collections import OrderedDict

import torch


def ramp(*shape, dtype=torch.float32):
    """0, 1, 2, ... divided by 4: exact in every dtype used here."""
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(count, dtype=torch.float32) / 4).reshape(shape).to(dtype)


def state_dict():
    base = ramp(3, 4)
    flat = ramp(10)
    state = OrderedDict()
    state["f32"] = base
    state["f16"] = ramp(2, 3, dtype=torch.float16)
    state["bf16"] = ramp(2, 3, dtype=torch.bfloat16)
    state["i64"] = torch.tensor([7, 8], dtype=torch.int64)
    state["transposed"] = base.t()  # shares its storage with f32
    state["window"] = flat[3:7]  # an offset
    state["every_second"] = flat[1::2]  # a stride
    state["parameter"] = torch.nn.Parameter(ramp(2, 2))
    state["scalar"] = torch.tensor(2.5)
    state["empty"] = torch.zeros(0, 3)
    # What nn.Module.state_dict adds: state of an object.
    state._metadata = OrderedDict([("", {"version": 1})])
    return state


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    state = state_dict()
    torch.save(state, os.path.join(out, "zip.bin"))
    torch.save(state, os.path.join(out, "stream.bin"), _use_new_zipfile_serialization=False)
    torch.save(dict(state), os.path.join(out, "zip_protocol4.bin"), pickle_protocol=4)
    torch.save([1, 2], os.path.join(out, "no_dict.bin"))


if __name__ == "__main__":
    main()
