"""dragomand as a process that is measured: on free ports of the loopback, with its metrics, time and memory."""
import atexit
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request


def name_and_seconds(path):
    """What a file `stat` of /proc says of a process or thread: its name, and user and system time so far."""
    with open(path, encoding="utf-8", errors="replace") as f:
        head, tail = f.read().rsplit(")", 1)
    fields = tail.split()
    return head.split("(", 1)[1], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds(process):
    """User and system time of a process so far."""
    return name_and_seconds(f"/proc/{process.pid}/stat")[1]


def thread_seconds(process):
    """(name, user and system time so far) of each of its threads, by number."""
    found = {}
    folder = f"/proc/{process.pid}/task"
    for thread in os.listdir(folder):
        try:
            found[thread] = name_and_seconds(f"{folder}/{thread}/stat")
        except OSError:  # it has ended
            pass
    return found


def busy_threads(before, after, seconds):
    """By name what the threads have taken between two answers of thread_seconds, so many seconds apart, in cores:
    dict(all, busiest, threads), whoever takes most first. Names that took less than a hundredth are left out."""
    cores = {}
    for thread, (name, total) in after.items():
        cores.setdefault(name, []).append((total - before.get(thread, (name, 0.0))[1]) / seconds)
    found = {name: {"all": round(sum(each), 3), "busiest": round(max(each), 3), "threads": len(each)}
             for name, each in sorted(cores.items(), key=lambda item: -sum(item[1]))}
    return {name: figures for name, figures in found.items() if figures["all"] >= 0.01}


def machine_cpu_seconds():
    """Of all processes of the machine, stolen time included; idle and waiting are not."""
    with open("/proc/stat", encoding="ascii") as f:
        user, nice, system, _, _, irq, softirq, steal = (int(x) for x in f.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid):
    """dict(resident, peak): what a process holds now, and held at most, in MiB."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        fields = dict(line.split(":", 1) for line in f)
    return {name: int(fields[key].split()[0]) / 1024 for name, key in (("resident", "VmRSS"), ("peak", "VmHWM"))}


def schedule(**keys):
    """Flags that set keys of the configuration file's object "schedule", '_' for '-'."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({"schedule": {key.replace("_", "-"): value for key, value in keys.items()}}, file)
    atexit.register(os.unlink, file.name)
    return ["--config", file.name]


class Daemon:
    """dragomand on free ports of the loopback; serves once `wait` has returned."""

    def __init__(self, program, flags):
        self.flags = flags
        self.began = time.monotonic()
        self.log = tempfile.TemporaryFile(mode="w+")
        flags = flags if "--http" in flags else [*flags, "--http", "off"]
        self.process = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log-level", "warn", *flags],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        atexit.register(self.process.kill)

    def wait(self):
        line = self.process.stdout.readline()  # once it serves, or is gone
        found = re.search(r"grpc=(\S+) metrics=(\S+) admin=\S+ http=(\S+)", line)
        if found is None:
            raise RuntimeError(f"dragomand {' '.join(self.flags)} does not serve: {self.end_of_log()}")
        # `http` has the metrics, `adapters` is the address of --http.
        self.grpc, self.http, self.api_address = found.groups()

    def end_of_log(self):
        self.log.seek(0)
        return self.log.read()[-2000:]

    def scrape(self):
        with urllib.request.urlopen(f"http://{self.http}/metrics", timeout=30) as page:
            text = page.read().decode()
        at = time.monotonic()

        def value(name, labels=""):
            pattern = rf"^dragoman_{name}(?:\{{[^}}]*{labels}[^}}]*\}})? (\S+)$"
            return sum(float(v) for v in re.findall(pattern, text, re.M))

        return {
            "at": at,
            "busy": value("decode_row_steps_total", 'state="busy"'),
            "idle": value("decode_row_steps_total", 'state="idle"'),
            "steps": value("decode_step_duration_seconds_count"),
            "step_seconds": value("decode_step_duration_seconds_sum"),
            "segments": value("segments_total"),
            "target_tokens": value("target_tokens_total"),
            "topped_up": value("topup_segments_sum"),
            "waiting": value("segments_waiting"),
            "workers": value("live_workers"),
            "server_cpu": cpu_seconds(self.process),
            "machine_cpu": machine_cpu_seconds(),
        }

    def stop(self):
        self.process.terminate()
        if self.process.wait() != 0:
            raise RuntimeError(f"dragomand {' '.join(self.flags)} ended badly: {self.end_of_log()}")

    def kill(self):
        """For ends that nobody looks at."""
        self.process.kill()
        self.process.wait()
