"""Attacks on the process: its descriptors, its memory, its start and its end."""

import contextlib
import fcntl
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading
import time

import opus_base
from control_group import SKIPPED, daemons_in, memory_group
from harness import CLIENT, DAEMON, MIB, MODEL, Client, Daemon, Failed, Outcome, attack, check, mib

TEXT = "Das ist ein Test."


# ------------------------------------------------------------------ what they share


def _full_pipe():
    """(reading end, writing end) of a pipe that takes no byte more."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"." * 4096)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b".")
    fcntl.fcntl(writing, fcntl.F_SETFL, 0)
    return reading, writing


def _ended(process, seconds, what):
    """Its exit status, which must come in time; and how long it took."""
    begin = time.monotonic()
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"{what}: still there after {seconds} s") from None
    return status, time.monotonic() - begin


def _run(command, seconds=20, memory=600 * MIB, stdin=subprocess.DEVNULL):
    """(status, standard error, peak of resident bytes) of a program that must end in time."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=errors,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory)),
        )  # fmt: skip
        killer = threading.Timer(seconds, child.kill)
        killer.start()
        _, status, usage = os.wait4(child.pid, 0)
        killer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return child.returncode, errors.read(1 << 16).decode(errors="replace"), usage.ru_maxrss * 1024


# ------------------------------------------------------------------ the log


@attack("stalled_log_while_refusing", issue=12, limit=60)
def stalled_log_while_refusing():
    """Nobody reads the error of a start that fails: SIGTERM ends it, or it ends by itself."""
    reading, writing = _full_pipe()
    outcomes = []
    try:
        for flags in (["--nonsense"], ["--model", "/nowhere"]):
            process = subprocess.Popen([DAEMON, *flags], stderr=writing, stdin=subprocess.DEVNULL)
            try:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(3)
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                status, _ = _ended(process, 5, f"{flags}: after SIGTERM")
                outcomes.append(f"{flags[0]}: {status}")
            finally:
                process.kill()
                process.wait()
    finally:
        os.close(reading)
        os.close(writing)
    return Outcome(", ".join(outcomes))


# ------------------------------------------------------------------ paths


@attack("paths_that_are_no_files", issue=12, limit=240)
def paths_that_are_no_files():
    """Every flag that takes a path, given directories, pipes, devices and sparse giants."""
    count = 0
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        here = pathlib.Path(name)
        os.mkfifo(here / "pipe")
        (here / "directory").mkdir()
        with open(here / "giant", "wb") as giant:
            giant.truncate(8 << 30)
        (here / "unreadable").touch(mode=0o000)
        bad = [here / "directory", here / "pipe", here / "giant", "/dev/zero", "/dev/null",
               here / "none"]  # fmt: skip
        if os.geteuid() != 0:
            bad.append(here / "unreadable")
        commands = [([DAEMON, "--config", path], 2) for path in bad]
        commands += [([DAEMON, "--model", f"m={path}", "--listen", "127.0.0.1:0", "--metrics", "off", "--http", "off"], 1)
                     for path in bad]  # fmt: skip
        for file in ("config.json", "generation_config.json", "vocab.json", "source.spm",
                     "model.safetensors", "tokenizer_config.json"):  # fmt: skip
            for path in bad:
                model = pathlib.Path(tempfile.mkdtemp(prefix="model", dir=here))
                for part in MODEL.iterdir():
                    if part.suffix in (".json", ".spm", ".safetensors") and part.name != file:
                        (model / part.name).symlink_to(part)
                (model / file).symlink_to(path)
                optional = file in ("generation_config.json", "tokenizer_config.json")
                if optional and not pathlib.Path(path).exists():
                    continue  # as good as none
                command = [DAEMON, "--model", f"m={model}", "--listen", "127.0.0.1:0", "--metrics", "off", "--http", "off"]
                commands.append((command, 1))
        base = [DAEMON, "--model", f"m={MODEL}", "--listen", "127.0.0.1:0", "--metrics", "off", "--http", "off"]
        for path in bad:
            if path == here / "directory":
                continue  # an empty one is a directory of no glossaries
            commands.append(([*base, "--glossary-dir", path], 1))
            glossaries = pathlib.Path(tempfile.mkdtemp(prefix="glossaries", dir=here))
            (glossaries / "names.tsv").symlink_to(path)
            if path != "/dev/null":
                commands.append(([*base, "--glossary-dir", glossaries], 1))
        client = [CLIENT, "translate", "--server", "127.0.0.1:1", "--retries", "0", "--timeout", "2"]
        commands += [([*client, here / "directory"], 2), ([*client, here / "none"], 1),
                     ([*client, here / "directory", "--output", here / "out"], 1),
                     ([*client, here / "giant", "--format", "docx", "--output", here / "out"], 1)]  # fmt: skip
        for path in (here / "directory", "/dev/zero", here / "none"):
            commands.append(([*client, "--target-prefix-file", path], 1))
            commands.append(([CLIENT, "load", "--server", "127.0.0.1:1", "--rate", "1", "--requests", "1",
                              "--input", path], 1))  # fmt: skip
        worst = 0
        for command, expected in commands:
            words = " ".join(str(word) for word in command[1:])
            status, errors, peak = _run([str(word) for word in command])
            check(status == expected, f"{words}: status {status}, {errors[-300:]}")
            check(len(errors.strip()) > 0, f"{words}: not a word")
            check(peak < 400 * MIB, f"{words}: {mib(peak)}")
            worst = max(worst, peak)
            count += 1
    return Outcome(f"{count} starts, each refused in a line; {mib(worst)} at most")


