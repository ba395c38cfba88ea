"""A Slurm cluster of this machine and the array of deploy/slurm: half of its tasks and the daemon killed, then run again.

Needs root, because Slurm's daemons start tasks as their users.
"""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

import engine_case as case

CONFIGURATION = """
ClusterName=test
SlurmctldHost=localhost
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
NodeName=localhost CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES OverSubscribe=YES State=UP
"""


@contextlib.contextmanager
def cluster(folder):
    """Starts Slurm with four processors on this machine, whatever it has."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = [one.getsockname()[1] for one in sockets]
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, ports=ports), encoding="utf-8")
    os.environ["SLURM_CONF"] = str(configuration)
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    (folder / "key").write_bytes(os.urandom(128))
    (folder / "key").chmod(0o400)
    for one in sockets:
        one.close()
    files = [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed")]
    commands = [
        ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/key", *files],
        ["slurmctld", "-D"],
        ["slurmd", "-D", "-N", "localhost"],
    ]
    with contextlib.ExitStack() as stack:
        for command in commands:
            log = stack.enter_context(open(folder / f"{command[0]}.out", "wb"))
            daemon = subprocess.Popen(command, stdout=log, stderr=log)
            stack.callback(daemon.wait)
            stack.callback(daemon.terminate)
            if command[0] == "munged":
                case.wait_for((folder / "munge.socket").exists, "socket of munged")
        case.wait_for(lambda: "idle" in output("sinfo", "--noheader", "--format=%T"), "idle node of Slurm")
        yield


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def main():
    texts = case.rows()
    wanted = case.expected(texts)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        case.write_shards(texts, folder / "de")
        shards = sorted(map(str, (folder / "de").iterdir()))
        arguments = [*case.local_arguments(), "--field", "text", "--to", "en", "--out", str(folder / "en"), *shards]
        # Without --exclusive, so that tasks share the node.
        submit = ["sbatch", "--parsable", "--oversubscribe", "--no-requeue", f"--output={folder}/%a.log", "--wait"]
        submit += [str(case.ROOT / "deploy/slurm/corpus.sbatch"), *arguments]
        (folder / "en").mkdir()
        os.environ["PATH"] = f"{pathlib.Path(os.environ['DRAGOMAN']).parent}:{os.environ['PATH']}"

        def array():
            return subprocess.run(submit, stdout=subprocess.DEVNULL).returncode

        def begun(shard):
            part = folder / "en" / f".part-{shard}.jsonl.gz.part"
            return part.exists() and part.stat().st_size > 0 or (folder / "en" / f"part-{shard}.jsonl.gz").exists()

        def kill_half():
            killed = 0
            for shard in range(0, case.SHARDS, 2):
                job = case.wait_for(lambda: output("squeue", "--noheader", "--states=R", "--format=%A", "--array",
                                                   "--name=corpus").split(), "running task")[0]
                if subprocess.run(["scancel", "--full", "--signal=KILL", job]).returncode == 0:
                    killed += 1
                case.wait_for(lambda: job not in output("squeue", "--noheader", "--states=R", "--format=%A").split(),
                              "end of the killed task")
                if shard == 2:
                    case.kill_daemon()
            assert killed == case.SHARDS // 2

        with cluster(folder):
            if case.during(array, kill_half) == 0:
                sys.exit("FAILED: an array of which half was killed succeeded")
            complete = len(list((folder / "en").glob("part-*.gz")))
            print(f"Slurm: after half of the tasks were killed, {complete} of {case.SHARDS} files are complete", flush=True)
            if array() != 0:
                for log in folder.glob("*.log"):
                    print(log.read_text(encoding="utf-8"), file=sys.stderr)
                sys.exit("FAILED: the second array did not succeed")
        found = case.read_shards(folder / "en", lambda record: (record["row"], record["text_translation"]))
        case.check("Slurm, half of the tasks and the daemon killed", found, texts, wanted)


main()
