"""What scripts that measure have in common: the programs that they run, and a run, its report and what failed."""
import os
import signal
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def add_programs(p):
    """The options of a script that compares gRPC and HTTP on the bundled model."""
    p.add_argument("--compute-type", default="int8")
    p.add_argument("--model", default=os.path.join(ROOT, "deploy/models/de-en"), help="a German-English model")
    p.add_argument("--input", default=os.path.join(ROOT, "tests/data/german.txt"), help="texts, one a line")
    p.add_argument("--daemon", default=os.path.join(ROOT, "build/release/server/dragomand"))
    p.add_argument("--client", default=os.path.join(ROOT, "build/release/client/dragoman"))
    p.add_argument("--http-load", default=os.path.join(ROOT, "build/release/tests/bench/http_load"))
    p.add_argument("--daemon-flags", default="", help="further flags of dragomand, in one word")
    p.add_argument("--json", metavar="FILE", help="where the records go")


def parse(p):
    o = p.parse_args()
    for program in (o.daemon, o.client, o.http_load):
        if not os.access(program, os.X_OK):
            p.error(f"found no program {program}: deploy/build.sh --tests release dragomand dragoman http_load")
    return o


def run_and_report(bench):
    """The exit status. `bench` has run() and report(), `records` with a "failure" where one failed, and their number as
    `failed`. The last line is 'N passed, N failed'."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the daemons end, too
    try:
        bench.run()
        bench.report()
    except (OSError, RuntimeError, subprocess.SubprocessError) as e:
        print(f"FAILED: {e}")
        bench.failed += 1
    print(f"\n{len([r for r in bench.records if 'failure' not in r])} passed, {bench.failed} failed")
    return 1 if bench.failed else 0