@attack("line_of_100_mb", issue=12, limit=120)
def line_of_100_mb():
    """The client is given a line that no server takes, between two that are fine."""
    with Daemon() as daemon, tempfile.TemporaryDirectory(prefix="attack-") as name:
        path = pathlib.Path(name) / "lines"
        for size, expected in ((100 << 20, "bytes allowed"), (15 << 20, "")):
            with open(path, "wb") as file:
                file.write(TEXT.encode() + b"\n" + b"a" * size + b"\n" + TEXT.encode() + b"\n")
            begin = time.monotonic()
            out = subprocess.Popen(
                [CLIENT, "translate", "--server", daemon.grpc, str(path)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            peak = 0

            def watch(child=out):
                nonlocal peak
                with contextlib.suppress(OSError, IndexError):  # it has ended
                    while child.poll() is None:
                        status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
                        peak = max(peak, int(status.split("VmHWM:")[1].split()[0]) * 1024)
                        time.sleep(0.01)

            watcher = threading.Thread(target=watch)
            watcher.start()
            try:
                output, errors = out.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                out.kill()
                raise Failed(f"{mib(size)}: still at it after 30 s") from None
            watcher.join()
            took = time.monotonic() - begin
            lines = output.decode().split("\n")
            check(out.returncode == 1, f"{mib(size)}: status {out.returncode}")
            check(len(lines) == 4 and lines[0] and lines[2] and not lines[1], f"{mib(size)}: {lines}")
            check(expected in errors.decode(), f"{mib(size)}: {errors.decode()[-300:]}")
            check(peak < 250 * MIB, f"{mib(size)}: the client held {mib(peak)}")
    return Outcome(f"its neighbours are translated, it fails once, in {took:.1f} s")


# ------------------------------------------------------------------ memory


@attack("address_space", issue=12, limit=300)
def address_space():
    """ulimit -v from 120 MiB to 4 GiB: it serves, or says in a line why it cannot."""
    served = []
    refused = []
    for limit in (120, 160, 200, 250, 300, 350, 400, 450, 500, 550, 600, 700, 800, 1000, 1200, 1500,
                  2000, 3000, 4000):  # fmt: skip
        with Daemon(limits={resource.RLIMIT_AS: (limit * MIB, limit * MIB)}, wait=0) as daemon:
            line = []
            reader = threading.Thread(target=lambda d=daemon: line.append(d.process.stdout.readline()))
            reader.start()
            reader.join(30)
            if line and line[0]:
                address = line[0].decode().split("grpc=")[1].split()[0]
                with Client(address) as client:
                    codes = {client.code(TEXT) for _ in range(20)}
                check(codes == {"OK"}, f"{limit} MiB: {codes}, {daemon.errors()[-300:]}")
                daemon.stop()
                served.append(limit)
            else:
                status = daemon.wait(10)
                errors = daemon.errors()
                check(status == 1, f"{limit} MiB: status {status}, {errors[-300:]}")
                check(any(word in errors.lower() for word in ("memory", "thread")),
                      f"{limit} MiB: {errors[-300:]}")  # fmt: skip
                refused.append(limit)
    check(served, "it never serves")
    return Outcome(f"refused in a line up to {max(refused, default=0)} MiB, served from {min(served)} MiB")


@attack("idle_memory", issue=12, limit=240)
def idle_memory():
    """A model of OPUS-MT's size: what is resident at rest, under wide beams, and what was promised."""
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        with Daemon(model=opus_base.make(name), wait=120) as daemon:
            idle = daemon.rss()
            bound = daemon.memory_bound()
            rest = bound["weights_bytes"] + bound["workspaces_bytes"] + bound["process_bytes"]
            check(idle < rest, f"{mib(idle)} at rest", f"{mib(rest)} without K/V")
            with Client(daemon.grpc) as client:
                fields = {"decoding": {"beam_size": 32, "max_output_tokens": 48,
                                       "min_output_tokens": 48, "max_length_ratio": 100}}  # fmt: skip
                futures = [
                    client.stub.Translate.future(_request(TEXT, fields), timeout=115) for _ in range(4)
                ]
                codes = [future.code().name for future in futures]
            check(codes == ["OK"] * 4, str(codes))
            peak = daemon.peak_rss()
            promised = bound["sum_bytes"]
            check(peak < promised, f"{mib(peak)} at the peak", mib(promised))
            held = daemon.rss()
            check(held > idle, f"{mib(idle)} before wide beams, {mib(held)} after: nothing was used")
    return Outcome(
        f"{mib(idle)} at rest, {mib(held)} after wide beams, {mib(peak)} at the peak (of loading)",
        bound=mib(promised),
    )


def _request(text, fields):
    from dragoman.v1 import translation_pb2

    return translation_pb2.TranslateRequest(contents=[text], **fields)


@attack("small_control_group", issue=12, limit=300)
def small_control_group():
    """A group of 1 GiB around a model of OPUS-MT's size: K/V follow it, and wide beams do not kill it."""
    with memory_group(1024 * MIB) as group, tempfile.TemporaryDirectory(prefix="attack-") as name:
        if group is None:
            return SKIPPED
        model = opus_base.make(name)
        with daemons_in(group):
            with Daemon("--kv-memory-mb", 2000, model=model, wait=0) as daemon:
                status = daemon.wait(60)
                check(status == 1 and "the cgroup" in daemon.errors(),
                      f"2,000 MiB of K/V: status {status}, {daemon.errors()[-300:]}")  # fmt: skip
            with Daemon(model=model, wait=120) as daemon:
                bound = daemon.memory_bound()
                check(bound["limit_bytes"] == 1024 * MIB, f"{bound}")
                fields = {"decoding": {"beam_size": 8, "max_output_tokens": 100,
                                       "min_output_tokens": 100, "max_length_ratio": 100}}  # fmt: skip
                with Client(daemon.grpc) as client:
                    futures = [client.stub.Translate.future(_request(TEXT, fields), timeout=200)
                               for _ in range(24)]  # fmt: skip
                    codes = [future.code().name for future in futures]
                check(daemon.alive(), f"status {daemon.wait(1)}")
                check(codes == ["OK"] * 24, str(codes))
                peak = daemon.peak_rss()
    return Outcome(f"K/V of {mib(bound['kv_bytes'])}, {mib(peak)} at the peak", bound=mib(bound["sum_bytes"]))


@attack("few_rows", issue=12, limit=240)
def few_rows():
    """--max-rows 1 to 20, nothing else: an ordinary request of sixty words."""
    text = " ".join(["Haus"] * 60)
    for rows in range(1, 21):
        with Daemon("--max-rows", rows, "--cpu-workers", 1) as daemon, Client(daemon.grpc) as client:
            code = client.code(text, decoding={"beam_size": min(4, rows)})
            check(code == "OK", f"--max-rows {rows}: {code}")
    return Outcome("answered with each")
