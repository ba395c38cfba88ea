"""The machine that figures come from: a ratio between two programs holds for its CPU and may be another elsewhere."""
import os
import re

# What the kernels of the programs that are compared may use; order of age.
FLAGS = ("avx2", "fma", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")


def describe(path="/proc/cpuinfo"):
    """dict(cpu, processors, flags, load): the model's name, those usable here, of FLAGS what it has, load before the run."""
    fields = {}
    try:
        with open(path, encoding="utf-8") as f:
            for line in f:
                name, _, value = line.partition(":")
                fields.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    flags = fields.get("flags", "").split()
    return dict(cpu=fields.get("model name", "unknown"), processors=len(os.sched_getaffinity(0)),
                flags=" ".join(flag for flag in FLAGS if flag in flags), load=round(os.getloadavg()[0], 1))


def short_name():
    """For file names: the CPU's model and the number of processors, such as amd-epyc-9b14-2."""
    about = describe()
    words = re.findall(r"[a-z0-9]+", re.sub(r"\((r|tm)\)|@.*", " ", about["cpu"].lower()))
    kept = [word for word in words if word not in ("cpu", "processor", "core", "with")]
    return "-".join([*kept, str(about["processors"])])
