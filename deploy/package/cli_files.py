#!/usr/bin/env python3
"""Completion for bash, zsh and fish, and the manual pages, of dragoman and dragomand.

    deploy/package/cli_files.py --dragoman FILE --dragomand FILE --output FOLDER [--emulator COMMAND]

All of it is made of what the programs say of their own flags ('dragoman help --json', 'dragomand --help json'), which
are their tables; only the prose of a page that no flag has is here (pages.py). FOLDER gets the tree of /usr/share:
bash-completion/completions, zsh/vendor-completions, fish/vendor_completions.d, man. Two runs write the same bytes: the
date of the pages is that of SOURCE_DATE_EPOCH, or of the newest program. Programs for another kind of machine run under
COMMAND, such as 'qemu-aarch64 -L SYSROOT'.
"""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import subprocess

import completions
import pages


def ask(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dragoman', required=True)
    parser.add_argument('--dragomand', required=True)
    parser.add_argument('--output', required=True, type=pathlib.Path)
    parser.add_argument('--emulator', default=[], type=shlex.split, metavar='COMMAND')
    arguments = parser.parse_args()
    client = ask(*arguments.emulator, arguments.dragoman, 'help', '--json')
    server = ask(*arguments.emulator, arguments.dragomand, '--help', 'json')
    newest = max(os.stat(program).st_mtime for program in (arguments.dragoman, arguments.dragomand))
    when = datetime.datetime.fromtimestamp(int(os.environ.get('SOURCE_DATE_EPOCH', newest)), datetime.timezone.utc)
    files = {**completions.of(client), **completions.of(server), **pages.of(client, server, when.strftime('%Y-%m-%d'))}
    for path, content in files.items():
        file = arguments.output / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


if __name__ == '__main__':
    main()
