"""The machine that figures come from: a ratio between two programs holds for its CPU and may be another elsewhere."""
import os
import re
import subprocess

# What the kernels of the programs that are compared may use; order of age.
FLAGS = ("avx2", "fma", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")


def gpu(device):
    """What the driver calls `device`, cuda:N; "" of cpu. SystemExit where there is no such GPU."""
    if device == "cpu":
        return ""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader", "-i", device.partition(":")[2]]
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as e:
        raise SystemExit(f"{device}: {' '.join(command)}: {e}") from None


def describe(path="/proc/cpuinfo", device="cpu"):
    """dict(cpu, processors, flags, load): the model's name, those usable here, of FLAGS what it has, load before the run;
    and `gpu`, if `device` is one."""
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
                flags=" ".join(flag for flag in FLAGS if flag in flags), load=round(os.getloadavg()[0], 1),
                **({} if device == "cpu" else {"gpu": gpu(device)}))


def short_name(device="cpu"):
    """For file names: the GPU's model, or the CPU's and the number of processors, such as amd-epyc-9b14-2."""
    if device != "cpu":
        return "-".join(re.findall(r"[a-z0-9]+", gpu(device).lower()))
    about = describe()
    words = re.findall(r"[a-z0-9]+", re.sub(r"\((r|tm)\)|@.*", " ", about["cpu"].lower()))
    kept = [word for word in words if word not in ("cpu", "processor", "core", "with")]
    return "-".join([*kept, str(about["processors"])])
